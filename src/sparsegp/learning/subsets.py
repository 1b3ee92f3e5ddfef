"""First hyperparameters: exact Gaussian processes on nested random subsets, coarse to fine.

The evidence of a few hundred rows already knows the length scales to within a factor. So
the search runs long on a small subset, where an evaluation takes milliseconds, and short on
larger ones, each starting where the last one ended.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from sparsegp.data.rows import Rows
from sparsegp.exceptions import SparseGPError
from sparsegp.kernels.base import Vector
from sparsegp.learning.diary import Diary
from sparsegp.learning.optimise import Objective, Optimum, maximise_from_several
from sparsegp.learning.parameters import Parameters
from sparsegp.learning.progress import Listener, Progress, silent
from sparsegp.model.exact import exact_evidence_and_gradient

__all__ = ["SHORT_STAGES", "SUBSET_STAGES", "exact_objective", "first_parameters"]

#: Rows of each subset, and how many evaluations of the evidence it is worth.
SUBSET_STAGES = ((250, 60), (500, 50), (1000, 40), (2000, 4))
#: The same for labels and for the first rows of a stream, which later searches go on from.
SHORT_STAGES = ((250, 60), (500, 40), (1000, 15))

#: The same after a head start.
LATE_STAGES = ((1000, 20), (2000, 4))

# How far, as a factor, a stage may begin from the very start.
FORGOTTEN = 5.0

# Fewer rows are explained by the parameters alone, and lead a search astray.
ROWS_PER_PARAMETER = 30


def exact_objective(rows: Rows) -> Objective[Parameters]:
    """Return the exact log evidence of the rows as a function of the parameters."""

    def objective(parameters: Parameters) -> tuple[float, Vector]:
        value, by_theta, by_log_noise = exact_evidence_and_gradient(
            parameters.kernel, rows, parameters.noise_variance
        )
        return value, parameters.gradient(by_theta, by_log_noise)

    return objective


def first_parameters(
    rows: Rows,
    start: Parameters,
    rng: np.random.Generator,
    *,
    n_restarts: int = 0,
    stages: Sequence[tuple[int, int]] = SUBSET_STAGES,
    head_start: Parameters | None = None,
    listener: Listener = silent,
    diary: Diary | None = None,
) -> list[Optimum[Parameters]]:
    """Return the optimum of each stage; the last one is the answer.

    Restarts happen on the smallest subset only. Stages larger than the table are one stage.
    A stage goes on from the last optimum, with two reservations. Few rows may have been taken
    for noise: if its own rows find the start more likely, it begins there. And few rows may
    have declared a column irrelevant, out where the evidence is flat and no search comes back
    from: kernel parameters begin no further from the start than a factor FORGOTTEN.
    A head start, found by some of the rows before, takes the place of the first stages.
    """
    order = rng.permutation(len(rows))
    if head_start is not None:
        stages = LATE_STAGES
    enough = ROWS_PER_PARAMETER * len(start.vector)
    stages = [stage for stage in stages if stage[0] >= enough] or stages[-1:]
    optima: list[Optimum[Parameters]] = []
    last = head_start
    for size, max_evaluations in stages:
        used = min(size, len(rows))
        # all rows keep their own order: then nothing depends on the permutation
        subset = rows if used == len(rows) else rows.take(order[:used])
        objective = exact_objective(subset)
        phase = f"hyperparameters on {used} rows"
        first = start if last is None else _next_start(objective, start, last)
        found = maximise_from_several(
            objective,
            first,
            0 if optima else n_restarts,
            rng,
            max_evaluations=max_evaluations,
            scale=max(subset.total_weight, 1.0),
            tell=_teller(listener, phase, max_evaluations),
        )
        optima.append(found)
        last = found.parameters
        if diary is not None:
            diary.note_optimum(phase, found)
        if used == len(rows):
            break
    return optima


def _next_start(
    objective: Objective[Parameters], start: Parameters, last: Parameters
) -> Parameters:
    """Return the last optimum without its extremes, or the start if that is more likely."""
    begin, end = start.kernel.theta, last.kernel.theta
    theta = np.clip(end, begin - np.log(FORGOTTEN), begin + np.log(FORGOTTEN))
    tempered = replace(last, kernel=last.kernel.with_theta(theta))
    try:
        return start if objective(start)[0] > objective(tempered)[0] else tempered
    except SparseGPError:
        return tempered


def _teller(listener: Listener, phase: str, total: int) -> Callable[[int, float], None]:
    return lambda step, value: listener(Progress(phase, step, total, value))
