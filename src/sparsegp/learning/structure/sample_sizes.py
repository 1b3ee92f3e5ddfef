"""How many rows choose kernel and transforms, and how long they search, where time is short.

A choice on half of the rows takes a quarter of the time and has lost little by it, while one that
ends in the middle has left most of the candidates untried. So searches end earlier, and all sizes
shrink together.
"""

from collections.abc import Callable

from sparsegp.learning.budget.cost_model import ROWS_TO_TIME, largest, seconds_of_rows
from sparsegp.learning.budget.time_budget import TimeBudget

__all__ = ["sizes_within"]

Sizes = tuple[int, int, int]

# A whole choice takes as long as 200 to 500 evaluations of the evidence of the few rows, with
# hurried searches three quarters of that. Both are planned with more: a choice that does not come
# to its end leaves out its last steps.
EVALUATIONS, HURRIED_EVALUATIONS = 640, 470
# It takes as long as about this power of the rows: with 125 to 500 of them much time goes into what
# does not depend on their number.
EXPONENT = 1.2
# With fewer rows nothing is chosen well.
FEWEST = 125
# The least share of its evaluations that a search has. With all of them choices in fits of 2 s did
# not come to their end: house8l had an RMSE of 0.57 to 0.58, not 0.55, house16h 0.65, not 0.60.
HURRIED = 0.6


def sizes_within(
    sizes: Sizes, evaluation: Callable[[int], Callable[[], object]], budget: TimeBudget
) -> tuple[Sizes, float]:
    """Return the sizes that there is time for, in the same proportion, and the share of a search.

    ``evaluation(n)`` gets ready and returns what computes the evidence of n rows and its gradient.
    """
    few = sizes[0]
    if not budget.limited or few <= FEWEST:
        return sizes, 1.0
    timed = min(ROWS_TO_TIME, few)
    seconds = seconds_of_rows(evaluation(timed), timed, budget, EXPONENT)
    left = budget.left()
    found = largest(few, lambda n: HURRIED_EVALUATIONS * seconds(n), left, FEWEST)
    effort = HURRIED
    if found == few:  # searches may be longer, then
        hurried, unhurried = HURRIED_EVALUATIONS * seconds(few), EVALUATIONS * seconds(few)
        if left >= unhurried:
            return sizes, 1.0
        effort += (1.0 - HURRIED) * (left - hurried) / (unhurried - hurried)
    what = f"on {found:,} rows instead of {few:,}, " if found < few else ""
    what += f"searches of {effort:.0%} of their length"
    budget.cut("choice of kernel and transforms", what)
    return (found, found * sizes[1] // few, found * sizes[2] // few), effort
