"""First hyperparameters: exact Gaussian processes on nested random subsets, coarse to fine.

The evidence of a few hundred rows determines the length scales to within a factor. So the search
runs long on a small subset, where an evaluation takes milliseconds, and short on larger ones, each
starting where the last one ended.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from sparsegp.exceptions import SparseGPError
from sparsegp.kernels.base import Vector
from sparsegp.learning.budget import policy as budget_policy
from sparsegp.learning.budget.pass_cost import largest, power_law, time_exact_evidence
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters import policy
from sparsegp.learning.hyperparameters.early_stopping import MinGainStopping
from sparsegp.learning.hyperparameters.length_scale_prior import with_prior, without_prior
from sparsegp.learning.hyperparameters.optimise import Objective, Optimum, maximise_from_several
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.search_rows import rows_of_subsets
from sparsegp.learning.hyperparameters.shared_length_scales import log_prior
from sparsegp.model.exact import exact_evidence_and_gradient, exact_log_evidence
from sparsegp.tables.index_sampling import draw
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["exact_objective", "first_parameters"]


def exact_objective(rows: Rows) -> Objective[Parameters]:
    """Return the exact log evidence of the rows, with the prior of the hyperparameters if any."""

    def objective(parameters: Parameters) -> tuple[float, Vector]:
        value, by_theta, by_log_noise = exact_evidence_and_gradient(
            parameters.kernel, rows, parameters.noise_variance, quick=True
        )
        prior, by_prior = log_prior(parameters.kernel) if parameters.shared else (0.0, 0.0)
        return value + prior, parameters.gradient(by_theta + by_prior, by_log_noise)

    return objective


def first_parameters(
    rows: AnyRows,
    start: Parameters,
    context: FitContext,
    *,
    n_restarts: int = 0,
    stages: Sequence[tuple[int, int]] | None = None,
    warm_start: Parameters | None = None,
    length_scale_prior: bool = False,
) -> list[Optimum[Parameters]]:
    """Return the optimum of each stage; the last one is the result.

    A stage continues from the last optimum, with two exceptions. A small subset may have been taken
    for noise: if the rows of the stage find the start more likely, it begins there. And a small
    subset may have found a column irrelevant, where the evidence is flat and no gradient leads
    back: kernel parameters start within a factor of the initial ones, unless the rows are far less
    likely there.

    Parameters
    ----------
    rows : AnyRows
    start : Parameters
    context : FitContext
    n_restarts : int
        On the smallest subset only.
    stages : sequence of (rows, evaluations), optional
        Stages larger than the table are one stage. A stage has more evaluations while they gain
        much. Without time for any stage the result is the start.
    warm_start : Parameters, optional
        The optimum of some of the rows, which replaces the first stages and is preferred to the
        start.
    length_scale_prior : bool
        Whether the prior on length scales is part of the objective.
    """
    stages = policy.SUBSET_STAGES if stages is None else stages
    stages = stages if warm_start is None else _late(stages, len(rows))
    enough = policy.ROWS_PER_PARAMETER * len(start.vector)
    stages = [stage for stage in stages if stage[0] >= enough] or stages[-1:]
    optima: list[Optimum[Parameters]] = []
    some = draw(len(rows), max(policy.MIN_ROWS, stages[-1][0]), context.rng)
    short = warm_start is not None or stages[-1][0] <= policy.FEW_ROWS
    # out-of-core rows are fetched once
    most = rows_of_subsets(rows.take(some), len(rows), short=short)
    timed = _TimedStages(context.budget, most[: min(budget_policy.ROWS_TO_TIME, len(most))], start)
    last = warm_start
    for size, max_evaluations in stages:
        used = timed.affordable(min(size, len(rows)), first=not optima)
        if not used:
            break
        # all rows keep their own order: then nothing depends on the permutation
        subset = most[:used]
        if used == len(rows):
            subset = rows_of_subsets(rows.load(), len(rows), short=short)
        first = start if last is None else _tempered(subset, start, last)
        first = _likelier(subset, start, first) if optima else first
        restarts = 0 if optima else n_restarts
        found, seconds = _search(
            subset, first, restarts, max_evaluations, length_scale_prior, context
        )
        optima.append(found)
        last = found.parameters
        timed.learn(used, seconds)
        if used == len(rows):
            break
    return optima or [Optimum(last or start, -np.inf, 0, 0, converged=False)]


def _late(stages: Sequence[tuple[int, int]], n_rows: int) -> Sequence[tuple[int, int]]:
    """Return the stages after a warm start, none larger than the largest of those without one."""
    largest_stage = max(size for size, _ in stages)
    few = min(policy.FEW_ROWS, largest_stage)
    if n_rows <= few:
        return [(few, policy.EVALUATIONS_OF_FEW_ROWS)]
    return [stage for stage in policy.LATE_STAGES if stage[0] <= largest_stage] or stages[-1:]


class _TimedStages:
    """Tells how many rows a stage can afford, by how long evaluations took so far."""

    def __init__(self, budget: TimeBudget, few: Rows, start: Parameters) -> None:
        self._budget = budget
        self._seconds: Callable[[int], float] = lambda n: 0.0
        if budget.limited and budget.has():
            evaluate = partial(exact_objective(few), start)
            self._seconds = time_exact_evidence(evaluate, max(len(few), 1), budget)

    def learn(self, n: int, seconds: float) -> None:
        """Record how long an evaluation with n rows took, if that was measured."""
        if seconds > 0.0:
            self._seconds = power_law(seconds, n)

    def affordable(self, wanted: int, *, first: bool) -> int:
        """Return how many rows a stage has, 0 if there is no time for it."""
        each = self._budget.left() / policy.MIN_EVALUATIONS
        n = largest(wanted, self._seconds, each)
        label = Phase.SUBSET.label(f"{wanted} rows")
        if n < wanted and (not first or n < policy.MIN_ROWS):
            self._budget.cut(label, "left out")
            return 0
        if n < wanted:
            self._budget.cut(label, f"on {n} rows")
        return n


def _tempered(rows: Rows, start: Parameters, last: Parameters) -> Parameters:
    """Return the last optimum clipped towards the start; as it is, if that is far likelier."""
    begin, end, limit = start.kernel.theta, last.kernel.theta, np.log(policy.MAX_FACTOR_FROM_START)
    theta = np.clip(end, begin - limit, begin + limit)
    if np.array_equal(theta, end):
        return last
    tempered = replace(last, kernel=last.kernel.with_theta(theta))
    ahead = policy.FAR_LIKELIER_PER_ROW * rows.total_weight
    return _likelier(rows, last, tempered, ahead=ahead)


def _likelier(
    rows: Rows, other: Parameters, usual: Parameters, *, ahead: float = 0.0
) -> Parameters:
    """Return the other if its evidence is ahead by more than this; else, or on error, the usual."""
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
    length_scale_prior: bool,
    context: FitContext,
) -> tuple[Optimum[Parameters], float]:
    """Search from one point, longer if it pays, or from several; also return seconds a step."""
    objective, scale = exact_objective(rows), max(rows.total_weight, 1.0)
    iterations, detail = context.budget.iterations(), f"{len(rows)} rows"
    label = Phase.SUBSET.label(detail)
    pays = MinGainStopping(iterations, n_evaluations, policy.MIN_GAIN_PER_ROW * scale)
    longest = max(n_evaluations, policy.MAX_EXTENDED_EVALUATIONS)

    def tell(step: int, value: float) -> None:
        pays.lowest = value
        context.listener(Progress(label, step, max(step, n_evaluations), value))

    found = maximise_from_several(
        with_prior(objective) if length_scale_prior else objective,
        first,
        n_restarts,
        context.rng,
        max_evaluations=n_evaluations if n_restarts else longest,
        scale=scale,
        tell=tell,
        go_on=iterations if n_restarts else pays,
    )
    found = without_prior(found) if length_scale_prior else found
    iterations.note(label, found.n_evaluations)
    context.history.note_search(Phase.SUBSET, found, detail)
    return found, iterations.seconds
