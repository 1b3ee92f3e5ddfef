"""Seconds that a fit spends on passes over a table, by kind of pass.

Beside the seconds on the wall those of all threads are kept: on a machine that has other work to do
only these say what a row costs.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from typing import Any

__all__ = ["PASSES", "Passes", "clocked"]

#: Methods of a table that read rows, and what they are called in the records.
PASSES = {"fetch": "fetches", "reduce": "sums"}


@dataclass
class Passes:
    """What was seen so far; a pass within another one counts for the outer."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PASSES.values(), 0.0))
    cpu_seconds: dict[str, float] = field(
        default_factory=lambda: dict.fromkeys(PASSES.values(), 0.0)
    )
    times: dict[str, int] = field(default_factory=lambda: dict.fromkeys(PASSES.values(), 0))
    fetched: int = 0  # rows
    inside: bool = False

    def watch(self, method: Callable[..., Any], name: str) -> Callable[..., Any]:
        """Return the method of a table with a clock beside it."""

        @wraps(method)
        def timed(table: Any, *arguments: Any, **options: Any) -> Any:
            if self.inside:
                return method(table, *arguments, **options)
            self.inside, start, cpu = True, time.perf_counter(), time.process_time()
            try:
                return method(table, *arguments, **options)
            finally:
                self.inside = False
                self.seconds[PASSES[name]] += time.perf_counter() - start
                self.cpu_seconds[PASSES[name]] += time.process_time() - cpu
                self.times[PASSES[name]] += 1
                self.fetched += len(arguments[0]) if name == "fetch" else 0

        return timed


@contextmanager
def clocked(table_class: type) -> Iterator[Passes]:
    """Watch all passes over tables of a class."""
    passes, before = Passes(), {name: getattr(table_class, name) for name in PASSES}
    for name, method in before.items():
        setattr(table_class, name, passes.watch(method, name))
    try:
        yield passes
    finally:
        for name, method in before.items():
            setattr(table_class, name, method)
