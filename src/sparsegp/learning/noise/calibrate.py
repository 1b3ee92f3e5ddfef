"""Calibrated error bars: two scales on the predictive variance, set by leave-one-out density.

In a sparse model the noise has absorbed part of what the basis does not explain, and adding the
residual variance d = k − q counts that part twice. So the predictive variance becomes

    τ·d + a·(h + σ²),

with h the variance of the weights, and the scales a and τ maximise the leave-one-out density of
training rows (Geisser's surrogate). These rows should be held out of basis selection: for
candidates d is smaller than for a new row.

The noise may also depend on the predicted mean (``model.noise``): two more numbers, with a standard
normal prior, which are kept if they raise the density by more than BIC requires. It may be known to
change with the inputs, and the density may be Student's t, whose degrees of freedom are then found
together with the scales.

Where errors are tiny for most rows and large for some, no such density has their shape, and the
best one covers too few of them. Then all variances grow by the factor with which 95 % intervals
cover enough of the rows: coverage takes precedence over density.
"""

from dataclasses import dataclass, field, replace
from math import exp, log, pi, sqrt

import numpy as np
from scipy.optimize import minimize, minimize_scalar

from sparsegp.arrays import to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.noise import policy
from sparsegp.model.leave_one_out.predictions import LeftOut
from sparsegp.model.noise.distribution import NORMAL, NoiseDistribution
from sparsegp.model.noise.predictive import LOG_LIMIT, MeanDependentNoise
from sparsegp.model.noise.student_t_em import FEWEST_DF, MOST_DF, log_student
from sparsegp.model.posterior import Posterior

__all__ = ["Calibration", "calibrate", "common_scale", "log_densities"]


@dataclass(frozen=True)
class Calibration:
    """Scales on the parts of the predictive variance."""

    noise: float = 1.0  # a, on h + σ²
    residual: float = 1.0  # τ, on d
    level: MeanDependentNoise = field(default_factory=MeanDependentNoise)
    tails: NoiseDistribution = NORMAL

    @property
    def vector(self) -> Vector:
        """Log a, log τ, slope and curvature: (4,)."""
        level = self.level
        return np.array([log(self.noise), log(self.residual), level.slope, level.curvature])

    def applied_to(self, posterior: Posterior) -> Posterior:
        """Return the posterior with scaled variances."""
        return replace(posterior, weight_scale=self.noise, residual_scale=self.residual)


def common_scale(left_out: LeftOut, variance: float) -> float:
    """Return the one scale on the whole variance of the highest leave-one-out density."""
    v = to_numpy(left_out.residual) + to_numpy(left_out.weights) + variance  # (n,)
    square = np.mean(to_numpy(left_out.error) ** 2, axis=1)  # (n,), over the outputs
    scale = float(np.average(square / v, weights=to_numpy(left_out.count)))
    return scale if scale > 0.0 else 1.0


def calibrate(
    left_out: LeftOut,
    variance: float,
    around: float = 1.0,
    *,
    factor: Vector | None = None,
    tails: NoiseDistribution = NORMAL,
    may_find_tails: bool = False,
) -> Calibration:
    """Return the scales of the highest leave-one-out density with enough coverage.

    Parameters
    ----------
    left_out : LeftOut
    variance : float
        Of the noise.
    around : float
        Where the search for the scales starts.
    factor : ndarray (n,), optional
        On the noise variance at each row.
    tails : NoiseDistribution
        If it has degrees of freedom, they are found too.
    may_find_tails : bool
        Whether Student's t may replace a normal density, if the density gains by it.
    """
    problem = _Density.of(left_out, variance, factor)
    if tails.df is not None:
        return _with_coverage(_with_df(problem, left_out, around)[0], problem, left_out)
    normal, loss = _calibrated(problem, left_out, around)
    if not may_find_tails:
        return _with_coverage(normal, problem, left_out)
    heavy, loss_with_df = _with_df(problem, left_out, around, normal)
    gain = problem.n * (loss - loss_with_df)
    likelier = heavy if gain > policy.MIN_GAIN_OF_STUDENT_T * log(problem.n) else normal
    return _with_coverage(likelier, problem, left_out)


def log_densities(
    left_out: LeftOut, variance: float, scales: Calibration, factor: Vector | None = None
) -> Vector:
    """Return the log densities of the rows at these scales, over all outputs: (n,).

    ``factor`` (n,) is on the noise variance at each row.
    """
    problem = _Density.of(left_out, variance, factor)
    problem = problem.at_level(scales.level.standard(to_numpy(left_out.mean)[:, 0]))
    deviation = np.sqrt(problem.variances(scales.vector)[0])[:, None]  # (n, 1)
    u = to_numpy(left_out.error) / deviation  # (n, p)
    return np.sum(scales.tails.log_density(u, deviation), axis=1)


def _with_coverage(found: Calibration, problem: "_Density", left_out: LeftOut) -> Calibration:
    """Return the scales, larger if intervals cover too few rows."""
    problem = problem.at_level(found.level.standard(to_numpy(left_out.mean)[:, 0]))
    deviation = np.sqrt(problem.variances(found.vector)[0])[:, None]  # (n, 1)
    error = np.abs(to_numpy(left_out.error)) / deviation  # (n, p)
    share = np.broadcast_to(problem.share[:, None], error.shape).ravel() / error.shape[1]
    order = np.argsort(error, axis=None)
    enough = int(np.searchsorted(np.cumsum(share[order]), _lowest_coverage(problem.n)))
    needed = float(error.ravel()[order[min(enough, len(order) - 1)]])
    reached = float(found.tails.quantile(np.array([0.5 + 0.5 * policy.INTERVAL]))[0])
    factor = max(1.0, (needed / reached) ** 2)
    return replace(found, noise=factor * found.noise, residual=factor * found.residual)


def _lowest_coverage(n: float) -> float:
    """Return the share of n rows that intervals must cover, or chance does not explain the rest.

    >>> round(_lowest_coverage(3_000), 3), round(_lowest_coverage(100), 3)
    (0.942, 0.906)
    """
    error = sqrt(policy.INTERVAL * (1.0 - policy.INTERVAL) / n)
    return policy.INTERVAL - policy.COVERAGE_STANDARD_ERRORS * error


def _with_df(
    problem: "_Density", left_out: LeftOut, around: float, first: Calibration | None = None
) -> tuple[Calibration, float]:
    """Return the best scales and degrees of freedom, and minus their mean log density.

    Every search for scales starts at the last result, the first at those of a normal density.
    """
    last = first

    def with_df(log_df: float) -> tuple[Calibration, float]:
        nonlocal last
        last, loss = _calibrated(replace(problem, df=exp(log_df)), left_out, around, last)
        return last, loss

    limits, options = (log(FEWEST_DF), log(MOST_DF)), {"xatol": policy.LOG_DF_TOLERANCE}
    best = minimize_scalar(
        lambda at: with_df(at)[1], bounds=limits, method="bounded", options=options
    )
    scales, loss = with_df(best.x)
    return replace(scales, tails=NoiseDistribution(exp(best.x))), loss


def _calibrated(
    problem: "_Density", left_out: LeftOut, around: float, last: Calibration | None = None
) -> tuple[Calibration, float]:
    """Return the best scales, and minus their mean log density; the search starts at ``last``."""
    limits = [(log(around) - policy.MAX_LOG_SCALE, log(around) + policy.MAX_LOG_SCALE)] * 2
    start = np.array([log(around), log(around), 0.0, 0.0]) if last is None else last.vector
    even = _search(problem, start * [1, 1, 0, 0], [*limits, (0.0, 0.0), (0.0, 0.0)])
    best, level = even, MeanDependentNoise()
    found = _levels(left_out, problem)
    if found is not None:
        level = found
        problem = problem.at_level(level.standard(to_numpy(left_out.mean)[:, 0]))
        steep = (-policy.MAX_SLOPE, policy.MAX_SLOPE)
        uneven = _search(problem, even + start * [0, 0, 1, 1], [*limits, steep, steep])
        gain = problem.n * (problem.loss(even)[0] - problem.loss(uneven)[0])
        if gain > log(problem.n):  # ½ log n for each of the two
            best = uneven
    a, tau = map(float, np.exp(best[:2]))
    level = replace(level, slope=float(best[2]), curvature=float(best[3]))
    return Calibration(a, tau, level), problem.loss(best)[0]


def _levels(left_out: LeftOut, problem: "_Density") -> MeanDependentNoise | None:
    """Return the range of predicted means; None if they hardly differ, or with several outputs."""
    if left_out.mean.shape[1] > 1:
        return None
    mean, count = to_numpy(left_out.mean)[:, 0], to_numpy(left_out.count)
    low, high = np.quantile(mean, policy.MEAN_QUANTILES)
    centre = np.average(mean, weights=count)
    deviation = np.sqrt(np.average((mean - centre) ** 2, weights=count))
    error = float(np.sqrt(problem.share @ problem.square))
    if not deviation > policy.MIN_DEVIATION_OF_MEANS * error:
        return None
    return MeanDependentNoise(0.0, 0.0, float(centre), float(deviation), float(low), float(high))


@dataclass(frozen=True)
class _Density:
    """The leave-one-out density as a function of log a, log τ, slope and curvature."""

    square: Vector  # (n,), squared errors, averaged over the outputs
    d: Vector  # (n,)
    h: Vector  # (n,)
    share: Vector  # (n,), adds up to one
    n: float
    variance: Vector | float  # of the noise
    t: Vector  # (n,), standardised means
    n_outputs: int
    df: float | None = None  # of Student's t; None: normal

    @classmethod
    def of(cls, left_out: LeftOut, variance: float, factor: Vector | None = None) -> "_Density":
        count = to_numpy(left_out.count)
        square = np.mean(to_numpy(left_out.error) ** 2, axis=1)
        d, h = to_numpy(left_out.residual), to_numpy(left_out.weights)
        total = float(count.sum())
        own = variance if factor is None else variance * factor
        n_outputs = left_out.error.shape[1]
        return cls(square, d, h, count / total, total, own, np.zeros(len(d)), n_outputs)

    def at_level(self, t: Vector) -> "_Density":
        return replace(self, t=t)

    def loss(self, at: Vector) -> tuple[float, Vector]:
        """Return minus the mean log density, with the prior on the level, and its gradient."""
        a, tau = np.exp(at[:2])
        t, t_2 = self.t, self.t**2 - 1.0
        v, noise = self.variances(at)
        inside = np.abs(at[2] * t + at[3] * t_2) < LOG_LIMIT
        value, by_v = self._by_variance(v)
        by_exponent = a * by_v * noise * inside
        gradient = [a * (by_v @ (self.h + noise)), tau * (by_v @ self.d)]
        gradient += [by_exponent @ t + at[2] / self.n, by_exponent @ t_2 + at[3] / self.n]
        return float(value + 0.5 * (at[2] ** 2 + at[3] ** 2) / self.n), np.array(gradient)

    def variances(self, at: Vector) -> tuple[Vector, Vector]:
        """Return the predictive variances, and the noise in them before it is scaled: (n,)."""
        a, tau = np.exp(at[:2])
        exponent = at[2] * self.t + at[3] * (self.t**2 - 1.0)
        noise = self.variance * np.exp(np.clip(exponent, -LOG_LIMIT, LOG_LIMIT))
        return tau * self.d + a * (self.h + noise), noise

    def _by_variance(self, v: Vector) -> tuple[float, Vector]:
        """Return minus the mean log density, and its derivatives by the variances (n,)."""
        if self.df is None:
            value = 0.5 * self.share @ (np.log(2.0 * pi * v) + self.square / v)
            return float(value), 0.5 * self.share * (1.0 - self.square / v) / v
        p, df = self.n_outputs, self.df
        value = -(self.share @ log_student(p * self.square, v, df, p)) / p
        ratio = self.square / v
        by_v = 0.5 * self.share * (1.0 - (df + p) * ratio / (df + p * ratio)) / v
        return float(value), by_v


def _search(problem: _Density, start: Vector, bounds: list[tuple[float, float]]) -> Vector:
    return minimize(problem.loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
