"""When a search stops early, by the gains of its last evaluations.

Both rules are asked before each evaluation of a search but the first, and stop it when the time
budget is spent.
"""

from math import inf

from sparsegp.learning.budget.time_budget import IterationBudget
from sparsegp.learning.hyperparameters import policy

__all__ = ["MinGainStopping", "TargetStopping"]


class _GainRecord:
    """Records the progress of a search."""

    def __init__(self, iterations: IterationBudget) -> None:
        self._iterations = iterations
        self.lowest = inf  # minus the best value so far, set by the search
        self._path: list[float] = []  # the same after each evaluation

    def _record(self) -> None:
        self._path.append(self.lowest)

    def _gained(self, n: int) -> float:
        """Return the gain of the last n evaluations."""
        return self._path[-1 - n] - self.lowest

    def _average_gain(self) -> float:
        """Return the gain of each of the last evaluations; unknown, so infinite, at the first."""
        n = min(policy.GAIN_WINDOW, len(self._path) - 1)
        return self._gained(n) / n if n else inf


class MinGainStopping(_GainRecord):
    """Continues for ``fewest`` evaluations, and then while each gains more than ``worth``."""

    def __init__(self, iterations: IterationBudget, fewest: int, worth: float) -> None:
        super().__init__(iterations)
        self._fewest, self._worth = fewest, worth

    def __call__(self) -> bool:
        """Tell whether to continue."""
        self._record()
        pays = self._average_gain() > self._worth
        return (len(self._path) < self._fewest or pays) and self._iterations()


class TargetStopping(_GainRecord):
    """Continues for half of the evaluations, and then while the rest can reach the target value.

    Searches slow down as they approach the optimum: one that would miss the target at the rate of
    its last evaluations will hardly reach it. A search that gains nothing any more stops too.
    """

    def __init__(self, iterations: IterationBudget, most: int, target: float) -> None:
        super().__init__(iterations)
        self._most, self._target = most, target

    def __call__(self) -> bool:
        """Tell whether to continue."""
        self._record()
        left, window = self._most - len(self._path), policy.IDLE_EVALUATIONS
        in_reach = left > 0 and left * self._average_gain() >= self._target + self.lowest
        hopeful = 2 * len(self._path) < self._most or in_reach
        idle = len(self._path) > window and self._gained(window) <= policy.IDLE_GAIN
        return hopeful and not idle and self._iterations()
