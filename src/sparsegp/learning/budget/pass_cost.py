"""How long work takes on this machine now: a pass is timed, and a law scales it.

A pass over n rows with m basis vectors is work of (n + 4m) m (m + e) units: products with an m×m
matrix, kernel values, which take as long as e further basis vectors would, and factorisations, as
if there were 4m rows more. A pass of the work itself, in the process and under the load of the
fit, tells the seconds of a unit. Passes of 4,000 to 20,000 rows with 250 to 1,000 basis vectors
take 0.75 to 1.35 times as long as this tells, those with 50 up to 1.7 times.
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

__all__ = ["PassCost", "largest", "power_law", "time_exact_evidence", "time_pass"]


@dataclass(frozen=True)
class PassCost:
    """Seconds of a pass; zero unless timed.

    >>> cost = PassCost.of_pass(2.0, 1_000, 100, even=900)
    >>> round(cost.seconds(1_000, 100), 9), round(cost.seconds(10_600, 100), 9)
    (2.0, 15.714285714)
    """

    unit: float = 0.0  # seconds
    even: int = policy.BREAK_EVEN_BASIS

    @classmethod
    def of_pass(cls, seconds: float, n: int, m: int, even: int) -> "PassCost":
        """Return the cost by which a pass takes these seconds."""
        return cls(seconds / cls(1.0, even).seconds(n, m), even)

    def seconds(self, n: int, m: int) -> float:
        """Return the seconds of a pass over n rows with m basis vectors."""
        return self.unit * (n + policy.ROWS_OF_FACTORISATION * m) * m * (m + self.even)


def time_pass(
    work: Callable[[Rows, int], object],
    rows: AnyRows,
    most: int,
    budget: TimeBudget,
    even: int = policy.BREAK_EVEN_BASIS,
) -> PassCost:
    """Time a pass over some of the rows with a few basis vectors, no more than ``most``."""
    used, m = rows[: min(policy.TIMED_ROWS, len(rows))], min(policy.TIMED_BASIS, most)
    return PassCost.of_pass(_shorter(lambda: work(used, m), budget), len(used), m, even)


def _shorter(work: Callable[[], object], budget: TimeBudget) -> float:
    """Return the shorter time of two: the first takes up to three times as long, or a hiccup."""
    left = [budget.left()]
    for _ in range(2):
        work()
        left.append(budget.left())
    return min(left[0] - left[1], left[1] - left[2])


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
        seconds = _shorter(evaluate, budget)
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
