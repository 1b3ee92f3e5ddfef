"""Calibrated error bars: two scales on the predictive variance, set by leave-one-out density.

In a sparse model the noise has absorbed part of what the basis does not explain, and adding the
residual variance d = k − q counts that part twice. So the predictive variance becomes

    τ·d + a·(h + σ²),

with h the variance of the weights, and the scales a and τ maximise the leave-one-out density of
training rows (Geisser's surrogate). These rows should be held out of basis selection: for
candidates d is smaller than for a new row.

Where the rows say nothing of τ, a prior holds it at the common scale (``error_density``). In an
exact process d is zero and no basis absorbs noise. With enough rows h then takes the place of d
(``LeftOut.of_exact_process``): τ scales the variance of f, a the noise alone.

The noise may also depend on the predicted mean (``model.noise``): two more numbers, with a standard
normal prior, which are kept if they raise the density by more than BIC requires. It may be known to
change with the inputs, and the density may be Student's t, whose degrees of freedom are then found
together with the scales, by Newton's method (``newton``).

Rows that calibrate tell little of errors that are rarer than one in their number, and a normal
density takes these for impossible. So of all degrees of freedom the fewest are taken that the rows
do not speak against: their density, over all rows, is a nat below the highest one.

Where errors are tiny for most rows and large for some, no such density has their shape, and the
best one covers too few of them. Then all variances grow by the factor with which 95 % intervals
cover enough of the rows: coverage takes precedence over density.
"""

from dataclasses import dataclass, field, replace
from math import exp, log, sqrt
from operator import itemgetter

import numpy as np
from scipy.optimize import brentq

from sparsegp.arrays import to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.noise import policy
from sparsegp.learning.noise.error_density import ErrorDensity
from sparsegp.learning.noise.newton import minimise
from sparsegp.model.leave_one_out.predictions import LeftOut
from sparsegp.model.noise.distribution import NORMAL, NoiseDistribution
from sparsegp.model.noise.predictive import MeanDependentNoise
from sparsegp.model.noise.student_t_em import FEWEST_DF, MOST_DF
from sparsegp.model.posterior import Posterior

FIRST_TAILS = NoiseDistribution(policy.FIRST_DF)

__all__ = ["Calibration", "calibrate", "common_scale", "log_densities"]


@dataclass(frozen=True)
class Calibration:
    """Scales on the parts of the predictive variance, and on the mean."""

    noise: float = 1.0  # a, on h + σ²
    residual: float = 1.0  # τ, on d
    level: MeanDependentNoise = field(default_factory=MeanDependentNoise)
    tails: NoiseDistribution = NORMAL
    mean: float = 1.0  # below one where the mean follows the noise (``overfitted_mean``)

    @classmethod
    def at(cls, vector: Vector, level: MeanDependentNoise) -> "Calibration":
        """Return that of a ``vector``, and of log ν if that is in it too."""
        a, tau = map(float, np.exp(vector[:2]))
        level = replace(level, slope=float(vector[2]), curvature=float(vector[3]))
        tails = NoiseDistribution(exp(vector[4])) if len(vector) > 4 else NORMAL
        return cls(a, tau, level, tails)

    @property
    def vector(self) -> Vector:
        """Log a, log τ, slope and curvature: (4,)."""
        level = self.level
        return np.array([log(self.noise), log(self.residual), level.slope, level.curvature])

    def applied_to(self, posterior: Posterior) -> Posterior:
        """Return the posterior with scaled variances and means."""
        return replace(
            posterior,
            alpha=self.mean * posterior.alpha,
            beta=self.mean * posterior.beta,
            weight_scale=self.noise,
            residual_scale=self.residual,
        )


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
    cost_of_tails: float = 0.0,
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
        Whether Student's t may replace a normal density.
    cost_of_tails : float
        What heavier tails than the likeliest may cost, in nats over all rows.
    """
    problem = ErrorDensity.of(left_out, variance, factor, around)
    middle = Calibration(around, around)
    if tails.df is not None:
        start = replace(middle, tails=tails)
        return _with_coverage(_likeliest(problem, left_out, middle, start)[0], problem, left_out)
    normal, loss = _likeliest(problem, left_out, middle, middle)
    if not may_find_tails or not np.any(problem.square):  # without errors there are no tails
        return _with_coverage(normal, problem, left_out)
    start = replace(normal, tails=FIRST_TAILS)
    heavy, loss_with_df = _likeliest(problem, left_out, middle, start)
    best, loss = min(((normal, loss), (heavy, loss_with_df)), key=itemgetter(1))
    if cost_of_tails > 0.0:
        best = _with_heaviest_tails(best, problem, left_out, loss + cost_of_tails / problem.n)
    return _with_coverage(best, problem, left_out)


def log_densities(
    left_out: LeftOut, variance: float, scales: Calibration, factor: Vector | None = None
) -> Vector:
    """Return the log densities of the rows at these scales, over all outputs: (n,).

    ``factor`` (n,) is on the noise variance at each row.
    """
    problem = ErrorDensity.of(left_out, variance, factor)
    problem = problem.at_level(scales.level.standard(to_numpy(left_out.mean)[:, 0]))
    deviation = np.sqrt(problem.variances(scales.vector)[0])[:, None]  # (n, 1)
    u = to_numpy(left_out.error) / deviation  # (n, p)
    return np.sum(scales.tails.log_density(u, deviation), axis=1)


def _with_coverage(found: Calibration, problem: ErrorDensity, left_out: LeftOut) -> Calibration:
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


def _with_heaviest_tails(
    best: Calibration, problem: ErrorDensity, left_out: LeftOut, highest: float
) -> Calibration:
    """Return the scales with the fewest degrees of freedom whose loss is not above the highest."""
    problem = problem.at_level(best.level.standard(to_numpy(left_out.mean)[:, 0]))

    def likeliest(log_df: float) -> tuple[Vector, float]:
        """Return the best scales at the same slope and curvature, and their loss."""
        middle = np.append(best.vector, log_df)
        reach = np.array([policy.MAX_LOG_SCALE, policy.MAX_LOG_SCALE, 0.0, 0.0, 0.0])
        return minimise(problem.expansion, middle, middle - reach, middle + reach)

    def excess(log_df: float) -> float:
        return likeliest(log_df)[1] - highest

    low, high = log(FEWEST_DF), log(best.tails.df or MOST_DF)
    if excess(high) > 0.0:
        return best
    if excess(low) > 0.0:
        low = float(brentq(excess, low, high))
    return Calibration.at(likeliest(low)[0], best.level)


def _likeliest(
    problem: ErrorDensity, left_out: LeftOut, middle: Calibration, start: Calibration
) -> tuple[Calibration, float]:
    """Return the best scales near the ``middle``, and minus their mean log density.

    If the ``start`` of the search has degrees of freedom, the best ones are found with the scales.
    """
    at = start.vector
    if start.tails.df is not None:
        at = np.append(at, log(start.tails.df))
    even = at.copy()
    even[2:4] = 0.0
    best, loss = _search(problem, even, middle, 0.0)
    level = _levels(left_out, problem)
    if level is not None:
        best[2:4] = at[2:4]
        on_levels = problem.at_level(level.standard(to_numpy(left_out.mean)[:, 0]))
        uneven, own = _search(on_levels, best, middle, policy.MAX_SLOPE)
        best[2:4] = 0.0
        if problem.n * (loss - own) > log(problem.n):  # ½ log n for each of the two
            best, loss = uneven, own
    return Calibration.at(best, level or MeanDependentNoise()), loss


def _search(
    problem: ErrorDensity, start: Vector, middle: Calibration, steepest: float
) -> tuple[Vector, float]:
    """Return the best scales whose slope and curvature have a limit, and the loss there."""
    reach = np.array([policy.MAX_LOG_SCALE, policy.MAX_LOG_SCALE, steepest, steepest])
    low, high = middle.vector - reach, middle.vector + reach
    tails = len(start) - len(reach)  # 1 or 0
    low = np.append(low, [log(FEWEST_DF)] * tails)
    high = np.append(high, [log(MOST_DF)] * tails)
    return minimise(problem.expansion, start, low, high)


def _levels(left_out: LeftOut, problem: ErrorDensity) -> MeanDependentNoise | None:
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
