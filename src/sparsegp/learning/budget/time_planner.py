"""What a sparse fit has time for: how large a basis, from how many candidates, by how many rows.

The pass over all rows at the end cannot be cut in the middle and must not be left out, and neither
can the Gram matrix that a basis is chosen by. So the size of both is settled before they begin, by
the pace of the machine; and whoever takes time in between leaves enough for the end.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sparsegp.learning.budget.cost_model import CostModel, largest
from sparsegp.learning.budget.time_budget import UNLIMITED, TimeBudget
from sparsegp.learning.settings import Settings
from sparsegp.selection.criteria import GAINS

__all__ = [
    "FEWEST_ROWS_TO_CHOOSE",
    "NO_TIME_LIMIT",
    "ROWS_PER_CANDIDATE",
    "TimePlan",
    "settings_within_time",
]

# Whatever the limit, a model has so many basis vectors, and has seen so many rows if there are.
# Fifty take no longer than sixteen did, as far as can be told, and err less (docs/defaults.md).
SMALLEST_BASIS = 50
FEWEST_ROWS = 1_000
FEWEST_JUDGES = 200
# A choice may take longer than its pace foretold, and eat up what was left for the end. A limit
# that is missed by up to this share does less harm than a model of the fewest basis vectors.
GRACE = 0.1
#: Rows that choose, for each candidate: with 5 instead of 10 the error on kin40k was the same, with
#: 2 it was 6 % larger (1,200 candidates). And the fewest.
ROWS_PER_CANDIDATE = 5
FEWEST_ROWS_TO_CHOOSE = 2_000
# Calibration looks at no more than this share of the rows, twice.
SHARE_OF_CALIBRATION = 0.15
# Small passes measured twice differ by a third; a machine that has become slower, by more.
CLEARLY = 1.5
# Work of a selection in units of the pace, as measured: a Gram matrix has one quick product where a
# pass has two, another one several, and a step of an elimination goes over its diagonals several
# times.
PRODUCTS_OF_GRAM, PRODUCTS_OF_NEW_GRAM = 0.35, 1.5
VALUES_OF_ELIMINATION = 8.0
# Moving the basis is worth its while with so many evaluations of the evidence, three passes each.
PASSES_OF_REFINEMENT = 60
ROWS_OF_REFINEMENT = 12_000


@dataclass(frozen=True)
class TimePlan:
    """The time left, and how fast it goes."""

    budget: TimeBudget = UNLIMITED
    cost_model: CostModel = field(default_factory=CostModel)
    n_rows: int = 0  # of the final pass
    n_passes: int = 1  # that the final pass is made of
    smallest: int = field(default_factory=lambda: SMALLEST_BASIS)  # whatever the time

    def to_finish(self, m: int) -> float:
        """Return the seconds of the final pass and the calibration of m basis vectors."""
        held_out = int(2 * SHARE_OF_CALIBRATION * self.n_rows)
        passes = self.n_passes * self.cost_model.of_pass(self.n_rows, m)
        return passes + self.cost_model.of_rows(min(held_out, 6_000), m)

    def or_slower(self, again: "TimePlan", m: int) -> "TimePlan":
        """Return what was measured again, if that is clearly slower for m basis vectors."""
        return again if again.to_finish(m) > CLEARLY * self.to_finish(m) else self

    def has_time_for(self, m: int, multiplications: float = 0.0) -> bool:
        """Tell whether m basis vectors can be finished, after so much work more."""
        if m <= self.smallest and not multiplications:
            return True
        work = PRODUCTS_OF_NEW_GRAM * self.cost_model.product * multiplications
        return self.left_to_finish() > self.to_finish(m) + work

    def left_to_finish(self) -> float:
        """Return the seconds for what must not be left out: a grace, if the pace is known."""
        left, grace = self.budget.left(), GRACE * (self.budget.limit or 0.0)
        return left if self.cost_model == CostModel() else max(left, min(grace, left + grace))

    def basis_within(self, chosen: int) -> int:
        """Return how many of the chosen basis vectors there is time for."""
        m = largest(chosen, self.to_finish, self.left_to_finish(), self.smallest)
        if m < chosen:
            self.budget.cut("final pass", f"{m:,} of {chosen:,} basis vectors")
        return m

    def rows_within(self, m: int) -> int:
        """Return how many of the rows the final pass of m basis vectors has time for."""
        left = self.left_to_finish()
        passes, cost_model = self.n_passes, self.cost_model
        n = largest(self.n_rows, lambda n: passes * cost_model.of_pass(n, m), left, FEWEST_ROWS)
        if n < self.n_rows:
            self.budget.cut("final pass", f"{n:,} of {self.n_rows:,} rows")
        return n

    def held_out_within(self, n: int, m: int) -> int:
        """Return on how many of n rows there is time to calibrate."""
        left = self.budget.left()
        found = largest(n, lambda n: 2 * self.cost_model.of_rows(n, m), left, FEWEST_JUDGES)
        if found < n:
            self.budget.cut("calibration", f"on {found:,} of {n:,} rows")
        return found

    def to_choose(self, settings: Settings, n_rows: int, pool: int, m: int) -> float:
        """Return the seconds that it takes to choose m basis vectors from a pool."""
        cost_model = self.cost_model
        if settings.selection == "random":
            return cost_model.of_pass(0, m)
        if settings.selection in GAINS and not settings.n_fresh:
            values = (n_rows + pool + m * VALUES_OF_ELIMINATION) * pool
            return (
                cost_model.value * values
                + cost_model.product * (PRODUCTS_OF_GRAM * n_rows + m) * pool**2
            )
        width = 1 if settings.selection == "information_gain" else pool
        return n_rows * (
            cost_model.value * m * width + (1 + settings.n_fresh) * cost_model.product * m**2
        )

    def to_refine(self, settings: Settings, m: int) -> float:
        """Return the seconds that the basis should have to move, if it may."""
        n = min(ROWS_OF_REFINEMENT, self.n_rows)
        return (
            PASSES_OF_REFINEMENT * self.cost_model.of_rows(n, m) if settings.refine_basis else 0.0
        )


#: Of a fit without a limit.
NO_TIME_LIMIT = TimePlan()


def settings_within_time(
    settings: Settings,
    times: TimePlan,
    choosing: Callable[[int], int],
    most: int,
    pool: int,
    pool_factor: float,
) -> Settings:
    """Return settings that fit into the time: those given, or with a smaller basis.

    Parameters
    ----------
    settings : Settings
    times : Timetable
    choosing : callable
        Rows that would choose from so many candidates.
    most, pool : int
        Basis vectors and candidates that there would be.
    pool_factor : float
        Candidates for each basis vector that are enough.
    """
    fixed_pool = settings.selection in GAINS and not settings.n_fresh
    left, n_rows = times.left_to_finish(), choosing(pool)

    def seconds(m: int, n: int, c: int) -> float:
        return (
            times.to_choose(settings, n, c, m) + times.to_finish(m) + times.to_refine(settings, m)
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
        enough = max(ROWS_PER_CANDIDATE * candidates_for(m), FEWEST_ROWS_TO_CHOOSE)
        return min(choosing(candidates_for(m)), enough)

    m = largest(most, lambda m: seconds(m, rows_for(m), candidates_for(m)), left, times.smallest)
    what = f"at most {m:,} of {most:,} basis vectors, chosen by {rows_for(m):,} of {n_rows:,} rows"
    if fixed_pool:
        what += f" from {candidates_for(m):,} of {pool:,} candidates"
        settings = replace(settings, cache_size=candidates_for(m))
    times.budget.cut("selection", what)
    return replace(settings, max_basis=m, rows_to_choose=rows_for(m))
