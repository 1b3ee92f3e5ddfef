"""How fast this machine is now, for this kernel.

A pass over n rows with m basis vectors takes n (r + a m + b m²) + c m^2.1 seconds: for the rows
themselves, kernel values, products, and what follows from the sums over rows alone. The numbers are
measured by small passes of the very same work, in the process and under the load that the fit runs
in, and extrapolated from 128 or 256 basis vectors to 1,500. What begins and ends a pass takes as
long as a small pass itself, so that rows are told by differences.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from math import inf

from sparsegp.exceptions import SparseGPError
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = [
    "ROWS_TO_TIME",
    "CostModel",
    "largest",
    "measure_cost_model",
    "of_rows",
    "seconds_of_rows",
]

#: Rows with which an evaluation of an exact evidence is timed. It takes as long as a power of them.
ROWS_TO_TIME = 250
EXPONENT_OF_ROWS = 2.2

# Between the square, where memory counts, and the cube of large factorisations.
EXPONENT = 2.1
# With so many basis vectors kernel values and products take equally long: a row took 16, 25, 22 and
# 32 × 10⁻⁹ s for each of 256, 512, 1,024 and 1,500 of them (calhouse), 9, 10, 12 and 15 where sums
# are whitened late (kin40k).
EVEN = 1_200
# Rows and basis vectors of the passes that are timed, the most if there is time enough. They are
# made again and again for a share of the time left, and the shortest one counts: differences of
# medians varied threefold.
ROWS, FEWEST_ROWS = 2_048, 64
FEW, MORE, MOST = 16, 128, 256
SECONDS_FOR_MOST = 3.0
SHARE_OF_TIME = 0.01
FEWEST_TIMES, MOST_TIMES = 3, 15
# Of what many basis vectors take, at least this share grows with their number.
LEAST_SHARE = 0.3


@dataclass(frozen=True)
class CostModel:
    """Seconds of a unit of work; nothing takes time unless it was measured."""

    row: float = 0.0  # r, for a row, however few basis vectors there are
    value: float = 0.0  # a, for a number of an n×m block
    product: float = 0.0  # b, for a multiplication of the block with an m×m matrix
    fixed: float = 0.0  # c

    def times(self, factor: float) -> "CostModel":
        """Return the pace of work that is so many times as much."""
        return CostModel(*(factor * seconds for seconds in vars(self).values()))

    def of_rows(self, n: int, m: int) -> float:
        """Return the seconds of sums over n rows."""
        return n * (self.row + self.value * m + self.product * m**2)

    def of_pass(self, n: int, m: int) -> float:
        """Return the seconds of a pass over n rows and of all that is made of its sums."""
        return self.of_rows(n, m) + self.fixed * m**EXPONENT


def measure_cost_model(
    sums: Callable[[Rows, int], Callable[[], object]],
    whole: Callable[[Rows, int], object],
    rows: AnyRows,
    most: int,
    budget: TimeBudget,
    even: int = EVEN,
) -> CostModel:
    """Time the work at a few basis vectors, no more than ``most``.

    ``sums(rows, m)`` gets ready and returns the pass over the rows, ``whole(rows, m)`` is the pass
    with all that comes before and after it. With ``even`` basis vectors kernel values and products
    take equally long.
    """
    many = min(MOST if budget.has(SECONDS_FOR_MOST) else MORE, most)
    used, allowed = rows[: min(ROWS, len(rows))], SHARE_OF_TIME * budget.left()
    n_few = min(FEWEST_ROWS, len(used) // 2)

    def seconds(work: Callable[[], object]) -> float:
        taken, before = list[float](), budget.left()
        while len(taken) < FEWEST_TIMES or (sum(taken) < allowed and len(taken) < MOST_TIMES):
            work()
            left = budget.left()
            taken.append(before - left)
            before = left
        return min(taken)

    def of_row(m: int) -> float:
        # what few rows take is begun and ended alike with many
        more = seconds(sums(used, m)) - seconds(sums(used[:n_few], m))
        return max(more, 0.0) / max(len(used) - n_few, 1)

    few = min(FEW, many)
    at_few, at_many = of_row(few), of_row(many)
    size, rest = many * (even + many), many * (even + many) - few * (even + few)  # in products
    product = (at_many - at_few) / rest if rest else 0.0
    product = min(max(product, LEAST_SHARE * at_many / size), at_many / size)
    # few rows would settle on another noise, in more steps
    rest_of_whole = max(seconds(lambda: whole(used, many)) - len(used) * at_many, 0.0)
    return CostModel(
        at_many - product * size, even * product, product, rest_of_whole / many**EXPONENT
    )


def seconds_of_rows(
    evaluate: Callable[[], object],
    n_timed: int,
    budget: TimeBudget,
    exponent: float = EXPONENT_OF_ROWS,
) -> Callable[[int], float]:
    """Time an evaluation of an exact evidence; return how long one of n rows will take.

    No time at all if it cannot be computed: the search itself will say so.
    """
    seconds = 0.0
    with suppress(SparseGPError):
        evaluate()  # the first of all takes longer
        before = budget.left()
        evaluate()
        seconds = before - budget.left()
    return of_rows(seconds, n_timed, exponent)


def of_rows(
    seconds: float, n_timed: int, exponent: float = EXPONENT_OF_ROWS
) -> Callable[[int], float]:
    """Return how long an evaluation of n rows will take, by one that was timed."""
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
