"""What a fit has time for: how large a basis, from how many candidates, by how many rows.

The passes over all rows at the end cannot be interrupted and must not be left out, and neither can
the Gram matrix that a basis is selected by. So the size of both is decided before they begin, by
one timed pass (``pass_cost``), and the phases in between leave enough time for the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sparsegp.learning.budget import policy
from sparsegp.learning.budget.pass_cost import PassCost, largest
from sparsegp.learning.budget.time_budget import UNLIMITED, TimeBudget
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.settings import Settings
from sparsegp.selection.criteria import GAINS

__all__ = ["NO_TIME_LIMIT", "TimePlan", "settings_within_time"]


@dataclass(frozen=True)
class TimePlan:
    """The time left, and what work costs."""

    budget: TimeBudget = UNLIMITED
    cost: PassCost = field(default_factory=PassCost)
    n_rows: int = 0  # of the passes at the end
    n_passes: float = 1.0  # at the end, with the calibration
    min_basis: int = field(default_factory=lambda: policy.MIN_BASIS)  # whatever the time

    def to_finish(self, m: int) -> float:
        """Return the seconds of the end of a fit of m basis vectors."""
        return self.n_passes * self.cost.seconds(self.n_rows, m)

    def has_time_for(self, m: int, multiplications: float = 0.0) -> bool:
        """Tell whether m basis vectors can be finished, after some more multiplications."""
        if m <= self.min_basis and not multiplications:
            return True
        work = policy.PRODUCTS_OF_NEW_GRAM * self.cost.unit * multiplications
        return self.left_to_go_on() > self.to_finish(m) + work

    def left_to_go_on(self) -> float:
        """Return the seconds for a further step: a grace beyond the limit, if costs are known."""
        left, grace = self.budget.left(), self._grace
        return max(left, min(grace, left + grace)) if self.cost.unit else left

    def left_to_finish(self) -> float:
        """Return the seconds for what must not be left out.

        A late fit has a grace, if costs are known: a final pass of what was selected is worth more
        than the limit.
        """
        left = self.budget.left()
        return max(left, self._grace) if self.cost.unit else left

    @property
    def _grace(self) -> float:
        return policy.GRACE * (self.budget.limit or 0.0)

    def basis_within(self, selected: int) -> int:
        """Return how many of the selected basis vectors there is time for."""
        m = largest(selected, self.to_finish, self.left_to_finish(), self.min_basis)
        if m < selected:
            self.budget.cut(Phase.FINAL_PASS, f"{m:,} of {selected:,} basis vectors")
        return m

    def rows_within(self, m: int, phase: Phase = Phase.FINAL_PASS) -> int:
        """Return how many of the rows the end of a fit of m basis vectors has time for."""

        def seconds(n: int) -> float:
            return self.n_passes * self.cost.seconds(n, m)

        n = largest(self.n_rows, seconds, self.left_to_finish(), policy.MIN_ROWS)
        if n < self.n_rows:
            self.budget.cut(phase, f"{n:,} of {self.n_rows:,} rows")
        return n

    def held_out_within(self, n: int, m: int) -> int:
        """Return on how many of n rows there is time to calibrate."""
        left, least = self.budget.left(), policy.MIN_CALIBRATION_ROWS
        found = largest(n, lambda n: 2 * self.cost.seconds(n, m), left, least)
        if found < n:
            self.budget.cut(Phase.CALIBRATION, f"on {found:,} of {n:,} rows")
        return found

    def to_select(self, settings: Settings, n_rows: int, pool: int) -> float:
        """Return the seconds of a selection that cannot be interrupted: that of a pool.

        Others add one basis vector at a time, while there is time to finish with one more.
        """
        passes = policy.PASSES_OF_SELECTION if _has_fixed_pool(settings) else 0.0
        return passes * self.cost.seconds(n_rows, pool)

    def to_refine(self, settings: Settings, m: int) -> float:
        """Return the seconds that the refinement of m inducing inputs should have, if any."""
        if not settings.refine_basis:
            return 0.0
        n = min(policy.ROWS_OF_REFINEMENT, self.n_rows)
        return policy.PASSES_OF_REFINEMENT * self.cost.seconds(n, m)


#: Of a fit without a time budget.
NO_TIME_LIMIT = TimePlan()


def _has_fixed_pool(settings: Settings) -> bool:
    return settings.selection in GAINS and not settings.n_fresh


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
    left = times.left_to_go_on()

    def seconds(m: int, c: int) -> float:
        select = times.to_select(settings, selecting(c), c)
        return select + times.to_finish(m) + times.to_refine(settings, m)

    def candidates_for(m: int) -> int:
        return min(pool, int(pool_factor * m))

    if seconds(most, pool) <= left:
        return settings
    m = largest(most, lambda m: seconds(m, candidates_for(m)), left, times.min_basis)
    what, c = f"at most {m:,} of {most:,} basis vectors", candidates_for(m)
    if _has_fixed_pool(settings):
        what += f", chosen by {selecting(c):,} of {selecting(pool):,} rows"
        what += f" from {c:,} of {pool:,} candidates"
        settings = replace(settings, cache_size=c, rows_to_select=selecting(c))
    times.budget.cut(Phase.SELECTION, what)
    return replace(settings, max_basis=m)
