"""What a classifier has time for: how large a basis, by how many rows, and how long it is refined.

Like ``time_planner`` for regression. The end of a fit, sites for all rows, is a loop that may end
early, but not after one sweep: a few are reserved.
"""

from collections.abc import Callable
from dataclasses import replace

from sparsegp.learning.basis.active_set import ActiveSettings
from sparsegp.learning.budget import policy
from sparsegp.learning.budget.cost_model import largest, measure_cost_model
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_planner import TimePlan
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.model.feature_rows import FeatureRows
from sparsegp.model.features import make_basis
from sparsegp.model.sites.inference import infer_sites
from sparsegp.model.sites.updates import Scheme
from sparsegp.selection.active_set import DEFAULT_CANDIDATES
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = [
    "basis_to_select",
    "class_time_plan",
    "left_to_optimise",
    "rows_at_the_end",
    "rows_to_optimise",
    "rows_to_select",
]


def class_time_plan(
    rows: AnyRows, parameters: ClassParameters, scheme: Scheme, budget: TimeBudget
) -> TimePlan:
    """Return what there is time for, by timing the sites of some rows."""
    least = policy.MIN_CLASS_BASIS
    if not budget.limited or not budget.has():
        return TimePlan(budget, n_rows=len(rows), min_basis=least)

    probits = parameters.probits[: policy.TIMED_LABEL_COLUMNS]

    def sums(used: Rows, m: int) -> Callable[[], object]:
        basis = make_basis(parameters.kernel, rows.X[:m, :])
        some = FeatureRows(basis, replace(used, y=used.y[:, : len(probits)]))
        return lambda: infer_sites(some, probits, scheme, go_on=lambda: False)

    def whole(used: Rows, m: int) -> object:
        return sums(used, m)()

    even = policy.CLASS_BREAK_EVEN_BASIS
    cost_model = measure_cost_model(sums, whole, rows, len(rows), budget, even)
    columns = len(parameters.probits) / len(probits)
    sweeps = policy.FINAL_SWEEPS / policy.TIMED_SWEEPS
    cost_model = cost_model.times(policy.CAUTION * columns * sweeps)
    return TimePlan(budget, cost_model, len(rows), min_basis=least)


def to_optimise(times: TimePlan, n: int, m: int) -> float:
    """Return the seconds that hyperparameters at m basis vectors and n rows should have."""
    sweeps = policy.CLASS_EVALUATIONS * policy.SWEEPS_PER_EVALUATION
    return sweeps / policy.FINAL_SWEEPS * times.cost_model.of_pass(n, m)


def basis_to_select(times: TimePlan, most: int, most_moved: int) -> int:
    """Return how many basis vectors to select; up to ``most_moved`` can be refined."""

    def refined(m: int) -> float:
        n = max(policy.MIN_ROWS_TO_OPTIMISE, policy.ROWS_PER_MOVED_INPUT * m)
        end = policy.TO_FINISH_AFTER_MOVING * times.to_finish(m)
        return end + to_optimise(times, min(n, times.n_rows), m)

    def fixed(m: int) -> float:
        n = min(policy.MIN_ROWS_TO_OPTIMISE, times.n_rows)
        return times.to_finish(m) + 0.5 * to_optimise(times, n, m)

    least = policy.MIN_CLASS_BASIS
    available = (1.0 - policy.SHARE_OF_CLASS_SELECTION) * times.budget.left()
    movable = min(most, most_moved)
    m = largest(movable, refined, available, least) if movable else 0
    if m < min(policy.MIN_MOVED_INPUTS, most):
        m = largest(most, fixed, available, least)
    if m < most:
        times.budget.cut(Phase.SELECTION, f"at most {m:,} of {most:,} basis vectors")
    return m


def rows_to_optimise(times: TimePlan, n: int, m: int, *, moves: bool) -> int:
    """Return how many of n rows hyperparameters at m basis vectors have time for, or 0."""
    available = left_to_optimise(times, m, moves=moves).left()
    found = largest(n, lambda n: to_optimise(times, n, m), available)
    if found < min(policy.MIN_ROWS_TO_OPTIMISE, n) // 2:
        times.budget.cut(Phase.ADAPTATION, "left out")
        return 0
    if found < n:
        times.budget.cut(Phase.ADAPTATION, f"by {found:,} of {n:,} rows")
    return found


def left_to_optimise(times: TimePlan, m: int, *, moves: bool) -> TimeBudget:
    """Return the time for hyperparameters at m basis vectors, which are refined or not.

    What is reserved beyond the planned end is at most half of the rest.
    """
    end = times.to_finish(m)
    more = (policy.TO_FINISH_AFTER_MOVING - 1.0) * end if moves else 0.0
    return times.budget.without(end + max(0.0, min(more, 0.5 * (times.budget.left() - end))))


def rows_at_the_end(times: TimePlan, m: int) -> int:
    """Return how many of the rows have sites in the end: all, if they can have a few sweeps.

    Refined inducing inputs depend on each other: unlike those of regression they cannot be cut.
    """
    share, left = policy.MIN_FINAL_SWEEPS / policy.FINAL_SWEEPS, times.budget.left()

    def seconds(n: int) -> float:
        return share * times.cost_model.of_pass(n, m)

    n = largest(times.n_rows, seconds, left, policy.MIN_ROWS)
    if n < times.n_rows:
        times.budget.cut(Phase.FINAL_SITES, f"of {n:,} of {times.n_rows:,} rows")
    return n


def rows_to_select(times: TimePlan, n: int, m: int, options: ActiveSettings) -> int:
    """Return how many of n rows select m basis vectors."""
    kappa = options.n_candidates or DEFAULT_CANDIDATES.get(options.selection, 1)

    def seconds(n: int) -> float:
        sweeps = m * kappa * policy.SWEEPS_PER_CANDIDATE / policy.FINAL_SWEEPS
        return sweeps * times.cost_model.of_rows(n, m)

    available = policy.SHARE_OF_CLASS_SELECTION * times.budget.left()
    found = largest(n, seconds, available, policy.MIN_ROWS_TO_SELECT)
    if found < n:
        times.budget.cut(Phase.SELECTION, f"by {found:,} of {n:,} rows")
    return found
