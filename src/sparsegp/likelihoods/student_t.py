"""Noise with polynomial tails: Student's t, as a mixture of Gaussians over the precision.

p(y | f) = ∫ N(y | f, τ²/λ) Gamma(λ | ν/2, ν/2) dλ, so that

    Z = ∫ N(y | μ, v + τ²/λ) Gamma(λ | ν/2, ν/2) dλ

is a smooth integral, whether the belief is narrower or wider than the noise and however far
apart the two are. In log λ the trapezium rule converges geometrically (the integrand is analytic
in a strip and decays on both sides). q and r are those of a mixture.
"""

from dataclasses import dataclass
from math import log, log1p
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp, ndtr

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief
from sparsegp.likelihoods.gaussian import Gaussian
from sparsegp.likelihoods.support import check_real

__all__ = ["StudentT"]

N_NODES = 400
FLAT = 40.0  # exp(−40) is negligible beside the peak


@dataclass(frozen=True)
class StudentT:
    """Student's t noise with ν degrees of freedom and scale τ.

    >>> y, mean, variance = np.array([99.0]), np.zeros(1), np.ones(1)
    >>> belief = StudentT(4.0, 0.5).moment_match(y, mean, variance)
    >>> bool(belief.q[0] < 0.1)  # a far outlier hardly counts
    True
    """

    df: float = 4.0
    scale: float = 0.3

    def log_density(self, y: Array, f: Array) -> Array:
        """Return log p(y | f), elementwise."""
        nu = self.df
        constant = gammaln(0.5 * (nu + 1.0)) - gammaln(0.5 * nu) - 0.5 * log(nu * np.pi)
        square = ((y - f) / self.scale) ** 2
        return constant - log(self.scale) - 0.5 * (nu + 1.0) * np.log1p(square / nu)

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance) times the likelihood of the targets."""
        log_precision, log_weight = self._nodes(y - mean)  # (n, nodes) each
        variances: Any = self.scale**2 * np.exp(-log_precision)  # (n, nodes)
        noise = Gaussian(variances)  # one for each node: they broadcast
        part = noise.moment_match(y[:, None], mean[:, None], variance[:, None])  # (n, nodes)
        log_mass = log_weight + part.log_z
        log_z = logsumexp(log_mass, axis=1)
        share = np.exp(log_mass - log_z[:, None])
        q = np.sum(share * part.q, axis=1)
        variance_of_q = np.sum(share * (part.q - q[:, None]) ** 2, axis=1)
        return Belief(log_z, q, np.sum(share * part.r, axis=1) + variance_of_q)

    def _nodes(self, d: Array) -> tuple[Array, Array]:
        """Return log λ and the log weights of the trapezium rule: (n, nodes) each."""
        nu = self.df
        # a far target is explained by λ ≈ (ν + 1) τ²/d². Around a peak of a·(x − exp x) the
        # integrand has fallen by exp(−FLAT) at x = −(c + √2c) and log(1 + c + √2c), c = FLAT/a
        far = np.log((nu + 1.0) / (nu + (d / self.scale) ** 2))
        left, right = 2.0 * FLAT / (nu + 1.0), 2.0 * FLAT / nu
        low = np.minimum(far, 0.0) - (left + (2.0 * left) ** 0.5)  # (n,)
        high = log1p(right + (2.0 * right) ** 0.5)
        step = (high - low) / (N_NODES - 1)
        t = low[:, None] + step[:, None] * np.arange(N_NODES)  # (n, nodes)
        constant = 0.5 * nu * log(0.5 * nu) - gammaln(0.5 * nu)
        log_gamma = constant + 0.5 * nu * (t - np.exp(t))  # dλ = λ dt
        return t, log_gamma + np.log(step)[:, None]

    def weighted(self, weight: float) -> "StudentT | None":
        """Return the noise with this density to the power of ``weight``; None if it is improper.

        (1 + d²/ντ²)^(−s(ν+1)/2) has s(ν + 1) − 1 degrees of freedom and the same ντ².
        """
        df = weight * (self.df + 1.0) - 1.0
        return StudentT(df, self.scale * (self.df / df) ** 0.5) if df > 0.0 else None

    @staticmethod
    def support(y: Array) -> None:
        """Raise a ValueError for a target that is not a finite number."""
        check_real(y)

    def target_moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance of y, infinite if ν ≤ 2: (n,) each."""
        noise = self.scale**2 * self.df / (self.df - 2.0) if self.df > 2.0 else np.inf
        return mean, variance + noise

    def target_cdf(self, y: Array, mean: Array, variance: Array) -> Array:
        """Return P(target ≤ y) for f ~ N(mean, variance): (n,)."""
        d = y - mean
        log_precision, log_weight = self._nodes(d)  # (n, nodes) each
        scale = np.sqrt(variance[:, None] + self.scale**2 * np.exp(-log_precision))
        return np.sum(np.exp(log_weight) * ndtr(d[:, None] / scale), axis=1)

    def draw(self, f: Array, rng: np.random.Generator) -> Array:
        """Draw targets given f, elementwise."""
        return f + self.scale * rng.standard_t(self.df, f.shape)
