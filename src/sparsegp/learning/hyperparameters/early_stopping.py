"""Whether a search goes on, by the pace of its last evaluations.

Both are asked before each evaluation of a search but the first, and say no if there is no time.
"""

from math import inf

from sparsegp.learning.budget.time_budget import IterationBudget

__all__ = ["MinGainStopping", "TargetStopping"]

# Evaluations by which the pace is told.
LAST_ONES = 3
# A trial has come to its end when so many evaluations gain no more than this together. Of 57 long
# ones with up to 60 evaluations that spares a tenth of these and costs 0.1; after four evaluations
# one of bike would have ended 78 too early.
IDLE_ONES, NEXT_TO_NOTHING = 6, 0.1


class _Paced:
    """Remembers how far a search has come."""

    def __init__(self, iterations: IterationBudget) -> None:
        self._laps = iterations
        self.lowest = inf  # minus the value so far, told by the search
        self._path: list[float] = []  # the same after each evaluation

    def _remember(self) -> None:
        self._path.append(self.lowest)

    def _gained(self, n: int) -> float:
        """Return what the last evaluations have gained."""
        return self._path[-1 - n] - self.lowest

    def _pace(self) -> float:
        """Return what each of the last ones has gained; of the very first nobody knows."""
        n = min(LAST_ONES, len(self._path) - 1)
        return self._gained(n) / n if n else inf


class MinGainStopping(_Paced):
    """Yes for so many evaluations, and then while each of them gains more than ``worth``."""

    def __init__(self, iterations: IterationBudget, fewest: int, worth: float) -> None:
        super().__init__(iterations)
        self._fewest, self._worth = fewest, worth

    def __call__(self) -> bool:
        """Tell whether to go on."""
        self._remember()
        pays = self._pace() > self._worth
        return (len(self._path) < self._fewest or pays) and self._laps()


class TargetStopping(_Paced):
    """Yes for half of the evaluations, and then while at this pace the rest lead to ``wanted``.

    Searches slow down as they get nearer: one that would not get there at the pace of its last
    evaluations hardly will. Nor does one go on that gains nothing any more.
    """

    def __init__(self, iterations: IterationBudget, most: int, wanted: float) -> None:
        super().__init__(iterations)
        self._most, self._wanted = most, wanted

    def __call__(self) -> bool:
        """Tell whether to go on."""
        self._remember()
        left = self._most - len(self._path)
        in_sight = left > 0 and left * self._pace() >= self._wanted + self.lowest
        hopeful = 2 * len(self._path) < self._most or in_sight
        idle = len(self._path) > IDLE_ONES and self._gained(IDLE_ONES) <= NEXT_TO_NOTHING
        return hopeful and not idle and self._laps()
