"""First hyperparameters: exact Gaussian processes on nested random subsets, coarse to fine.

The evidence of a few hundred rows already knows the length scales to within a factor. So
the search runs long on a small subset, where an evaluation takes milliseconds, and short on
larger ones, each starting where the last one ended.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sparsegp.exceptions import SparseGPError
from sparsegp.kernels.base import Vector
from sparsegp.learning.budget.cost_model import ROWS_TO_TIME, largest, of_rows, seconds_of_rows
from sparsegp.learning.budget.time_budget import IterationBudget, TimeBudget
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.early_stopping import MinGainStopping
from sparsegp.learning.hyperparameters.length_scale_prior import with_prior, without_prior
from sparsegp.learning.hyperparameters.optimise import Objective, Optimum, maximise_from_several
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model.exact import exact_evidence_and_gradient, exact_log_evidence
from sparsegp.tables.index_sampling import draw
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["SHORT_STAGES", "SUBSET_STAGES", "exact_objective", "first_parameters"]

#: Rows of each subset, and how many evaluations of the evidence it is worth.
SUBSET_STAGES = ((250, 60), (500, 50), (1000, 40), (2000, 4))
#: The same for labels and for the first rows of a stream, which later searches go on from.
SHORT_STAGES = ((250, 60), (500, 40), (700, 20))

#: The same after a head start: 10 evaluations of 1,000 rows before it made no model better (seven
#: sets, two seeds). A table of no more rows than that gets a longer search.
LATE_STAGES = ((2000, 5),)
FEW_ROWS, EVALUATIONS_OF_FEW = 1000, 20

#: A stage whose last evaluations gained more than this each, in log evidence a row, goes on, for up
#: to so many. Functions without noise need it: five evaluations leave bike 3 nats a row behind.
WORTH_MORE, MOST_EVALUATIONS = 0.02, 30

# How far, as a factor, a stage may begin from the very start, unless its rows are less likely there
# by so much a row: a function without noise that is linear in some columns has length scales far
# out, and without them bike began 3 behind and once stayed there.
FORGOTTEN, FAR_LIKELIER = 5.0, 0.5

# Fewer rows are explained by the parameters alone, and lead a search astray.
ROWS_PER_PARAMETER = 30

# With a limit of time: a stage begins only if there is time for so many evaluations, and the first
# one is made smaller for that, but no smaller than the fewest rows.
FEWEST_EVALUATIONS = 8
FEWEST_ROWS = 100


def exact_objective(rows: Rows) -> Objective[Parameters]:
    """Return the exact log evidence of the rows as a function of the parameters."""

    def objective(parameters: Parameters) -> tuple[float, Vector]:
        value, by_theta, by_log_noise = exact_evidence_and_gradient(
            parameters.kernel, rows, parameters.noise_variance, quick=True
        )
        return value, parameters.gradient(by_theta, by_log_noise)

    return objective


def first_parameters(
    rows: AnyRows,
    start: Parameters,
    context: FitContext,
    *,
    n_restarts: int = 0,
    stages: Sequence[tuple[int, int]] = SUBSET_STAGES,
    warm_start: Parameters | None = None,
    length_scale_prior: bool = False,
) -> list[Optimum[Parameters]]:
    """Return the optimum of each stage; the last one is the answer.

    Restarts happen on the smallest subset only. Stages larger than the table are one stage.
    A stage goes on from the last optimum, with two reservations. Few rows may have been taken
    for noise: if its own rows find the start more likely, it begins there. And few rows may
    have declared a column irrelevant, out where the evidence is flat and no search comes back
    from: kernel parameters begin no further from the start than a factor FORGOTTEN, unless its
    rows would be far less likely then.
    A head start, found by some of the rows before, takes the place of the first stages; it has won
    against others, and the start is not asked. A stage has its evaluations, and more while they
    gain much. Without time for anything the answer is where it would begin. If length scales are
    expected to be usual ones (``length_scale_prior``), that counts in the searches.
    """
    stages = stages if warm_start is None else _late(stages, len(rows))
    enough = ROWS_PER_PARAMETER * len(start.vector)
    stages = [stage for stage in stages if stage[0] >= enough] or stages[-1:]
    optima: list[Optimum[Parameters]] = []
    budget = context.budget
    some = draw(len(rows), max(FEWEST_ROWS, stages[-1][0]), context.rng)
    most = rows.take(some)  # far rows are fetched once
    clocked = _Clocked(budget, most[: min(ROWS_TO_TIME, len(most))], start)
    last = warm_start
    for size, max_evaluations in stages:
        used = clocked.affordable(min(size, len(rows)), first=not optima)
        if not used:
            break
        # all rows keep their own order: then nothing depends on the permutation
        subset = rows.load() if used == len(rows) else most[:used]
        phase = f"hyperparameters on {used} rows"
        first = start if last is None else _tempered(subset, start, last)
        first = _likelier(subset, start, first) if optima else first
        iterations, again = budget.iterations(), 0 if optima else n_restarts
        found = _search(
            subset,
            first,
            again,
            max_evaluations,
            phase,
            context,
            iterations,
            length_scale_prior,
        )
        optima.append(found)
        last = found.parameters
        clocked.learn(used, iterations.seconds)
        iterations.note(phase, found.n_evaluations)
        context.history.note_optimum(phase, found)
        if used == len(rows):
            break
    return optima or [Optimum(last or start, -np.inf, 0, 0, converged=False)]


def _late(stages: Sequence[tuple[int, int]], n_rows: int) -> Sequence[tuple[int, int]]:
    """Return the stages after a head start, none larger than the largest of those without one."""
    largest_stage = max(size for size, _ in stages)
    few = min(FEW_ROWS, largest_stage)
    if n_rows <= few:
        return [(few, EVALUATIONS_OF_FEW)]
    return [stage for stage in LATE_STAGES if stage[0] <= largest_stage] or stages[-1:]


class _Clocked:
    """Tells how many rows a stage can afford, by how long evaluations took so far."""

    def __init__(self, budget: TimeBudget, few: Rows, start: Parameters) -> None:
        self._budget = budget
        self._seconds: Callable[[int], float] = lambda n: 0.0
        if budget.limited and budget.has():
            evaluate = partial(exact_objective(few), start)
            self._seconds = seconds_of_rows(evaluate, max(len(few), 1), budget)

    def learn(self, n: int, seconds: float) -> None:
        """Remember how long an evaluation with n rows took, if it was seen to take time."""
        if seconds > 0.0:
            self._seconds = of_rows(seconds, n)

    def affordable(self, wanted: int, *, first: bool) -> int:
        """Return how many rows a stage has, 0 if there is no time for it."""
        each = self._budget.left() / FEWEST_EVALUATIONS
        n = largest(wanted, self._seconds, each)
        if n < wanted and (not first or n < FEWEST_ROWS):
            self._budget.cut(f"hyperparameters on {wanted} rows", "left out")
            return 0
        if n < wanted:
            self._budget.cut(f"hyperparameters on {wanted} rows", f"on {n} rows")
        return n


def _tempered(rows: Rows, start: Parameters, last: Parameters) -> Parameters:
    """Return the last optimum without its extremes; with them if it would be lost without."""
    begin, end = start.kernel.theta, last.kernel.theta
    theta = np.clip(end, begin - np.log(FORGOTTEN), begin + np.log(FORGOTTEN))
    if np.array_equal(theta, end):
        return last
    tempered = replace(last, kernel=last.kernel.with_theta(theta))
    return _likelier(rows, last, tempered, ahead=FAR_LIKELIER * rows.total_weight)


def _likelier(
    rows: Rows, other: Parameters, usual: Parameters, *, ahead: float = 0.0
) -> Parameters:
    """Return the other if its evidence is so far ahead; the usual if not, or if none can tell."""
    try:
        of_other, of_usual = (
            exact_log_evidence(each.kernel, rows, each.noise_variance, quick=True)
            for each in (other, usual)
        )
        return other if of_other > of_usual + ahead else usual
    except SparseGPError:
        return usual


def _search(
    rows: Rows,
    first: Parameters,
    n_restarts: int,
    n_evaluations: int,
    phase: str,
    context: FitContext,
    iterations: IterationBudget,
    length_scale_prior: bool,
) -> Optimum[Parameters]:
    """Search from one point, for more evaluations if it pays, or from several as planned."""
    objective, scale = exact_objective(rows), max(rows.total_weight, 1.0)
    pays = MinGainStopping(iterations, n_evaluations, WORTH_MORE * scale)

    def tell(step: int, value: float) -> None:
        pays.lowest = value
        context.listener(Progress(phase, step, max(step, n_evaluations), value))

    found = maximise_from_several(
        with_prior(objective) if length_scale_prior else objective,
        first,
        n_restarts,
        context.rng,
        max_evaluations=n_evaluations if n_restarts else max(n_evaluations, MOST_EVALUATIONS),
        scale=scale,
        tell=tell,
        go_on=iterations if n_restarts else pays,
    )
    return without_prior(found) if length_scale_prior else found
