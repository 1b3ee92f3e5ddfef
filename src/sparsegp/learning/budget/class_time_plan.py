"""What a classifier has time for: how large a basis, and by how many rows it is refined.

As for regression (``time_plan``), but a pass is the shortest inference of sites, a few sweeps, and
the end of a fit, sites for all rows, is several of them.
"""

from dataclasses import replace

from sparsegp.learning.budget import policy
from sparsegp.learning.budget.pass_cost import largest, time_pass
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_plan import TimePlan
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.model.feature_rows import FeatureRows
from sparsegp.model.features import make_basis
from sparsegp.model.sites.inference import infer_sites
from sparsegp.model.sites.updates import Scheme
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = [
    "basis_to_select",
    "class_time_plan",
    "left_to_optimise",
    "rows_at_the_end",
    "rows_to_optimise",
]


def class_time_plan(
    rows: AnyRows, parameters: ClassParameters, scheme: Scheme, budget: TimeBudget
) -> TimePlan:
    """Return what there is time for, by timing the sites of some rows."""
    least, n_passes = policy.MIN_CLASS_BASIS, policy.FINAL_PASSES
    if not budget.limited or not budget.has():
        return TimePlan(budget, n_rows=len(rows), n_passes=n_passes, min_basis=least)
    probits = parameters.probits[: policy.TIMED_LABEL_COLUMNS]

    def sites(used: Rows, m: int) -> object:
        some = FeatureRows(
            make_basis(parameters.kernel, rows.X[:m, :]),
            replace(used, y=used.y[:, : len(probits)]),
        )
        return infer_sites(some, probits, scheme, go_on=lambda: False)

    cost = time_pass(sites, rows, len(rows), budget, policy.CLASS_BREAK_EVEN_BASIS)
    cost = replace(cost, unit=cost.unit * len(parameters.probits) / len(probits))
    return TimePlan(budget, cost, len(rows), n_passes, least)


def to_optimise(times: TimePlan, n: int, m: int) -> float:
    """Return the seconds that hyperparameters at m basis vectors and n rows should have."""
    return policy.PASSES_OF_CLASS_SEARCH * times.cost.seconds(n, m)


def basis_to_select(times: TimePlan, most: int, *, moves: bool) -> int:
    """Return how many basis vectors to select, so that they can be refined.

    Inducing inputs that move need rows for each of them.
    """

    def seconds(m: int) -> float:
        n = max(policy.MIN_ROWS_TO_OPTIMISE, policy.ROWS_PER_MOVED_INPUT * m * moves)
        return times.to_finish(m) + to_optimise(times, min(n, times.n_rows), m)

    available = (1.0 - policy.SHARE_OF_CLASS_SELECTION) * times.budget.left()
    m = largest(most, seconds, available, times.min_basis)
    if m < most:
        times.budget.cut(Phase.SELECTION, f"at most {m:,} of {most:,} basis vectors")
    return m


def rows_to_optimise(times: TimePlan, n: int, m: int) -> int:
    """Return how many of n rows hyperparameters at m basis vectors have time for, or 0."""
    available = left_to_optimise(times, m).left()
    found = largest(n, lambda n: to_optimise(times, n, m), available)
    if found < min(policy.MIN_ROWS_TO_OPTIMISE, n) // 2:
        times.budget.cut(Phase.ADAPTATION, "left out")
        return 0
    if found < n:
        times.budget.cut(Phase.ADAPTATION, f"by {found:,} of {n:,} rows")
    return found


def left_to_optimise(times: TimePlan, m: int) -> TimeBudget:
    """Return the time for hyperparameters at m basis vectors."""
    return times.budget.without(times.to_finish(m))


def rows_at_the_end(times: TimePlan, m: int) -> int:
    """Return how many of the rows have sites in the end: all, if there is time for half the passes.

    Inducing inputs that moved depend on each other: unlike those of a regression they cannot be
    cut.
    """
    return replace(times, n_passes=0.5 * times.n_passes).rows_within(m, Phase.FINAL_SITES)
