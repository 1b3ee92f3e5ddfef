"""What each phase of a fit did and how long it took."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.hyperparameters.objectives import EVIDENCE
from sparsegp.learning.hyperparameters.optimise import Optimum

__all__ = ["History"]


class History:
    """A list of entries; each lasts from the entry before it."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self._since = perf_counter()

    def note(self, phase: str, **facts: Any) -> None:
        """Close a phase."""
        now = perf_counter()
        self.entries.append({"phase": phase, "seconds": now - self._since, **facts})
        self._since = now

    def note_side_by_side(self, entries: Sequence[dict[str, Any]]) -> None:
        """Close phases that went on at the same time: they share the seconds since the last one."""
        now = perf_counter()
        together = sum(entry["seconds"] for entry in entries) or 1.0
        share = (now - self._since) / together
        self.entries += [{**entry, "seconds": share * entry["seconds"]} for entry in entries]
        self._since = now

    def note_optimum(self, phase: str, found: Optimum[Any], objective: str = EVIDENCE) -> None:
        """Close a phase that was a search for hyperparameters."""
        value = {"log_evidence": found.value}
        if objective != EVIDENCE:
            value = {objective: -found.value}  # a measure, lower is better
        self.note(
            phase,
            **value,
            n_evaluations=found.n_evaluations,
            n_rejections=found.n_rejections,
            converged=found.converged,
        )

    def note_limit(self, budget: TimeBudget) -> None:
        """Say what was cut short, if there was a limit of time."""
        if budget.limited:
            self.note("time limit", time_limit=budget.limit, cut_short=list(budget.cuts))
