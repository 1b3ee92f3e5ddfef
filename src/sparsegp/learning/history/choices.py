"""What was left to the evidence, told by the history of a fit: what was tried, and what won."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

__all__ = ["Tried", "chosen_kernel", "tried"]

History = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Tried:
    """A candidate that some of the rows have judged; None where it could not be evaluated."""

    name: str
    log_evidence: float | None
    score: float | None  # log evidence less the cost


def tried(history: History) -> list[Tried]:
    """Return the candidates in the order in which they were tried.

    >>> tried([{"phase": "kernel: RBF on 90 rows", "log_evidence": -7.0, "score": -9.0}])
    [Tried(name='kernel: RBF on 90 rows', log_evidence=-7.0, score=-9.0)]
    """
    return [
        Tried(str(entry["phase"]), _finite(entry.get("log_evidence")), _finite(entry["score"]))
        for entry in history
        if "score" in entry
    ]


def chosen_kernel(history: History) -> str | None:
    """Return the name of the kernel that was chosen; None if it was not left open.

    >>> chosen_kernel([{"phase": "kernel", "kernel": "RBF + Linear"}])
    'RBF + Linear'
    """
    names = [entry["kernel"] for entry in history if entry.get("phase") == "kernel"]
    return str(names[-1]) if names else None


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, float) and isfinite(value) else None
