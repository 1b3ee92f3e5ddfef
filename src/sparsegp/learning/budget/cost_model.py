"""How fast this machine is now, for this kernel.

A pass over n rows with m basis vectors takes n (r + a m + b m²) + c m^2.1 seconds: for the rows
themselves, kernel values, products, and work that does not depend on rows. The coefficients are
measured by small passes of the same work, in the process and under the load of the fit, and
extrapolated from 128 or 256 basis vectors to 1,500. A small pass has a large constant part, so the
cost of a row is measured by differences.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import inf

from sparsegp.exceptions import SparseGPError
from sparsegp.learning.budget import policy
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["CostModel", "largest", "measure_cost_model", "power_law", "time_exact_evidence"]


@dataclass(frozen=True)
class CostModel:
    """Seconds of a unit of work; zero unless measured."""

    row: float = 0.0  # r, of a row, whatever the number of basis vectors
    value: float = 0.0  # a, of a number of an n×m block
    product: float = 0.0  # b, of a multiplication of the block with an m×m matrix
    fixed: float = 0.0  # c

    def times(self, factor: float) -> "CostModel":
        """Return the costs of work that is larger by a factor."""
        return CostModel(*(factor * seconds for seconds in vars(self).values()))

    def of_rows(self, n: int, m: int) -> float:
        """Return the seconds of sums over n rows."""
        return n * (self.row + self.value * m + self.product * m**2)

    def of_pass(self, n: int, m: int) -> float:
        """Return the seconds of a pass over n rows and of the solution of its sums."""
        return self.of_rows(n, m) + self.fixed * m**policy.BASIS_EXPONENT


def measure_cost_model(
    sums: Callable[[Rows, int], Callable[[], object]],
    whole: Callable[[Rows, int], object],
    rows: AnyRows,
    most: int,
    budget: TimeBudget,
    even: int = policy.BREAK_EVEN_BASIS,
) -> CostModel:
    """Time the work at a few basis vectors, no more than ``most``.

    ``sums(rows, m)`` prepares and returns the pass over the rows, ``whole(rows, m)`` is the pass
    with all that comes before and after it. With ``even`` basis vectors kernel values and products
    take equally long.
    """
    has_time = budget.has(policy.SECONDS_FOR_MAX_TIMED)
    many = min(policy.MAX_TIMED_BASIS if has_time else policy.TIMED_BASIS, most)
    used = rows[: min(policy.TIMED_ROWS, len(rows))]
    allowed = policy.SHARE_OF_TIMING * budget.left()
    n_few = min(policy.MIN_TIMED_ROWS, len(used) // 2)

    def seconds(work: Callable[[], object]) -> float:
        return _shortest(work, budget, allowed)

    def of_row(m: int) -> float:
        # the constant part of a pass is the same with few rows
        more = seconds(sums(used, m)) - seconds(sums(used[:n_few], m))
        return max(more, 0.0) / max(len(used) - n_few, 1)

    few = min(policy.FEW_TIMED_BASIS, many)
    at_few, at_many = of_row(few), of_row(many)
    size, rest = many * (even + many), many * (even + many) - few * (even + few)  # in products
    product = (at_many - at_few) / rest if rest else 0.0
    least = policy.MIN_SHARE_OF_PRODUCTS * at_many / size
    product = min(max(product, least), at_many / size)
    # few rows would find another noise, in more steps
    rest_of_whole = max(seconds(lambda: whole(used, many)) - len(used) * at_many, 0.0)
    fixed = rest_of_whole / many**policy.BASIS_EXPONENT
    return CostModel(at_many - product * size, even * product, product, fixed)


def _shortest(work: Callable[[], object], budget: TimeBudget, allowed: float) -> float:
    """Return the seconds of the fastest of several runs, which take about as long as allowed."""
    taken, before = list[float](), budget.left()
    while len(taken) < policy.MIN_REPEATS or (
        sum(taken) < allowed and len(taken) < policy.MAX_REPEATS
    ):
        work()
        left = budget.left()
        taken.append(before - left)
        before = left
        if left <= 0.0:
            break
    return min(taken)


def time_exact_evidence(
    evaluate: Callable[[], object],
    n_timed: int,
    budget: TimeBudget,
    exponent: float = policy.EXACT_EXPONENT,
) -> Callable[[int], float]:
    """Time an evaluation of an exact evidence; return the seconds of one of n rows.

    Zero if it cannot be computed: the search itself will report that.
    """
    seconds = 0.0
    with suppress(SparseGPError):
        evaluate()  # the first evaluation takes longer
        before = budget.left()
        evaluate()
        seconds = before - budget.left()
    return power_law(seconds, n_timed, exponent)


def power_law(
    seconds: float, n_timed: int, exponent: float = policy.EXACT_EXPONENT
) -> Callable[[int], float]:
    """Return the seconds of an evaluation of n rows, from one that was timed."""
    return lambda n: seconds * (n / n_timed) ** exponent


def largest(most: int, seconds: Callable[[int], float], available: float, least: int = 1) -> int:
    """Return the largest size up to ``most`` that takes no longer than available, or ``least``.

    >>> largest(100, lambda m: m**2, 50.0), largest(100, lambda m: m**2, 0.5, least=3)
    (7, 3)
    """
    if available == inf or seconds(most) <= available:
        return most
    low, high = min(least, most), most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if seconds(middle) <= available else (low, middle)
    return low
