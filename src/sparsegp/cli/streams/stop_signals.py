"""Stopping on a signal between two rows, never within one."""

import signal
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, Self, TypeVar

__all__ = ["StopSignals"]

Item = TypeVar("Item")


class _StoppedError(Exception):
    """Raised by a signal while waiting for the next row."""


class StopSignals:
    """Handles SIGINT and SIGTERM; ``signal`` is the number of the one received."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._waiting = False
        self._previous_handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._previous_handlers[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous_handlers.items():
            signal.signal(number, handler)

    def until_signal(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items until a signal is received; the current item is always finished."""
        source = iter(items)
        while True:
            try:
                self._waiting = True  # set before the check: a signal in between is not lost
                if self.signal is not None:
                    return
                item = next(source)
                self._waiting = False
            except (StopIteration, _StoppedError):
                return
            finally:
                self._waiting = False
            yield item

    def _handle(self, number: int, _: FrameType | None) -> None:
        self.signal = number
        if self._waiting:
            self._waiting = False
            raise _StoppedError
