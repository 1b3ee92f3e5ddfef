"""Use every core for a pass over blocks of rows.

Each thread takes every k-th block and runs the whole chain (kernel values, triangular
solve, products) on it with one BLAS thread, so that the elementwise steps are parallel
too and the block stays in that core's cache. Which thread takes which block is fixed:
the same machine gives the same bits every time. Jobs that are not added up (``parallel_map``) go
to whichever thread is free.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TypeVar

from threadpoolctl import ThreadpoolController

__all__ = ["in_shares", "n_threads", "one_blas_thread", "parallel_map", "shares_of", "threads_for"]

# Below this size a factorisation has no use for a second thread.
SIZE_FOR_THREADS = 1000

Item = TypeVar("Item")
Result = TypeVar("Result")


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # looks at every loaded library: once is enough


def n_threads() -> int:
    """Return how many threads BLAS may use now: the limits of users and of joblib count."""
    counts = [pool.num_threads for pool in _controller().lib_controllers if pool.user_api == "blas"]
    return max(counts, default=1)


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context for small matrices, where threads cost more than they bring."""
    return _controller().limit(limits=1, user_api="blas")


def threads_for(size: int) -> AbstractContextManager[object]:
    """Return a context for factorisations of this size: one BLAS thread if they are small.

    The threads of a BLAS spin for a while after each call. Between small factorisations they
    take the cores away from the threads that pass over the rows.
    """
    return one_blas_thread() if size < SIZE_FOR_THREADS else nullcontext()


def shares_of(items: Sequence[Item], threads: int) -> list[Sequence[Item]]:
    """Deal items out to threads.

    >>> shares_of([0, 1, 2, 3, 4], 2)
    [[0, 2, 4], [1, 3]]
    """
    threads = max(1, min(threads, len(items)))
    return [items[first::threads] for first in range(threads)]


def in_shares(work: Callable[[Item], Result], shares: Sequence[Item]) -> list[Result]:
    """Return ``work`` of each share, in order, each in a thread with one BLAS thread."""
    return parallel_map(work, shares, len(shares))


def parallel_map(
    work: Callable[[Item], Result], items: Sequence[Item], threads: int
) -> list[Result]:
    """Return ``work`` of each item, in order; a thread that is free takes the next one.

    >>> parallel_map(abs, [-1, 2, -3], threads=2)
    [1, 2, 3]
    """
    if threads == 1 or len(items) == 1:
        return [work(item) for item in items]
    with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))
