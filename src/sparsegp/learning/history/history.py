"""What each phase of a fit did and how long it took."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any, Protocol

from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.history.phases import Phase

__all__ = ["History", "SearchResult"]


class SearchResult(Protocol):
    """What the history tells of a search for hyperparameters."""

    @property
    def value(self) -> float:
        """The best value of the objective."""

    @property
    def n_evaluations(self) -> int:
        """Evaluations of the objective."""

    @property
    def n_rejections(self) -> int:
        """Steps at which the objective could not be evaluated."""

    @property
    def converged(self) -> bool:
        """Whether the search ended by its tolerance."""


class History:
    """A list of entries; each lasts from the entry before it.

    >>> history = History()
    >>> history.note(Phase.SELECTION, n_basis=7)
    >>> history.entries[0]["phase"], history.entries[0]["n_basis"]
    ('selection', 7)
    """

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self._since = perf_counter()

    def note(self, phase: Phase, detail: str = "", /, **facts: Any) -> None:
        """Close a phase."""
        now = perf_counter()
        label = phase.label(detail)
        self.entries.append({"phase": label, "seconds": now - self._since, **facts})
        self._since = now

    def seconds_of(self, phase: Phase) -> float:
        """Return the seconds of the last entry of a phase; 0 if there is none."""
        labels = (entry["seconds"] for entry in reversed(self.entries) if entry["phase"] == phase)
        return float(next(labels, 0.0))

    def note_parallel(self, entries: Sequence[dict[str, Any]]) -> None:
        """Close phases that ran in parallel: they share the seconds since the last entry."""
        now = perf_counter()
        total = sum(entry["seconds"] for entry in entries) or 1.0
        share = (now - self._since) / total
        self.entries += [{**entry, "seconds": share * entry["seconds"]} for entry in entries]
        self._since = now

    def note_search(
        self, phase: Phase, found: SearchResult, detail: str = "", measure: str | None = None
    ) -> None:
        """Close a search for hyperparameters, by the evidence or by minus a measure."""
        value = {"log_evidence": found.value} if measure is None else {measure: -found.value}
        self.note(
            phase,
            detail,
            **value,
            n_evaluations=found.n_evaluations,
            n_rejections=found.n_rejections,
            converged=found.converged,
        )

    def note_time_limit(self, budget: TimeBudget) -> None:
        """Say what was cut short, if there was a time budget."""
        if budget.limited:
            self.note(Phase.TIME_LIMIT, time_limit=budget.limit, cut_short=list(budget.cuts))
