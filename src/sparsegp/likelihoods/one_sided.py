"""Noise that is never negative: y = f + e, e exponential. The density jumps at f = y.

With d = y − μ, s = √v and u = d/s − s/b,

    Z = exp(v/(2b²) − d/b) Φ(u)/b = exp(−½ d²/v + ½u²) Φ(u)/b.

The first form is used for u ≥ 0. For u < 0 the exponent and Φ are both extreme, and the second
form, with exp(½u²) Φ(u) = ½ erfcx(−u/√2), keeps full precision.

A target z deviations below a belief divides its variance by z², and z is unbounded: a few rows
below the edge can make a belief so precise that the next one moves it without bound. A soft edge,
y = f + e + N(0, c²), adds c² to v and bounds the precision of one row's site by 1/c².
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief
from sparsegp.likelihoods.probit import hazard_curvature, normal_hazard
from sparsegp.likelihoods.support import check_real

__all__ = ["OneSided", "log_one_sided"]

ROOT_HALF = np.sqrt(0.5)
SMALLEST_VARIANCE = float(np.finfo(np.float64).tiny)


def log_one_sided(d: Array, s: Array, scale: float) -> tuple[Array, Array]:
    """Return log⟨[e ≥ 0] exp(−e/b)⟩ for e ~ N(d, s²), and u = d/s − s/b: (n,) each."""
    u = d / s - s / scale
    right = 0.5 * (s / scale) ** 2 - d / scale + log_ndtr(np.maximum(u, 0.0))
    left = -0.5 * (d / s) ** 2 + np.log(0.5 * erfcx(-ROOT_HALF * np.minimum(u, 0.0)))
    return np.where(u >= 0.0, right, left), u


@dataclass(frozen=True)
class OneSided:
    """Exponential noise of mean b: p(y | f) = exp(−(y − f)/b)/b for y ≥ f, and 0 else.

    The latent function is a lower edge of the targets. The likelihood is zero on half of the
    line and has no gradient at its edge, yet its smoothed form is closed (CO section 5).

    Parameters
    ----------
    scale : float
        b.
    softness : float
        Standard deviation c of a Gaussian that blurs the edge. With 0 the edge is hard: no
        target may lie below it.

    Examples
    --------
    >>> belief = OneSided(1.0).moment_match(np.array([-3.0]), np.array([0.0]), np.array([1.0]))
    >>> float(round(belief.q[0], 3))  # the edge must come down
    -3.226
    """

    scale: float = 0.3
    softness: float = 0.0

    def log_density(self, y: Array, f: Array) -> Array:
        """Return log p(y | f), elementwise; with a hard edge −∞ for y < f."""
        d = np.asarray(y - f)
        if self.softness:
            return log_one_sided(d, np.full(d.shape, self.softness), self.scale)[0] - np.log(
                self.scale
            )
        return np.where(d >= 0.0, -d / self.scale - np.log(self.scale), -np.inf)

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance) times the likelihood of the targets."""
        v = np.maximum(variance + self.softness**2, SMALLEST_VARIANCE)
        s, d = np.sqrt(v), y - mean
        log_z, u = log_one_sided(d, s, self.scale)
        hazard = normal_hazard(u)
        # 1/b − h/s; for u < 0 with the large part −u/s of h/s cancelled by hand
        q = np.where(u >= 0.0, 1.0 / self.scale - hazard / s, d / v - (hazard + u) / s)
        return Belief(log_z - np.log(self.scale), q, -hazard_curvature(u, hazard) / v)

    @staticmethod
    def jump(y: Array) -> Array:
        """Return the f at which the density jumps, for quadrature."""
        return y

    def weighted(self, weight: float) -> "OneSided | None":
        """Return the noise with this density to the power of ``weight``; None for a soft edge."""
        return None if self.softness else OneSided(self.scale / weight)

    @staticmethod
    def support(y: Array) -> None:
        """Raise a ValueError for a target that is not a finite number."""
        check_real(y)

    def latent_guess(self, y: Array) -> Array:
        """Return a rough f for each target, from which first hyperparameters are learned."""
        return y - self.scale

    def target_moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance of y for f ~ N(mean, variance): (n,) each."""
        return mean + self.scale, variance + self.scale**2 + self.softness**2

    def target_cdf(self, y: Array, mean: Array, variance: Array) -> Array:
        """Return P(target ≤ y) for f ~ N(mean, variance): (n,)."""
        s = np.sqrt(np.maximum(variance + self.softness**2, SMALLEST_VARIANCE))
        d = y - mean
        # a Gaussian plus an exponential variable: Φ(d/s) − ⟨[e ≥ 0] exp(−e/b)⟩
        above, _ = log_one_sided(d, s, self.scale)
        return np.clip(ndtr(d / s) - np.exp(above), 0.0, 1.0)

    def draw(self, f: Array, rng: np.random.Generator) -> Array:
        """Draw targets given f, elementwise."""
        edge = f + self.softness * rng.standard_normal(f.shape)
        return edge + rng.exponential(self.scale, f.shape)
