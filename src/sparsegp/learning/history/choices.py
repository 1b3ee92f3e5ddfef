"""What the choice of kernel and transforms tried and chose, read from the history of a fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sparsegp.learning.history.phases import Phase

__all__ = ["Tried", "chosen_kernel", "has_refined_inputs", "tried"]

Entries = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Tried:
    """A candidate and its scores; None where it could not be evaluated."""

    name: str
    log_evidence: float | None
    score: float | None  # log evidence less the complexity cost


def tried(history: Entries) -> list[Tried]:
    """Return the candidates in the order in which they were tried.

    >>> tried([{"phase": "kernel: RBF on 90 rows", "log_evidence": -7.0, "score": -9.0}])
    [Tried(name='kernel: RBF on 90 rows', log_evidence=-7.0, score=-9.0)]
    """
    return [
        Tried(str(entry["phase"]), _finite(entry.get("log_evidence")), _finite(entry["score"]))
        for entry in history
        if "score" in entry
    ]


def chosen_kernel(history: Entries) -> str | None:
    """Return the name of the kernel that was chosen; None if the kernel was given.

    >>> chosen_kernel([{"phase": "kernel", "kernel": "RBF + Linear"}])
    'RBF + Linear'
    """
    names = [entry["kernel"] for entry in history if entry.get("phase") == Phase.KERNEL]
    return str(names[-1]) if names else None


def has_refined_inputs(history: Entries) -> bool:
    """Tell whether the inducing inputs were optimised, so that they are no rows any more.

    >>> has_refined_inputs([{"phase": "moving the basis, 700 rows"}])
    True
    """
    return any(Phase.of(str(entry.get("phase"))) is Phase.REFINEMENT for entry in history)


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, float) and isfinite(value) else None
