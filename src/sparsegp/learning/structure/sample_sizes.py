"""How many rows choose kernel and transforms, and how long they search, under a time budget.

A choice on half of the rows takes a quarter of the time and is hardly worse, while one that ends in
the middle leaves most candidates untried. So searches are shortened, and all sizes shrink together.
"""

from collections.abc import Callable

from sparsegp.learning.budget import policy as budget_policy
from sparsegp.learning.budget.pass_cost import largest, time_exact_evidence
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.structure import policy

__all__ = ["sizes_within"]

Sizes = tuple[int, int, int]


def sizes_within(
    sizes: Sizes, evaluation: Callable[[int], Callable[[], object]], budget: TimeBudget
) -> tuple[Sizes, float]:
    """Return the sizes that there is time for, in the same proportion, and the share of a search.

    ``evaluation(n)`` prepares and returns what computes the evidence of n rows and its gradient.
    """
    few, least = sizes[0], policy.MIN_SAMPLE
    if not budget.limited or few <= least:
        return sizes, 1.0
    timed = min(budget_policy.ROWS_TO_TIME, few)
    seconds = time_exact_evidence(evaluation(timed), timed, budget, policy.TIME_EXPONENT)
    left = budget.left()
    found = largest(few, lambda n: policy.PLANNED_SHORT_EVALUATIONS * seconds(n), left, least)
    effort = policy.MIN_EFFORT
    if found == few:  # searches may be longer, then
        short = policy.PLANNED_SHORT_EVALUATIONS * seconds(few)
        full = policy.PLANNED_EVALUATIONS * seconds(few)
        if left >= full:
            return sizes, 1.0
        effort += (1.0 - policy.MIN_EFFORT) * (left - short) / (full - short)
    what = f"on {found:,} rows instead of {few:,}, " if found < few else ""
    what += f"searches of {100.0 * effort:.0f} % of their length"
    budget.cut(Phase.STRUCTURE, what)
    return (found, found * sizes[1] // few, found * sizes[2] // few), effort
