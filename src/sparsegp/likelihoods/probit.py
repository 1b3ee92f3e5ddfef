"""Two classes by the cumulative normal: p(y | f) = Φ(λ y (f + b)), y = ±1."""

from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief
from sparsegp.likelihoods.quadrature import gaussian_means
from sparsegp.likelihoods.support import check_labels

__all__ = ["Probit", "hazard_curvature", "log_cdf", "log_cdf_by_hazard", "normal_hazard"]

ROOT_HALF = np.sqrt(0.5)
ROOT_2_OVER_PI = np.sqrt(2.0 / np.pi)
LOG_ROOT_2_PI = 0.5 * np.log(2.0 * np.pi)
LEFT = -37.0  # Φ underflows just left of it
RIGHT = 30.0  # right of it Φ is 1 to rounding, and its hazard underflows soon
SMALLEST_HAZARD = np.exp(-0.5 * RIGHT**2 - LOG_ROOT_2_PI)
FAR = -150.0  # left of it the asymptotic series is better than a difference of large numbers


def normal_hazard(z: Array) -> Array:
    """Return h(z) = N(z)/Φ(z), which tends to −z for very negative z: any shape.

    >>> normal_hazard(np.array([-40.0, 0.0])).round(4)
    array([40.025 ,  0.7979])
    """
    # the exponentials of N and Φ cancel in the scaled function erfcx(x) = exp(x²) erfc(x)
    return ROOT_2_OVER_PI / erfcx(-ROOT_HALF * z)


def hazard_curvature(z: Array, hazard: Array) -> Array:
    """Return −∂² log Φ/∂z² = h (z + h), between 0 and 1: the shape of z."""
    curvature = np.clip(hazard * (z + hazard), 0.0, 1.0)
    if np.min(z, initial=0.0) < FAR:
        square = np.minimum(z, FAR) ** 2
        curvature = np.where(z < FAR, 1.0 - 1.0 / square + 6.0 / square**2, curvature)
    return curvature


def log_cdf_by_hazard(z: Array, hazard: Array) -> Array:
    """Return log Φ(z) = log N(z) − log h(z), accurate to 10⁻¹⁴ (1 + z²): the shape of z.

    It takes a quarter of the time of a special function.

    >>> z = np.array([-2.0, 100.0])
    >>> log_cdf_by_hazard(z, normal_hazard(z)).round(4) + 0.0
    array([-3.7832,  0.    ])
    """
    z = np.minimum(z, RIGHT)
    log_density = -0.5 * z * z - LOG_ROOT_2_PI
    return np.minimum(log_density - np.log(np.maximum(hazard, SMALLEST_HAZARD)), 0.0)


def log_cdf(z: Array) -> Array:
    """Return log Φ(z) to 10⁻¹⁵ (1 + |log Φ|), in a third of the time of SciPy's: the shape of z.

    >>> log_cdf(np.array([-50.0, -2.0, 9.0])).round(4) + 0.0
    array([-1254.8314,    -3.7832,     0.    ])
    """
    if np.any(z < LEFT):
        return np.where(z < LEFT, log_ndtr(np.minimum(z, LEFT)), np.log(ndtr(np.maximum(z, LEFT))))
    return np.log(ndtr(z))


@dataclass(frozen=True)
class Probit:
    """The probit with slope λ and bias b (SS section 2)."""

    slope: float = 1.0
    bias: float = 0.0

    def margin(self, y: Array, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return z = y (mean + b)/√(λ⁻² + variance) and the root; ⟨p(y | f)⟩ = Φ(z)."""
        scale = np.sqrt(self.slope**-2 + variance)
        return y * (mean + self.bias) / scale, scale

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance) times the likelihood of labels ±1 (SS eq. 2)."""
        z, scale = self.margin(y, mean, variance)
        hazard = normal_hazard(z)
        curvature = hazard_curvature(z, hazard)
        log_z = log_cdf_by_hazard(z, hazard)
        return Belief(log_z, y * hazard / scale, -curvature / scale**2)

    def log_density(self, y: Array, f: Array) -> Array:
        """Return log p(y | f), elementwise."""
        return log_cdf(self.slope * y * (f + self.bias))

    @staticmethod
    def support(y: Array) -> None:
        """Raise a ValueError for a target that is not a label ±1."""
        check_labels(y)

    def log_probability(self, y: Array, mean: Array, variance: Array) -> Array:
        """Return log⟨p(y | f)⟩ alone, the ``log_z`` of ``moment_match``: (n,)."""
        return log_cdf(self.margin(y, mean, variance)[0])

    def probability(self, mean: Array, variance: Array) -> Array:
        """Return the probability of y = +1 for f ~ N(mean, variance): (n,)."""
        return np.exp(self.log_probability(np.ones_like(mean), mean, variance))

    def expect(self, y: Array, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        """Return the means of log p(y | f) and of its first two derivatives by f: (n,) each."""

        def functions(f: Array) -> tuple[Array, ...]:
            z = self.slope * y[:, None] * (f + self.bias)  # (n, nodes)
            hazard = normal_hazard(z)
            slopes = self.slope * y[:, None] * hazard
            curvature = hazard_curvature(z, hazard)
            return log_cdf_by_hazard(z, hazard), slopes, -(self.slope**2) * curvature

        log_p, q, r = gaussian_means(functions, mean, variance)
        return log_p, q, r

    def by_log_slope(self, belief: Belief) -> Array:
        """Return ∂ log Z/∂ log λ: (n,). λ⁻² adds to the variance of the belief."""
        return -2.0 * self.slope**-2 * belief.by_variance

    @staticmethod
    def by_bias(belief: Belief) -> Array:
        """Return ∂ log Z/∂b: (n,). b adds to the mean of the belief."""
        return belief.q
