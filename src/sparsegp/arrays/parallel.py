"""Threads for a pass over blocks of rows.

Each of k threads takes every k-th block and runs the whole chain (kernel values, triangular solve,
products) on it with one BLAS thread, so that the elementwise steps are parallel too and the block
stays in the cache of its core. Which thread takes which block is fixed, so that sums are rounded
the same way every time. Work that is not summed (``parallel_map``) goes to the next free thread.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

from sparsegp.arrays.policy import SIZE_FOR_THREADS

__all__ = [
    "map_shares",
    "n_threads",
    "one_blas_thread",
    "parallel_map",
    "thread_shares",
    "threads_for",
]

Item = TypeVar("Item")
Result = TypeVar("Result")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # inspects every loaded library, which takes a while


def n_threads() -> int:
    """Return how many threads BLAS may use now, within the limits set by users and by joblib."""
    counts = [pool.num_threads for pool in _controller().lib_controllers if pool.user_api == "blas"]
    return max(counts, default=1)


@cache
def _blas_libraries() -> tuple[Any, ...]:
    return tuple(lib for lib in _controller().lib_controllers if lib.user_api == "blas")


class _OneThread:
    """One BLAS thread; asks the libraries alone, where threadpoolctl's limit asks for all facts."""

    def __enter__(self) -> None:
        self._before = [(lib, lib.get_num_threads()) for lib in _blas_libraries()]
        for lib, count in self._before:
            if count != 1:
                lib.set_num_threads(1)

    def __exit__(self, *_: object) -> None:
        for lib, count in self._before:
            if count != 1:
                lib.set_num_threads(count)


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context with one BLAS thread, for small matrices."""
    return _OneThread()


def threads_for(size: int) -> AbstractContextManager[object]:
    """Return a context for factorisations of this size: one BLAS thread if they are small.

    BLAS threads spin for a while after each call. Between small factorisations they would take
    the cores from the threads that pass over the rows.
    """
    return one_blas_thread() if size < SIZE_FOR_THREADS else nullcontext()


def thread_shares(items: Sequence[Item], threads: int) -> list[Sequence[Item]]:
    """Return the items of each thread: every k-th one.

    >>> thread_shares([0, 1, 2, 3, 4], 2)
    [[0, 2, 4], [1, 3]]
    """
    threads = max(1, min(threads, len(items)))
    return [items[first::threads] for first in range(threads)]


def map_shares(work: Callable[[Item], Result], shares: Sequence[Item]) -> list[Result]:
    """Apply ``work`` to each share in a thread of its own; return the results in order."""
    return parallel_map(work, shares, len(shares))


def parallel_map(
    work: Callable[[Item], Result], items: Sequence[Item], threads: int
) -> list[Result]:
    """Apply ``work`` to each item in a pool of threads; return the results in order.

    >>> parallel_map(abs, [-1, 2, -3], threads=2)
    [1, 2, 3]
    """
    if threads == 1 or len(items) == 1:
        return [work(item) for item in items]
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))
