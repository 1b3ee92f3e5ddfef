"""Noise with heavier tails than Gaussian: p(y | f) = exp(−|y − f|/b)/(2b).

A Laplace density consists of two exponential halves, so that Z = (Z₁ + Z₂)/(2b), each as in
``one_sided``. Where they meet, their boundary terms E = exp(−½ d²/v)/√2π are equal, so that

    Z′ = (Z₁ − Z₂)/b · 1/(2b),    Z″ = ((Z₁ + Z₂)/b² − 2E/(s b)) · 1/(2b).
"""

from dataclasses import dataclass
from math import log, pi

import numpy as np
from scipy.special import ndtr

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief
from sparsegp.likelihoods.one_sided import SMALLEST_VARIANCE, log_one_sided
from sparsegp.likelihoods.policy import WIDE_BELIEF
from sparsegp.likelihoods.support import check_real

__all__ = ["LaplaceNoise"]


@dataclass(frozen=True)
class LaplaceNoise:
    """Laplace noise of scale b, variance 2b².

    >>> belief = LaplaceNoise(0.5).moment_match(np.array([99.0]), np.array([0.0]), np.array([1.0]))
    >>> float(belief.q[0])  # an outlier moves the mean by v/b, however far away it is
    2.0
    """

    scale: float = 0.3

    def log_density(self, y: Array, f: Array) -> Array:
        """Return log p(y | f), elementwise."""
        return -np.abs(y - f) / self.scale - log(2.0 * self.scale)

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance) times the likelihood of the targets."""
        b, v = self.scale, np.maximum(variance, SMALLEST_VARIANCE)
        s, d = np.sqrt(v), y - mean
        above, _ = log_one_sided(d, s, b)  # log Z₁, from f < y
        below, _ = log_one_sided(-d, s, b)  # log Z₂, from f > y
        log_z = np.logaddexp(above, below)
        share_above, share_below = np.exp(above - log_z), np.exp(below - log_z)
        q = (share_above - share_below) / b
        boundary = np.exp(-0.5 * (d / s) ** 2 - log_z) / np.sqrt(2.0 * pi)  # E/(Z₁ + Z₂)
        r = 4.0 * share_above * share_below / b**2 - 2.0 * boundary / (s * b)
        wide = s > WIDE_BELIEF * b
        if np.any(wide):
            total = v + 2.0 * b * b
            q, r = np.where(wide, d / total, q), np.where(wide, -1.0 / total, r)
        return Belief(log_z - log(2.0 * b), q, np.clip(r, -1.0 / v, 0.0))  # log-concave

    def weighted(self, weight: float) -> "LaplaceNoise":
        """Return the noise with this density to the power of ``weight``."""
        return LaplaceNoise(self.scale / weight)

    @staticmethod
    def support(y: Array) -> None:
        """Raise a ValueError for a target that is not a finite number."""
        check_real(y)

    def target_moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance of y for f ~ N(mean, variance): (n,) each."""
        return mean, variance + 2.0 * self.scale**2

    def target_cdf(self, y: Array, mean: Array, variance: Array) -> Array:
        """Return P(target ≤ y) for f ~ N(mean, variance): (n,)."""
        s, d = np.sqrt(np.maximum(variance, SMALLEST_VARIANCE)), y - mean
        above, below = (log_one_sided(e, s, self.scale)[0] for e in (d, -d))
        return np.clip(ndtr(d / s) + 0.5 * (np.exp(below) - np.exp(above)), 0.0, 1.0)

    def draw(self, f: Array, rng: np.random.Generator) -> Array:
        """Draw targets given f, elementwise."""
        return rng.laplace(f, self.scale)
