"""Which kind of noise a table has, by the predictive density of held-out rows.

Small models with the same kernel and the same basis, one for each kind of noise, are fitted and
calibrated on two thirds of some of the rows and predict the rest. Another noise than the Gaussian
one is taken if its density is clearly higher: by more than chance, and by more than a little.

The weights of Student's t follow the errors and move the mean where these are skewed: of a target
that is zero in most rows (visits, claims) it takes the others for outliers and predicts too little.
Its density is high, but a prediction has to be the mean: if its errors are not zero on average, and
that costs accuracy, it is not taken.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import n_threads, parallel_map, to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.conditioning import condition_reweighted
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.objectives import EVIDENCE
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise import policy
from sparsegp.learning.noise.noise_models import (
    HomoscedasticNoise,
    NoiseModel,
    calibrate_noise,
    noise_model,
    predictive_noise,
)
from sparsegp.learning.settings import GAUSSIAN, NOISES, STUDENT_T, Settings
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["choose_noise", "mean_and_error"]


def choose_noise(
    rows: AnyRows,
    parameters: Parameters,
    start: Parameters,
    settings: Settings,
    context: FitContext,
) -> NoiseModel:
    """Return the noise of the highest density, the Gaussian one if none is clearly better."""
    history = context.history
    if len(rows) < policy.MIN_ROWS_FOR_NOISE_CHOICE or not settings.optimise:
        history.note(Phase.NOISE_CHOICE, chosen=GAUSSIAN, n_rows=0)
        return HomoscedasticNoise()
    order = context.rng.permutation(len(rows))[: policy.ROWS_FOR_NOISE_CHOICE]
    n_held_out = len(order) // 3
    held_out = rows.take(order[:n_held_out]).to_host()
    seen = rows.take(order[n_held_out:]).to_host()
    if not np.any(np.ptp(to_numpy(seen.y), axis=0) > 0.0):  # there are no errors to learn from
        history.note(Phase.NOISE_CHOICE, chosen=GAUSSIAN, n_rows=0)
        return HomoscedasticNoise()

    def predicted(kind: str) -> _HeldOutErrors:
        return _predicted(kind, seen, held_out, parameters, start, settings, context)

    if context.budget.limited:
        found = _within_time(predicted, context.budget)
    else:  # in parallel: only one of them draws random numbers
        found = dict(zip(NOISES, parallel_map(predicted, NOISES, n_threads()), strict=True))
    count = np.ones(n_held_out) if held_out.weight is None else to_numpy(held_out.weight)
    means = {kind: float(np.average(each.density, weights=count)) for kind, each in found.items()}
    biased = [STUDENT_T] if STUDENT_T in found and found[STUDENT_T].is_biased else []
    best = max((kind for kind in means if kind not in biased), key=lambda kind: means[kind])
    gain, error = mean_and_error(found[best].density - found[GAUSSIAN].density, count)
    needed = max(policy.MIN_STANDARD_ERRORS * error, policy.MIN_GAIN_PER_ROW)
    chosen = best if gain > needed else GAUSSIAN
    history.note(
        Phase.NOISE_CHOICE,
        chosen=chosen,
        n_rows=n_held_out,
        log_density=means,
        gain=gain,
        standard_error=error,
        **({"biased": biased} if biased else {}),
    )
    return found[chosen].noise


@dataclass(frozen=True)
class _HeldOutErrors:
    """How a small model of one kind of noise predicts rows that it has not seen."""

    density: Vector  # (n,), log densities of held-out rows
    errors: Vector  # (n', p), transformed targets less their means, also of rows left out in turn
    count: Vector  # (n',), weights of the errors
    noise: NoiseModel

    @property
    def is_biased(self) -> bool:
        """Whether errors of an output are not zero on average, beyond chance and at a cost.

        With the mean b and the variance s² of errors, the RMSE is √(s² + b²) in place of s.
        """
        costly = (1.0 + policy.COST_OF_BIAS) ** 2 - 1.0  # b²/s²
        for errors in self.errors.T:
            mean, error = mean_and_error(errors, self.count)
            variance = error**2 * float(self.count.sum())
            by_chance = abs(mean) <= policy.STANDARD_ERRORS_OF_BIAS * error
            if not by_chance and mean**2 > costly * variance:
                return True
        return False


def _within_time(
    predicted: Callable[[str], _HeldOutErrors], budget: TimeBudget
) -> dict[str, _HeldOutErrors]:
    """Return the errors of each kind of noise that there is time for, Gaussian in any case.

    The other kinds iterate over the rows, and take that many times as long.
    """
    own = budget.part(policy.SHARE_OF_NOISE_CHOICE)
    before = budget.left()
    found = {GAUSSIAN: predicted(GAUSSIAN)}
    seconds = (1 + policy.ITERATIONS_FOR_NOISE_CHOICE) * (before - budget.left())
    for kind in (kind for kind in NOISES if kind != GAUSSIAN):
        if own.has(seconds):
            found[kind] = predicted(kind)
        else:
            budget.cut(Phase.NOISE_CHOICE, f"{kind} not tried")
    return found


def mean_and_error(gain: Vector, count: Vector) -> tuple[float, float]:
    """Return the mean of gains (n,) and its standard error."""
    mean = float(np.average(gain, weights=count))
    variance = float(np.average((gain - mean) ** 2, weights=count))
    return mean, (variance / float(count.sum())) ** 0.5


def _predicted(
    kind: str,
    seen: Rows,
    held_out: Rows,
    parameters: Parameters,
    start: Parameters,
    settings: Settings,
    context: FitContext,
) -> _HeldOutErrors:
    """Predict held-out rows by a small model of this noise."""
    m = min(policy.BASIS_FOR_NOISE_CHOICE, settings.max_basis, len(seen) // 2)
    own = context.share(policy.SHARE_OF_NOISE_CHOICE)
    model = noise_model(kind, start, own, policy.SHORT_SEARCH)
    iterations = 0 if kind == GAUSSIAN else policy.ITERATIONS_FOR_NOISE_CHOICE
    found = condition_reweighted(
        seen, seen.X[:m, :], parameters, settings.rule, EVIDENCE, model, iterations
    )
    outside, variance = found.rows[m : len(seen)], found.parameters.noise_variance
    left_out = leave_one_out(found.posterior, outside, variance)
    scales = calibrate_noise(found.noise, left_out, outside, variance)
    noise = predictive_noise(found.noise, scales, variance)
    mean, f_variance = scales.applied_to(found.posterior).mean_and_variance(held_out.X)
    scale = np.sqrt(to_numpy(f_variance + noise.at(mean, held_out.X)))[:, None]  # (n, 1)
    error = to_numpy(held_out.y) - to_numpy(mean)  # (n, p)
    density = np.sum(noise.tails.log_density(error / scale, scale), axis=1)
    count = np.ones(len(error)) if held_out.weight is None else to_numpy(held_out.weight)
    errors = np.concatenate((to_numpy(left_out.error), error))
    counts = np.concatenate((to_numpy(left_out.count), count))
    return _HeldOutErrors(density, errors, counts, found.noise)
