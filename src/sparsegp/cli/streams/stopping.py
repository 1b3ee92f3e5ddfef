"""Ending between two rows when the system asks to, never within one."""

import signal
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, Self, TypeVar

__all__ = ["Stopping"]

Item = TypeVar("Item")


class _StoppedError(Exception):
    """Raised while nothing is being done but waiting."""


class Stopping:
    """Listens to SIGINT and SIGTERM; ``signal`` is the one that came."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def until_asked(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items until a signal comes; one that is being worked on is finished."""
        source = iter(items)
        while True:
            try:
                self._waiting = True  # first this, then the question: a signal between is heard
                if self.signal is not None:
                    return
                item = next(source)
                self._waiting = False
            except (StopIteration, _StoppedError):
                return
            finally:
                self._waiting = False
            yield item

    def _hear(self, number: int, _: FrameType | None) -> None:
        self.signal = number
        if self._waiting:
            self._waiting = False
            raise _StoppedError
