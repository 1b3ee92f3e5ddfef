"""What a fit reports about itself while it runs."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import TypeAlias

__all__ = ["Listener", "Progress", "silent", "thread_safe"]


@dataclass(frozen=True)
class Progress:
    """One step of one phase of a fit."""

    phase: str  # a label of ``Phase``, e.g. "hyperparameters on 500 rows"
    step: int
    total: int | None  # None if not known beforehand
    value: float  # of the measure that the phase improves; lower is better


Listener: TypeAlias = Callable[[Progress], None]


def silent(_: Progress) -> None:
    """Ignore all progress."""


def thread_safe(listener: Listener) -> Listener:
    """Return a listener that several threads may call."""
    lock = Lock()

    def listen(progress: Progress) -> None:
        with lock:
            listener(progress)

    return listen
