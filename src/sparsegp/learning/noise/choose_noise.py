"""Which noise a table has, by the density of rows that were kept back.

Small models with the same kernel and the same basis, one of each kind of noise, are fitted and
calibrated on two thirds of some of the rows and foretell the rest. Another noise than the plain
one is taken if it foretells clearly better: by more than chance, and by more than a trifle.
"""

from collections.abc import Callable

import numpy as np

from sparsegp.arrays import n_threads, parallel_map, to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.conditioning import settle_rows
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.objectives import EVIDENCE
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.noise_models import (
    SHORT_SEARCH,
    HomoscedasticNoise,
    NoiseModel,
    calibrate_noise,
    noise_model,
    noise_of,
)
from sparsegp.learning.settings import GAUSSIAN, NOISES, Settings
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["choose_noise"]

# Rows that are looked at, of which a third judges, and basis vectors; with less than the fewest
# rows nothing can be told from chance.
ROWS_TO_CHOOSE, FEWEST_ROWS = 3_000, 500
BASIS_TO_CHOOSE = 200
N_TURNS = 6
# Another noise must gain so many standard errors, and so many nats a row.
STANDARD_ERRORS, LEAST_GAIN = 2.0, 0.025
# Of the time that there is, if there is a limit.
SHARE_OF_CHOICE = 0.15


def choose_noise(
    rows: AnyRows,
    parameters: Parameters,
    start: Parameters,
    settings: Settings,
    context: FitContext,
) -> NoiseModel:
    """Return the noise of the highest density, the plain one if none is clearly better."""
    phase, history = "choice of noise", context.history
    if len(rows) < FEWEST_ROWS or not settings.optimise:
        history.note(phase, chosen=GAUSSIAN, n_rows=0)
        return HomoscedasticNoise()
    order = context.rng.permutation(len(rows))[:ROWS_TO_CHOOSE]
    n_judges = len(order) // 3
    judges, seen = rows.take(order[:n_judges]), rows.take(order[n_judges:])
    if not np.any(np.ptp(to_numpy(seen.y), axis=0) > 0.0):  # there are no errors to learn from
        history.note(phase, chosen=GAUSSIAN, n_rows=0)
        return HomoscedasticNoise()

    def predicted(kind: str) -> tuple[Vector, NoiseModel]:
        return _predicted(kind, seen, judges, parameters, start, settings, context)

    if context.budget.limited:
        found = _while_there_is_time(predicted, phase, context.budget)
    else:  # side by side: only one of them draws random numbers
        found = dict(zip(NOISES, parallel_map(predicted, NOISES, n_threads()), strict=True))
    densities = {kind: density for kind, (density, _) in found.items()}
    count = np.ones(n_judges) if judges.weight is None else to_numpy(judges.weight)
    means = {kind: float(np.average(d, weights=count)) for kind, d in densities.items()}
    best = max(means, key=lambda kind: means[kind])
    gain, error = _mean_and_error(densities[best] - densities[GAUSSIAN], count)
    chosen = best if gain > max(STANDARD_ERRORS * error, LEAST_GAIN) else GAUSSIAN
    history.note(
        phase, chosen=chosen, n_rows=n_judges, log_density=means, gain=gain, standard_error=error
    )
    return found[chosen][1]


def _while_there_is_time(
    predicted: Callable[[str], tuple[Vector, NoiseModel]], phase: str, budget: TimeBudget
) -> dict[str, tuple[Vector, NoiseModel]]:
    """Return what comes of each kind of noise that there is time for, the plain one in any case.

    Others look at the rows several times, and take so many times as long.
    """
    own = budget.part(SHARE_OF_CHOICE)
    before = budget.left()
    found = {GAUSSIAN: predicted(GAUSSIAN)}
    seconds = (1 + N_TURNS) * (before - budget.left())
    for kind in (kind for kind in NOISES if kind != GAUSSIAN):
        if own.has(seconds):
            found[kind] = predicted(kind)
        else:
            budget.cut(phase, f"{kind} not tried")
    return found


def _mean_and_error(gain: Vector, count: Vector) -> tuple[float, float]:
    """Return the mean of gains (n,) and its standard error."""
    mean = float(np.average(gain, weights=count))
    variance = float(np.average((gain - mean) ** 2, weights=count))
    return mean, (variance / float(count.sum())) ** 0.5


def _predicted(
    kind: str,
    seen: Rows,
    judges: Rows,
    parameters: Parameters,
    start: Parameters,
    settings: Settings,
    context: FitContext,
) -> tuple[Vector, NoiseModel]:
    """Return the log density that a small model of this noise gives the judges: (n,), and it."""
    m = min(BASIS_TO_CHOOSE, settings.max_basis, len(seen) // 2)
    model = noise_model(kind, start, context.share(SHARE_OF_CHOICE), SHORT_SEARCH)
    turns = 0 if kind == GAUSSIAN else N_TURNS
    found = settle_rows(seen, seen.X[:m, :], parameters, settings.rule, EVIDENCE, model, turns)
    held_out, variance = found.rows[m : len(seen)], found.parameters.noise_variance
    left_out = leave_one_out(found.posterior, held_out, variance)
    scales = calibrate_noise(found.model, left_out, held_out, variance)
    noise = noise_of(found.model, scales, variance)
    mean, f_variance = scales.applied_to(found.posterior).mean_and_variance(judges.X)
    scale = np.sqrt(to_numpy(f_variance + noise.at(mean, judges.X)))[:, None]  # (n, 1)
    u = (to_numpy(judges.y) - to_numpy(mean)) / scale  # (n, p)
    return np.sum(noise.tails.log_density(u, scale), axis=1), found.model
