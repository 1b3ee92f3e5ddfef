"""The shape of a predictive distribution: normal, or Student's t.

With scale s the target is z = μ + s·u, where u is a standard normal, or for ν degrees of freedom

    u = g/√λ,    g ~ N(0, 1),    λ ~ Gamma(ν/2, ν/2),

which is Student's t. Every row has its own λ, and an outlier a small one. The outputs of a row
share it, and each is marginally Student's t.
"""

from dataclasses import dataclass
from math import pi, sinh, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, ndtr, ndtri, stdtr, stdtrit

__all__ = ["FURTHEST_ARCSINH", "FURTHEST_NORMAL", "NORMAL", "PARTS", "NoiseDistribution"]

Floats = npt.NDArray[np.float64]

# Limits of integrals over u: a normal density is 10⁻¹⁸ there, and Student's t with 2.5 degrees of
# freedom has e⁻¹⁵ of its variance beyond e³⁰.
FURTHEST_NORMAL, FURTHEST_ARCSINH = 9.0, 30.0
# Boundaries of the intervals of integrals over Student's t, in arcsinh u.
PARTS = np.array([1.2, 3.0, 8.0])
# Nodes of each interval, for at least seven significant figures.
NODES_NORMAL, NODES_STUDENT = 32, 16
# Nodes of the trapezium rule over log λ, and minus the logarithm of a negligible integrand.
N_NODES, FLAT = 96, 30.0


@dataclass(frozen=True)
class NoiseDistribution:
    """The distribution of u: normal if ``df`` is None, else Student's t.

    >>> round(float(NoiseDistribution(4.0).quantile(np.array([0.975]))[0]), 3)
    2.776
    """

    df: float | None = None  # ν > 2

    def log_density(self, u: Floats, scale: Floats) -> Floats:
        """Return the log density of z, at a distance of u scales from its location."""
        if self.df is None:
            return -0.5 * u**2 - 0.5 * np.log(2.0 * pi * scale**2)
        return _log_student(u, self.df) - np.log(scale)

    def cdf(self, u: Floats) -> Floats:
        """Return the cumulative distribution at u."""
        return np.asarray(ndtr(u) if self.df is None else stdtr(self.df, u), dtype=np.float64)

    def quantile(self, probability: Floats) -> Floats:
        """Return the quantile u of a probability."""
        u = ndtri(probability) if self.df is None else stdtrit(self.df, probability)
        return np.asarray(u, dtype=np.float64)

    @property
    def n_nodes(self) -> int:
        """Nodes for each interval of an integral; the intervals of Student's t are short."""
        return NODES_NORMAL if self.df is None else NODES_STUDENT

    @property
    def deviation(self) -> float:
        """The standard deviation of u: √(ν/(ν − 2))."""
        return 1.0 if self.df is None else float((self.df / (self.df - 2.0)) ** 0.5)

    def covariance(self, scales: Floats) -> Floats:
        """Return the covariance of z (n, n) from that of the scales s·g; each row has its own λ."""
        if self.df is None:
            return scales
        root = np.exp(gammaln(0.5 * (self.df - 1.0)) - gammaln(0.5 * self.df))  # E λ^(−½), √(ν/2)
        joint = 0.5 * self.df * root**2 * scales
        joint[np.diag_indices_from(joint)] = self.deviation**2 * np.diagonal(scales)
        return joint

    def precisions(self, size: tuple[int, ...], rng: np.random.Generator) -> Floats:
        """Draw λ."""
        return np.ones(size) if self.df is None else rng.gamma(0.5 * self.df, 2.0 / self.df, size)

    def parts(self, ends: Floats) -> Floats:
        """Return the boundaries of intervals for integrals over u, in the x of ``at``: (k, n).

        ``ends`` (j, n) are boundaries that the integrand asks for, increasing, possibly infinite.
        """
        if self.df is None:
            return np.clip(ends, -FURTHEST_NORMAL, FURTHEST_NORMAL)
        x = np.arcsinh(np.clip(ends, -sinh(FURTHEST_ARCSINH), sinh(FURTHEST_ARCSINH)))
        own = np.concatenate((-PARTS, [0.0], PARTS))[:, None] + np.zeros(x.shape[1])
        return np.sort(np.concatenate((x, own)), axis=0)

    def at(self, x: Floats) -> tuple[Floats, Floats]:
        """Return u and its density in x; x = arcsinh u for the long tails of Student's t."""
        if self.df is None:
            return x, np.exp(-0.5 * x * x) / sqrt(2.0 * pi)
        u = np.sinh(x)
        return u, np.exp(_log_student(u, self.df)) * np.cosh(x)

    def mixture(self) -> list[tuple[float, float]]:
        """Return u as a mixture of normals: their standard deviations 1/√λ and weights."""
        if self.df is None:
            return [(1.0, 1.0)]
        half = 0.5 * self.df
        # t = log λ has the density exp(½ν (t − eᵗ)), with its peak at 0: see likelihoods.student_t
        reach = FLAT / half
        low, high = -(reach + (2.0 * reach) ** 0.5), np.log1p(reach + (2.0 * reach) ** 0.5)
        t = np.linspace(low, high, N_NODES)
        share = np.exp(half * (t - np.exp(t) + 1.0))
        return list(zip(np.exp(-0.5 * t).tolist(), (share / share.sum()).tolist(), strict=True))


#: The normal distribution.
NORMAL = NoiseDistribution()


def _log_student(u: Floats, df: float) -> Floats:
    constant = gammaln(0.5 * (df + 1.0)) - gammaln(0.5 * df) - 0.5 * np.log(pi * df)
    return constant - 0.5 * (df + 1.0) * np.log1p(u * u / df)
