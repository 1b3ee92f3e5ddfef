"""What a sparse fit has time for: how large a basis, from how many candidates, by how many rows.

The pass over all rows at the end cannot be interrupted and must not be left out, and neither can
the Gram matrix that a basis is selected by. So the size of both is decided before they begin, by
the cost model, and the phases in between leave enough time for the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sparsegp.learning.basis import policy as basis_policy
from sparsegp.learning.budget import policy
from sparsegp.learning.budget.cost_model import CostModel, largest
from sparsegp.learning.budget.time_budget import UNLIMITED, TimeBudget
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.settings import Settings
from sparsegp.model.leave_one_out.measures import LOO_MEASURES
from sparsegp.selection.criteria import GAINS
from sparsegp.selection.policy import SHORTLIST

__all__ = ["NO_TIME_LIMIT", "TimePlan", "settings_within_time"]


@dataclass(frozen=True)
class TimePlan:
    """The time left, and what work costs."""

    budget: TimeBudget = UNLIMITED
    cost_model: CostModel = field(default_factory=CostModel)
    n_rows: int = 0  # of the final pass
    n_passes: int = 1  # that the final pass consists of
    min_basis: int = field(default_factory=lambda: policy.MIN_BASIS)  # whatever the time

    def to_finish(self, m: int) -> float:
        """Return the seconds of the final pass and the calibration of m basis vectors."""
        held_out = int(2 * policy.SHARE_OF_CALIBRATION * self.n_rows)
        passes = self.n_passes * self.cost_model.of_pass(self.n_rows, m)
        return passes + self.cost_model.of_rows(min(held_out, policy.MAX_CALIBRATED_TWICE), m)

    def or_slower(self, again: "TimePlan", m: int) -> "TimePlan":
        """Return what was measured again, if that is clearly slower for m basis vectors."""
        slower = again.to_finish(m) > policy.CLEARLY_SLOWER * self.to_finish(m)
        return again if slower else self

    def has_time_for(self, m: int, multiplications: float = 0.0) -> bool:
        """Tell whether m basis vectors can be finished, after some more multiplications."""
        if m <= self.min_basis and not multiplications:
            return True
        work = policy.PRODUCTS_OF_NEW_GRAM * self.cost_model.product * multiplications
        return self.left_to_go_on() > self.to_finish(m) + work

    def left_to_go_on(self) -> float:
        """Return the seconds for a further step: a grace beyond the limit, if costs are known."""
        left, grace = self.budget.left(), self._grace
        return left if self.cost_model == CostModel() else max(left, min(grace, left + grace))

    def left_to_finish(self) -> float:
        """Return the seconds for what must not be left out.

        A late fit has a grace, if costs are known: a final pass of what was selected is worth more
        than the limit.
        """
        left = self.budget.left()
        return left if self.cost_model == CostModel() else max(left, self._grace)

    @property
    def _grace(self) -> float:
        return policy.GRACE * (self.budget.limit or 0.0)

    def basis_within(self, selected: int) -> int:
        """Return how many of the selected basis vectors there is time for."""
        m = largest(selected, self.to_finish, self.left_to_finish(), self.min_basis)
        if m < selected:
            self.budget.cut(Phase.FINAL_PASS, f"{m:,} of {selected:,} basis vectors")
        return m

    def rows_within(self, m: int) -> int:
        """Return how many of the rows the final pass of m basis vectors has time for."""
        left = self.left_to_finish()
        passes, cost_model = self.n_passes, self.cost_model
        n = largest(self.n_rows, lambda n: passes * cost_model.of_pass(n, m), left, policy.MIN_ROWS)
        if n < self.n_rows:
            self.budget.cut(Phase.FINAL_PASS, f"{n:,} of {self.n_rows:,} rows")
        return n

    def held_out_within(self, n: int, m: int) -> int:
        """Return on how many of n rows there is time to calibrate."""
        left, least = self.budget.left(), policy.MIN_CALIBRATION_ROWS
        found = largest(n, lambda n: 2 * self.cost_model.of_rows(n, m), left, least)
        if found < n:
            self.budget.cut(Phase.CALIBRATION, f"on {found:,} of {n:,} rows")
        return found

    def to_select(self, settings: Settings, n_rows: int, pool: int, m: int) -> float:
        """Return the seconds that it takes to select m basis vectors from a pool."""
        cost_model = self.cost_model
        if settings.selection == "random":
            return cost_model.of_pass(0, m)
        if settings.selection in GAINS and not settings.n_fresh:
            values = (n_rows + pool + m * policy.VALUES_OF_ELIMINATION) * pool
            products = (policy.PRODUCTS_OF_GRAM * n_rows + m) * pool**2
            return cost_model.value * values + cost_model.product * products
        width = 1 if settings.selection == "information_gain" else pool
        products = (1 + settings.n_fresh) * m**2
        rule = settings.selection_rule or settings.rule
        if settings.selection in LOO_MEASURES and rule.in_noise:  # Σ m² for each candidate
            products += (1 + SHORTLIST) * m**3 // 3
        return n_rows * (cost_model.value * m * width + cost_model.product * products)

    def to_refine(self, settings: Settings, m: int) -> float:
        """Return the seconds that the refinement of m inducing inputs should have, if any."""
        if not settings.refine_basis:
            return 0.0
        n = min(policy.ROWS_OF_REFINEMENT, self.n_rows)
        return policy.PASSES_OF_REFINEMENT * self.cost_model.of_rows(n, m)


#: Of a fit without a time budget.
NO_TIME_LIMIT = TimePlan()


def settings_within_time(
    settings: Settings,
    times: TimePlan,
    selecting: Callable[[int], int],
    most: int,
    pool: int,
    pool_factor: float,
) -> Settings:
    """Return settings that fit into the time: those given, or with a smaller basis.

    Parameters
    ----------
    settings : Settings
    times : TimePlan
    selecting : callable
        Rows that would select from a number of candidates.
    most, pool : int
        Basis vectors and candidates without a time budget.
    pool_factor : float
        Candidates for each basis vector that are enough.
    """
    fixed_pool = settings.selection in GAINS and not settings.n_fresh
    left, n_rows = times.left_to_go_on(), selecting(pool)

    def seconds(m: int, n: int, c: int) -> float:
        return (
            times.to_select(settings, n, c, m) + times.to_finish(m) + times.to_refine(settings, m)
        )

    if seconds(most, n_rows, pool) <= left:
        return settings

    def candidates_for(m: int) -> int:
        return (
            min(pool, int(pool_factor * m)) if fixed_pool else min(pool, max(m, settings.n_fresh))
        )

    def rows_for(m: int) -> int:
        if settings.selection == "information_gain":  # its candidates are its rows
            return n_rows
        enough = basis_policy.ROWS_PER_CANDIDATE * candidates_for(m)
        enough = max(enough, basis_policy.MIN_ROWS_FOR_SELECTION)
        return min(selecting(candidates_for(m)), enough)

    m = largest(most, lambda m: seconds(m, rows_for(m), candidates_for(m)), left, times.min_basis)
    what = f"at most {m:,} of {most:,} basis vectors, chosen by {rows_for(m):,} of {n_rows:,} rows"
    if fixed_pool:
        what += f" from {candidates_for(m):,} of {pool:,} candidates"
        settings = replace(settings, cache_size=candidates_for(m))
    times.budget.cut(Phase.SELECTION, what)
    return replace(settings, max_basis=m, rows_to_select=rows_for(m))
