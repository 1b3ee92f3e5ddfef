"""How many rows choose kernel and transforms, and how long they search, where time is short.

A choice on half of the rows takes a quarter of the time and has lost little by it, while one that
ends in the middle has left most of the candidates untried. So searches end earlier, and all sizes
shrink together.
"""

from collections.abc import Callable

from sparsegp.learning.budget import Budget
from sparsegp.learning.pace import ROWS_TO_TIME, largest, seconds_of_rows

__all__ = ["sizes_within"]

Sizes = tuple[int, int, int]

# A whole choice takes as long as about so many evaluations of the evidence of the few rows. With
# 500 here the last steps were often left out, and house16h in 3 s had an RMSE of 0.64 to 0.65, not
# 0.58 to 0.63.
EVALUATIONS = 750
# With fewer rows nothing is chosen well.
FEWEST = 125
# The least share of its evaluations that a search has. With all of them choices in fits of 2 s did
# not come to their end: house8l had an RMSE of 0.57 to 0.58, not 0.55, house16h 0.65, not 0.60.
HURRIED = 0.6


def sizes_within(
    sizes: Sizes, evaluation: Callable[[int], Callable[[], object]], budget: Budget
) -> tuple[Sizes, float]:
    """Return the sizes that there is time for, in the same proportion, and the share of a search.

    ``evaluation(n)`` gets ready and returns what computes the evidence of n rows and its gradient.
    """
    few = sizes[0]
    if not budget.limited or few <= FEWEST:
        return sizes, 1.0
    timed = min(ROWS_TO_TIME, few)
    seconds = seconds_of_rows(evaluation(timed), timed, budget)
    left = budget.left()
    found = largest(few, lambda n: EVALUATIONS * seconds(n), left, FEWEST)
    if found == few:
        return sizes, 1.0
    effort = max(HURRIED, left / (EVALUATIONS * seconds(few)))
    what = f"on {found:,} rows instead of {few:,}, searches of {effort:.0%} of their length"
    budget.cut("choice of kernel and transforms", what)
    return (found, found * sizes[1] // few, found * sizes[2] // few), effort
