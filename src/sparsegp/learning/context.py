"""What every phase of a fit shares: random numbers, a listener, the history and the time budget."""

from dataclasses import dataclass, field, replace

import numpy as np

from sparsegp.learning.budget.time_budget import UNLIMITED, TimeBudget
from sparsegp.learning.history.history import History
from sparsegp.learning.history.progress import Listener, silent

__all__ = ["FitContext"]


@dataclass(frozen=True)
class FitContext:
    """The surroundings of a fit, handed down from phase to phase.

    Parameters
    ----------
    rng : numpy.random.Generator
        All random numbers of the fit. Phases draw from it in a fixed order.
    listener : callable
        Receives a ``Progress`` at every step.
    history : History
        Receives an entry at the end of every phase.
    budget : TimeBudget
        The time left for this phase and those after it.

    >>> context = FitContext(np.random.default_rng(0))
    >>> context.spawn().history is context.history
    True
    """

    rng: np.random.Generator
    listener: Listener = silent
    history: History = field(default_factory=History)
    budget: TimeBudget = UNLIMITED

    def spawn(self) -> "FitContext":
        """Return the same context with a child generator.

        What is drawn from the child leaves the random numbers of the rest of the fit unchanged.
        """
        return replace(self, rng=self.rng.spawn(1)[0])

    def with_budget(self, budget: TimeBudget) -> "FitContext":
        """Return the same context with another time budget."""
        return replace(self, budget=budget)

    def share(self, share: float) -> "FitContext":
        """Return the same context with a share of the time left."""
        return self.with_budget(self.budget.part(share))

    def apart(self) -> "FitContext":
        """Return the same context with a history and a record of cuts of its own.

        For models that are only compared: what was done for them says nothing of the model that is
        fitted.
        """
        return replace(self, history=History(), budget=self.budget.apart())

    def quiet(self) -> "FitContext":
        """Return the same context without a listener and with a history of its own.

        For searches inside a phase that reports as a whole.
        """
        return replace(self, listener=silent, history=History())
