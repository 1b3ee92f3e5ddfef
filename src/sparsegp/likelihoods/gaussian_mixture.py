"""A mixture of Gaussians: p(y | f) = Σ_k π_k N(y | a_k f + b_k, σ_k²) (CO section 5).

CO note that likelihoods which are modelled empirically, as such mixtures, need no integration: the
mean of each part under a belief N(μ, v) is

    Z_k = N(y | a_k μ + b_k, a_k² v + σ_k²),

and q and r are those of a mixture with the shares π_k Z_k/Z. Parts with different a_k make a target
ambiguous, as in CO's example, wind directions that a satellite tells up to their sign.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp, ndtr

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief
from sparsegp.likelihoods.gaussian import Gaussian
from sparsegp.likelihoods.support import check_real

__all__ = ["GaussianMixture"]


@dataclass(frozen=True)
class GaussianMixture:
    """Gaussian noise of several kinds, each with its probability.

    Parameters
    ----------
    weights : sequence of float
        Probabilities π_k of the parts; their sum is 1.
    variances : sequence of float
        Noise variances σ_k².
    offsets : sequence of float, optional
        b_k; zeros by default.
    slopes : sequence of float, optional
        a_k; ones by default.

    Examples
    --------
    One target in ten is an outlier, so that one far away hardly counts:

    >>> noise = GaussianMixture([0.9, 0.1], [0.1, 25.0])
    >>> belief = noise.moment_match(np.array([9.0]), np.array([0.0]), np.array([1.0]))
    >>> round(float(belief.q[0]), 2)
    0.35
    """

    weights: Any
    variances: Any
    offsets: Any = None
    slopes: Any = None

    def __post_init__(self) -> None:
        """Check the parts, and keep them as tuples."""
        n = len(tuple(self.weights))
        given = {"offsets": (0.0,) * n, "slopes": (1.0,) * n}
        for name in ("weights", "variances", "offsets", "slopes"):
            value = getattr(self, name)
            values = tuple(float(x) for x in (given[name] if value is None else value))
            if len(values) != n or not n:
                raise ValueError(f"{name} must have one number for each of the {n} weights")
            if not np.all(np.isfinite(values)):
                raise ValueError(f"{name} must be finite numbers, got {value!r}")
            object.__setattr__(self, name, values)
        if min(self.weights) <= 0.0 or abs(sum(self.weights) - 1.0) > 1e-6:
            raise ValueError(f"weights must be positive with sum 1, got {self.weights!r}")
        if min(self.variances) <= 0.0:
            raise ValueError(f"variances must be positive, got {self.variances!r}")

    def log_density(self, y: Array, f: Array) -> Array:
        """Return log p(y | f), elementwise."""
        log_pi, variance, offset, slope = self._parts()  # (k,) each
        y, f = np.asarray(y)[..., None], np.asarray(f)[..., None]  # (…, 1)
        each = log_pi + Gaussian(variance).log_density(y, slope * f + offset)
        return np.asarray(logsumexp(each, axis=-1))

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance) times the likelihood of the targets."""
        log_pi, noise, offset, slope = self._parts()  # (k,) each
        centre = slope * mean[:, None] + offset  # (n, k)
        part = Gaussian(noise).moment_match(y[:, None], centre, slope**2 * variance[:, None])
        q_k, r_k = slope * part.q, slope**2 * part.r  # by the mean of f
        log_mass = log_pi + part.log_z
        log_z = logsumexp(log_mass, axis=1)
        share = np.exp(log_mass - log_z[:, None])  # (n, k)
        q = np.sum(share * q_k, axis=1)
        variance_of_q = np.sum(share * (q_k - q[:, None]) ** 2, axis=1)
        return Belief(log_z, q, np.sum(share * r_k, axis=1) + variance_of_q)

    def weighted(self, weight: float) -> "GaussianMixture | None":
        """Return the density to the power of ``weight``; None, as that is no mixture."""
        return self if weight == 1.0 else None

    @staticmethod
    def support(y: Array) -> None:
        """Raise a ValueError for a target that is not a finite number."""
        check_real(y)

    def target_moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance of y for f ~ N(mean, variance): (n,) each."""
        log_pi, noise, offset, slope = self._parts()  # (k,) each
        pi, centre = np.exp(log_pi), slope * mean[:, None] + offset  # (k,), (n, k)
        middle = centre @ pi  # (n,)
        between = (centre - middle[:, None]) ** 2 @ pi
        return middle, between + (slope**2 * variance[:, None] + noise) @ pi

    def target_cdf(self, y: Array, mean: Array, variance: Array) -> Array:
        """Return P(target ≤ y) for f ~ N(mean, variance): (n,)."""
        log_pi, noise, offset, slope = self._parts()  # (k,) each
        scale = np.sqrt(slope**2 * variance[:, None] + noise)  # (n, k)
        z = (y[:, None] - slope * mean[:, None] - offset) / scale
        return np.asarray(ndtr(z) @ np.exp(log_pi))

    def draw(self, f: Array, rng: np.random.Generator) -> Array:
        """Draw targets given f, elementwise."""
        log_pi, noise, offset, slope = self._parts()
        part = rng.choice(len(log_pi), size=f.shape, p=np.exp(log_pi))
        return slope[part] * f + offset[part] + np.sqrt(noise[part]) * rng.standard_normal(f.shape)

    def _parts(self) -> tuple[Any, Any, Any, Any]:
        """Return log π, σ², b and a of the parts: (k,) each."""
        pi = np.array(self.weights) / sum(self.weights)
        return np.log(pi), *map(np.array, (self.variances, self.offsets, self.slopes))
