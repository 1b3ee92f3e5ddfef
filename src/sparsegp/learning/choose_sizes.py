"""How many rows choose kernel and transforms, where time is short.

A choice on half of the rows takes a quarter of the time and has lost little by it, while one that
ends in the middle has left most of the candidates untried. So all sizes shrink together.
"""

from collections.abc import Callable

from sparsegp.learning.budget import Budget
from sparsegp.learning.pace import largest

__all__ = ["sizes_within"]

Sizes = tuple[int, int, int]

# A whole choice takes as long as about so many evaluations of the evidence of the few rows.
EVALUATIONS = 500
# An evaluation takes as long as a power of the rows. It is timed with so many of them.
EXPONENT = 2.2
ROWS_TO_TIME = 250
# With fewer rows nothing is chosen well.
FEWEST = 125


def sizes_within(
    sizes: Sizes, evaluation: Callable[[int], Callable[[], object]], budget: Budget
) -> Sizes:
    """Return the sizes, or smaller ones in the same proportion, that there is time for.

    ``evaluation(n)`` gets ready and returns what computes the evidence of n rows and its gradient.
    """
    few = sizes[0]
    if not budget.limited or few <= FEWEST:
        return sizes
    timed = min(ROWS_TO_TIME, few)
    evaluate = evaluation(timed)
    evaluate()  # the first of all takes longer
    before = budget.left()
    evaluate()
    each = before - budget.left()

    def seconds(n: int) -> float:
        return EVALUATIONS * each * (n / timed) ** EXPONENT

    found = largest(few, seconds, budget.left(), FEWEST)
    if found == few:
        return sizes
    budget.cut("choice of kernel and transforms", f"on {found:,} rows instead of {few:,}")
    return found, found * sizes[1] // few, found * sizes[2] // few
