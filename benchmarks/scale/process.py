"""Work in a process of its own: its own number of threads, its own peak of memory."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.peers.runner import THREAD_VARIABLES

__all__ = ["PeakMemory", "environment", "in_fresh_process"]

T = TypeVar("T")


def in_fresh_process(work: Callable[..., T], *arguments: Any, threads: int) -> T:
    """Return what ``work`` makes of the arguments in a new Python with a number of BLAS threads."""
    with environment(dict.fromkeys(THREAD_VARIABLES, str(threads))):
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            return pool.submit(work, *arguments).result()


@contextmanager
def environment(values: dict[str, str]) -> Iterator[None]:
    """Set variables of the environment for a while: processes that start then have them."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


class PeakMemory:
    """The most that this process has held since the start, beyond what it held then; Linux only."""

    def __init__(self) -> None:
        self._before = _status("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew

    @property
    def bytes_beyond(self) -> int:
        """Bytes."""
        return _status("VmHWM") - self._before


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))
