"""Which kind of noise a table has, by the predictive density of held-out rows.

Small models with the same kernel and the same basis, one for each kind of noise, are fitted and
calibrated on two thirds of some of the rows and predict the rest. Another noise than the Gaussian
one is taken if its density is clearly higher: by more than chance, and by more than a little.
"""

from collections.abc import Callable

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
from sparsegp.learning.settings import GAUSSIAN, NOISES, Settings
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

    def predicted(kind: str) -> tuple[Vector, NoiseModel]:
        return _predicted(kind, seen, held_out, parameters, start, settings, context)

    if context.budget.limited:
        found = _within_time(predicted, context.budget)
    else:  # in parallel: only one of them draws random numbers
        found = dict(zip(NOISES, parallel_map(predicted, NOISES, n_threads()), strict=True))
    densities = {kind: density for kind, (density, _) in found.items()}
    count = np.ones(n_held_out) if held_out.weight is None else to_numpy(held_out.weight)
    means = {kind: float(np.average(d, weights=count)) for kind, d in densities.items()}
    best = max(means, key=lambda kind: means[kind])
    gain, error = mean_and_error(densities[best] - densities[GAUSSIAN], count)
    needed = max(policy.MIN_STANDARD_ERRORS * error, policy.MIN_GAIN_PER_ROW)
    chosen = best if gain > needed else GAUSSIAN
    history.note(
        Phase.NOISE_CHOICE,
        chosen=chosen,
        n_rows=n_held_out,
        log_density=means,
        gain=gain,
        standard_error=error,
    )
    return found[chosen][1]


def _within_time(
    predicted: Callable[[str], tuple[Vector, NoiseModel]], budget: TimeBudget
) -> dict[str, tuple[Vector, NoiseModel]]:
    """Return the density of each kind of noise that there is time for, Gaussian in any case.

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
) -> tuple[Vector, NoiseModel]:
    """Return the log density of held-out rows under a small model of this noise: (n,), and it."""
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
    u = (to_numpy(held_out.y) - to_numpy(mean)) / scale  # (n, p)
    return np.sum(noise.tails.log_density(u, scale), axis=1), found.noise
