"""Noise of predictions: its variance, what that depends on, and its tails.

The variance is constant, or depends on the predicted mean: counts, prices and rates scatter more
where they are large, and proportions less near 0 and 1. With t the standardised predicted mean,

    σ²(t) = σ² exp(b t + c (t² − 1)),

constant beyond the range of means that it was learned on. It may also depend on the inputs
(``log_noise``), and its distribution may be Student's t (``tails``).
"""

from dataclasses import dataclass, field

from sparsegp.arrays import Array, add_to_diagonal, namespace
from sparsegp.arrays.placement import beside
from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.model.noise.log_noise_gp import LogNoiseGP
from sparsegp.model.policy import LOG_LIMIT

__all__ = ["LOG_LIMIT", "MeanDependentNoise", "Noise"]


@dataclass(frozen=True)
class MeanDependentNoise:
    """A factor on the noise variance that depends on the predicted mean; by default one.

    >>> import numpy as np
    >>> MeanDependentNoise(slope=1.0).factor(np.array([0.0, 1.0])).round(4)
    array([1.    , 2.7183])
    """

    slope: float = 0.0  # b
    curvature: float = 0.0  # c
    centre: float = 0.0
    scale: float = 1.0
    low: float = -1e300
    high: float = 1e300

    def standard(self, mean: Array) -> Array:
        """Return t for predicted means."""
        return (namespace(mean).clip(mean, self.low, self.high) - self.centre) / self.scale

    def factor(self, mean: Array) -> Array:
        """Return σ²(t)/σ² for predicted means (n,)."""
        xp = namespace(mean)
        if self.slope == 0.0 and self.curvature == 0.0:
            return xp.ones_like(mean)
        t = self.standard(mean)
        exponent = self.slope * t + self.curvature * (t * t - 1.0)
        return xp.exp(xp.clip(exponent, -LOG_LIMIT, LOG_LIMIT))


@dataclass(frozen=True)
class Noise:
    """The noise of predictions; ``variance`` is a squared scale if the tails are Student's t."""

    variance: float
    level: MeanDependentNoise = field(default_factory=MeanDependentNoise)
    log_noise: LogNoiseGP | None = None  # factors by the inputs
    tails: NoiseDistribution = field(default_factory=NoiseDistribution)

    @property
    def kind(self) -> str:
        """The name of the noise model, as in the estimators' options."""
        if self.log_noise is not None:
            return "heteroscedastic"
        return "gaussian" if self.tails.df is None else "student_t"

    def at(self, mean: Array, X: Array) -> Array:
        """Return the variance for predicted means (n, p) at inputs (n, D): (n,).

        Several outputs share one variance, which then does not depend on the mean.
        """
        level = self.level if mean.shape[1] == 1 else MeanDependentNoise()
        variance = self.variance * level.factor(mean[:, 0])
        if self.log_noise is None:
            return variance
        return variance * beside(self.log_noise.factor(X), like=variance)

    def added_to(self, covariance: Array, mean: Array, X: Array) -> Array:
        """Return the covariance (n, n) of targets from that of f; may overwrite it."""
        return add_to_diagonal(covariance, self.at(mean, X))
