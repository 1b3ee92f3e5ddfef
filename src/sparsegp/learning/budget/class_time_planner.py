"""What a classifier has time for: how large a basis, by how many rows, and how long it may move.

As ``timetable`` for regression. The end of a fit, sites for all rows, is a loop that may end early,
but not after one sweep: a few are reserved for.
"""

from collections.abc import Callable

from sparsegp.learning.basis.active_set import ActiveSettings
from sparsegp.learning.budget.cost_model import largest, measure_cost_model
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_planner import FEWEST_ROWS, TimePlan
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.model.feature_rows import FeatureRows
from sparsegp.model.features import make_basis
from sparsegp.model.sites.inference import infer_sites
from sparsegp.model.sites.updates import Scheme
from sparsegp.selection.active_set import DEFAULT_CANDIDATES
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = [
    "basis_to_choose",
    "class_time_plan",
    "left_to_polish",
    "rows_at_the_end",
    "rows_to_choose",
    "rows_to_polish",
]

# Whatever the limit, a model has so many basis vectors: their sites are found one after another.
SMALLEST_BASIS = 16
# More is planned for than is timed: who runs out of time has sites for some of the rows only, which
# still happens (ringnorm, one fit in twenty: NLP 0.40, not 0.06).
CAUTION = 1.4
# Sweeps that are reserved for the sites of all rows, Newton's steps included; how many of them the
# shortest propagation has, which is what is timed; and how many there must be.
SWEEPS, SHORTEST = 8, 3
FEWEST_SWEEPS = 5
# Evaluations of the evidence that polishing should have time for, in sweeps, and a few propagations
# for the first slope; by so many rows if there are, which is better than fewer basis vectors.
SWEEPS_OF_EVALUATION, EVALUATIONS, SWEEPS_OF_SLOPE = 6, 30, 20
FEWEST_ROWS_TO_POLISH = 1_000
# A few basis vectors that move are better than many that stay, if they are not too few. Each of
# them needs so many rows, and a search for them may take longer than foreseen: more time is kept
# for the sites of all rows.
ROWS_OF_MOVED, FEWEST_MOVED, TO_FINISH_MOVED = 50, 40, 2.0
# Basis vectors with which kernel values and products take equally long: sites are found by several
# products.
EVEN = 256
# Of the time left, for the choice of the basis.
SHARE_OF_CHOICE = 0.3
FEWEST_ROWS_TO_CHOOSE = 2_000
# What a candidate costs in a step of the choice, in sweeps over the rows that choose.
SWEEPS_OF_CANDIDATE = 0.2


def class_time_plan(
    rows: AnyRows, parameters: ClassParameters, scheme: Scheme, budget: TimeBudget
) -> TimePlan:
    """Return what there is time for, at the pace of sites for some rows."""
    if not budget.limited or not budget.has():
        return TimePlan(budget, n_rows=len(rows), smallest=SMALLEST_BASIS)

    def sums(used: Rows, m: int) -> Callable[[], object]:
        basis, probits = make_basis(parameters.kernel, rows.X[:m, :]), parameters.probits
        return lambda: infer_sites(FeatureRows(basis, used), probits, scheme, go_on=lambda: False)

    def whole(used: Rows, m: int) -> object:
        return sums(used, m)()

    cost_model = measure_cost_model(sums, whole, rows, len(rows), budget, EVEN)
    cost_model = cost_model.times(CAUTION * SWEEPS / SHORTEST)
    return TimePlan(budget, cost_model, len(rows), smallest=SMALLEST_BASIS)


def to_polish(times: TimePlan, n: int, m: int) -> float:
    """Return the seconds that polishing m basis vectors by n rows should have."""
    sweeps = SWEEPS_OF_SLOPE + EVALUATIONS * SWEEPS_OF_EVALUATION
    return sweeps / SWEEPS * times.cost_model.of_pass(n, m)


def basis_to_choose(times: TimePlan, most: int, most_moved: int) -> int:
    """Return how many basis vectors to choose; up to so many can be moved."""

    def with_moving(m: int) -> float:
        n = min(max(FEWEST_ROWS_TO_POLISH, ROWS_OF_MOVED * m), times.n_rows)
        return TO_FINISH_MOVED * times.to_finish(m) + to_polish(times, n, m)

    def without(m: int) -> float:
        n = min(FEWEST_ROWS_TO_POLISH, times.n_rows)
        return times.to_finish(m) + 0.5 * to_polish(times, n, m)

    available = (1.0 - SHARE_OF_CHOICE) * times.budget.left()
    movable = min(most, most_moved)
    m = largest(movable, with_moving, available, SMALLEST_BASIS) if movable else 0
    if m < min(FEWEST_MOVED, most):
        m = largest(most, without, available, SMALLEST_BASIS)
    if m < most:
        times.budget.cut("selection", f"at most {m:,} of {most:,} basis vectors")
    return m


def rows_to_polish(times: TimePlan, n: int, m: int, *, moves: bool) -> int:
    """Return how many of n rows there is time for while m basis vectors are polished, or 0."""
    available = left_to_polish(times, m, moves=moves).left()
    found = largest(n, lambda n: to_polish(times, n, m), available)
    if found < min(FEWEST_ROWS_TO_POLISH, n) // 2:
        times.budget.cut("hyperparameters at the basis", "left out")
        return 0
    if found < n:
        times.budget.cut("hyperparameters at the basis", f"by {found:,} of {n:,} rows")
    return found


def left_to_polish(times: TimePlan, m: int, *, moves: bool) -> TimeBudget:
    """Return the time in which m basis vectors are polished, and moved or not.

    What is reserved beyond the foreseen end is never more than half of the rest.
    """
    end = times.to_finish(m)
    more = (TO_FINISH_MOVED - 1.0) * end if moves else 0.0
    return times.budget.without(end + max(0.0, min(more, 0.5 * (times.budget.left() - end))))


def rows_at_the_end(times: TimePlan, m: int) -> int:
    """Return how many of the rows have sites in the end: all, if they can have a few sweeps.

    A basis that has moved to suit each other cannot be cut as that of regression is.
    """
    share, left = FEWEST_SWEEPS / SWEEPS, times.budget.left()
    n = largest(times.n_rows, lambda n: share * times.cost_model.of_pass(n, m), left, FEWEST_ROWS)
    if n < times.n_rows:
        times.budget.cut("final sites", f"of {n:,} of {times.n_rows:,} rows")
    return n


def rows_to_choose(times: TimePlan, n: int, m: int, options: ActiveSettings) -> int:
    """Return how many of n rows choose m basis vectors."""
    kappa = options.n_candidates or DEFAULT_CANDIDATES.get(options.selection, 1)

    def seconds(n: int) -> float:
        return m * kappa * SWEEPS_OF_CANDIDATE / SWEEPS * times.cost_model.of_rows(n, m)

    found = largest(n, seconds, SHARE_OF_CHOICE * times.budget.left(), FEWEST_ROWS_TO_CHOOSE)
    if found < n:
        times.budget.cut("selection", f"by {found:,} of {n:,} rows")
    return found
