"""The time budget of a fit: a deadline, and a record of what was cut short to keep it.

A fit with a limit is *anytime*: each phase asks whether there is time for its next step, and leaves
the rest to the phases after it. Without a limit there is always time, and the clock is not read.
"""

from collections.abc import Callable
from copy import copy
from math import inf
from time import perf_counter
from typing import Self

from sparsegp.learning.budget import policy

__all__ = ["UNLIMITED", "IterationBudget", "TimeBudget"]


class TimeBudget:
    """The time that a fit, or a part of it, may take.

    Parts of a budget share its clock and, but for those that are ``apart``, its record of cuts.

    Parameters
    ----------
    limit : float, optional
        In seconds, from now on; None is unlimited.
    clock : callable
        Returns the time in seconds.

    Attributes
    ----------
    limit : float or None
    cuts : list of str
        What was cut short, in the order it happened.

    >>> times = iter([0.0, 1.0, 7.0, 10.5])
    >>> budget = TimeBudget(10.0, clock=lambda: next(times))
    >>> budget.has(7.0), budget.has(7.0), budget.has()
    (True, False, False)
    >>> TimeBudget().left()
    inf
    """

    def __init__(
        self, limit: float | None = None, clock: Callable[[], float] = perf_counter
    ) -> None:
        self.limit = limit
        self.cuts: list[str] = []
        self._clock = clock
        self._end = inf if limit is None else clock() + limit

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self._end < inf

    def left(self) -> float:
        """Return how many seconds are left."""
        return self._end - self._clock() if self.limited else inf

    def has(self, seconds: float = 0.0) -> bool:
        """Tell whether more than this number of seconds is left."""
        return self.left() > seconds

    def cut(self, phase: str, what: str) -> None:
        """Record what was cut short."""
        self.cuts.append(f"{phase}: {what}")

    def part(self, share: float) -> Self:
        """Return a budget with a share of the time left."""
        return self._ending(self._end - (1.0 - share) * self.left()) if self.limited else self

    def without(self, seconds: float) -> Self:
        """Return a budget that reserves some seconds for later phases."""
        return self._ending(self._end - seconds) if self.limited else self

    def apart(self) -> Self:
        """Return the same budget with a record of cuts of its own."""
        part = copy(self)
        part.cuts = []
        return part

    def iterations(self) -> "IterationBudget":
        """Return a counter that tells before each of many equal steps whether there is time."""
        return IterationBudget(self)

    def _ending(self, end: float) -> Self:
        part = copy(self)
        part._end = end
        return part


class IterationBudget:
    """Called before each of many equal steps: True while there is time for one more.

    A step is expected to take as long as the last one, or nearly as long as the longest.

    >>> times = iter([0.0, 0.0, 3.0, 6.0, 8.0])
    >>> iterations = TimeBudget(10.0, clock=lambda: next(times)).iterations()
    >>> iterations(), iterations(), iterations(), iterations.refused
    (True, True, False, True)
    """

    def __init__(self, budget: TimeBudget) -> None:
        self._budget, self._left = budget, budget.left()
        self.seconds = 0.0  # expected of a step
        self.refused = False

    def __call__(self) -> bool:
        """Tell whether there is time for a step."""
        if not self._budget.limited:
            return True
        left = self._budget.left()
        self.seconds = max(self._left - left, policy.DECAY_OF_LONGEST * self.seconds)
        self._left = left
        self.refused = left <= self.seconds
        return not self.refused

    def at_most(self, steps: int) -> int:
        """Return how many of some steps there is time for, by what steps took so far."""
        if not self._budget.limited or not self.seconds:
            return steps
        return max(1, min(steps, int(self._left / self.seconds)))

    def note(self, phase: str, n_evaluations: int) -> None:
        """Record that a search was cut short, if the budget ended it."""
        if self.refused:
            self._budget.cut(phase, f"ended after {n_evaluations} evaluations")


#: No limit.
UNLIMITED = TimeBudget()
