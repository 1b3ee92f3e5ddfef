"""What the choice of kernel and transforms tried and chose, read from the history of a fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from sparsegp.learning.history.history import History
from sparsegp.learning.history.phases import Phase

__all__ = [
    "Tried",
    "chosen_kernel",
    "has_refined_inputs",
    "inference_by_held_out_rows",
    "note_family",
    "tried",
]

#: The label of a refinement in model files of earlier versions.
OLD_REFINEMENT = "moving the basis"

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


def inference_by_held_out_rows(history: Entries) -> str | None:
    """Return the inference that held-out rows preferred; None if nothing was compared.

    >>> inference_by_held_out_rows([{"phase": "choice of inference", "chosen": "least_squares"}])
    'least_squares'
    """
    chosen = [entry.get("chosen") for entry in history if entry.get("phase") == Phase.INFERENCE]
    return str(chosen[-1]) if chosen else None


def note_family(history: History, family: str | None) -> None:
    """Record that the first part of the chosen kernel is now of another family; None: it is not."""
    kernel = chosen_kernel(history.entries)
    if family is not None and kernel is not None:
        history.note(Phase.KERNEL, kernel=" + ".join([family, *kernel.split(" + ")[1:]]))


def has_refined_inputs(history: Entries) -> bool:
    """Tell whether the inducing inputs were optimised, so that they are no rows any more.

    >>> has_refined_inputs([{"phase": "inducing inputs, 700 rows"}])
    True
    """
    labels = [str(entry.get("phase")) for entry in history]
    if any(entry.get("kept") for entry in history):  # a larger basis, of rows as they are
        return False
    return any(
        Phase.of(each) is Phase.REFINEMENT or each.startswith(OLD_REFINEMENT) for each in labels
    )


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, float) and isfinite(value) else None
