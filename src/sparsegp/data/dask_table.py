"""Dask arrays as tables: sums on the workers, a few rows by number, results that stay lazy.

The only file that imports Dask. A pass is a map over the partitions and a tree of sums; what every
task needs (basis, kernel) is one node of the graph, so that a task lost with its worker can be done
again. Partitions are whole rows: arrays that are also cut by columns are joined first.
"""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

import dask
import dask.array as da
import numpy as np
import numpy.typing as npt
from dask.delayed import delayed

from sparsegp.arrays import one_blas_thread
from sparsegp.data.rows import Rows
from sparsegp.data.table import Along, Table, add_if_any, floats, sent_along

__all__ = ["DaskTable", "dask_table", "lazily"]

T = TypeVar("T")
Indices = npt.NDArray[np.intp]

# So many results are added in one task.
FAN_IN = 8


def dask_table(X: Any, y: Any) -> "DaskTable":
    """Return the table of Dask arrays X (n, D) and y (n,) or (n, p)."""
    for name, value in (("X", X), ("y", y)):
        _check_array(name, value)
    if X.ndim != 2 or y.ndim not in (1, 2) or 0 in X.shape or 0 in y.shape:
        raise ValueError(
            "X must have the shape (n_samples, n_features) and y (n_samples,) or (n_samples, "
            f"n_outputs), with at least one of each, got {X.shape} and {y.shape}"
        )
    if X.chunks[0] != y.chunks[0]:
        raise ValueError(
            f"X and y must have the same partitions of rows, got {len(X.chunks[0])} of "
            f"{X.shape[0]} rows and {len(y.chunks[0])} of {y.shape[0]} rows: rechunk one of them, "
            "y = y.rechunk({0: X.chunks[0]})"
        )
    return DaskTable(X, y)


def _check_array(name: str, value: Any) -> None:
    if not isinstance(value, da.Array):
        raise TypeError(
            f"{name} must be a Dask array where the other is one, got {type(value).__name__}: use "
            ".to_dask_array(lengths=True) for a dataframe, dask.array.from_array for an array"
        )
    if np.isnan(value.shape).any():
        raise ValueError(f"{name} has chunks of unknown sizes: call {name}.compute_chunk_sizes()")
    if value.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold real numbers, got {value.dtype}")


class DaskTable(Table):
    """Partitions of rows, on whatever scheduler Dask uses at the time."""

    def __init__(self, X: Any, y: Any) -> None:
        self.one_target = y.ndim == 1
        X, y = X.rechunk({1: -1}), (y[:, None] if self.one_target else y).rechunk({1: -1})
        self.n_rows, self.n_columns = (int(size) for size in X.shape)
        self.n_outputs = int(y.shape[1])
        self._starts = [0, *(int(end) for end in np.cumsum(X.chunks[0]))]
        blocks = zip(X.to_delayed()[:, 0], y.to_delayed()[:, 0], strict=True)
        self._parts = [delayed(_rows)(*both) for both in blocks]

    def fetch(self, numbers: Indices) -> Rows:
        """Let each partition send the rows that are wanted of it."""
        order = np.argsort(numbers, kind="stable")
        wanted = np.asarray(numbers)[order]  # increasing
        cuts = pairwise(np.searchsorted(wanted, self._starts))
        tasks = [
            delayed(_take)(part, wanted[low:high] - start)
            for part, start, (low, high) in zip(self._parts, self._starts, cuts, strict=False)
            if low < high
        ]
        X, y = np.empty((len(order), self.n_columns)), np.empty((len(order), self.n_outputs))
        if tasks:
            some = self._compute(*tasks)
            X[order] = np.concatenate([rows.X for rows in some])
            y[order] = np.concatenate([rows.y for rows in some])
        return Rows(X, y)

    def add_up(self, work: Callable[..., T | None], along: Along | None = None) -> T:
        """Return the sum over the partitions, added by the workers."""
        shared = delayed(work, pure=False, traverse=False)
        sums = [
            delayed(_done)(shared, start, part, *sent_along(along, start, end - start))
            for part, (start, end) in zip(self._parts, pairwise(self._starts), strict=True)
        ]
        while len(sums) > 1:
            groups = range(0, len(sums), FAN_IN)
            sums = [delayed(_add)(sums[first : first + FAN_IN]) for first in groups]
        return self._compute(sums[0])[0]

    def in_turn(self, work: Callable[[T, int, Rows], T], first: T) -> T:
        """Return what becomes of ``first``; the partitions wait for each other."""
        shared = delayed(work, pure=False, traverse=False)
        state: Any = delayed(first, pure=False, traverse=False)
        for start, part in zip(self._starts, self._parts, strict=False):
            state = delayed(_next)(shared, state, start, part)
        return self._compute(state)[0]

    def _compute(self, *tasks: Any) -> tuple[Any, ...]:
        """Run tasks; each has one core, since there are as many of them as cores."""
        try:
            with one_blas_thread(), _no_warning_of_large_graphs():
                return tuple(dask.compute(*tasks))
        except Exception as error:
            if not _tells_of_memory(error):
                raise
            n_rows = max(end - start for start, end in pairwise(self._starts))
            raise MemoryError(
                "a Dask worker ran out of memory, or died again and again, on partitions of up to "
                f"{n_rows:,} rows and {self.n_columns:,} columns: make smaller partitions (rechunk "
                "of an array, repartition of a dataframe; of y too), lower max_basis, or give the "
                "workers more memory"
            ) from error


def _tells_of_memory(error: Exception) -> bool:
    """Tell whether a task was too large: it says so, or its workers were killed one by one."""
    distributed: Any = sys.modules.get("distributed")
    killed = distributed is not None and isinstance(error, distributed.KilledWorker)
    return killed or isinstance(error, MemoryError)


def _no_warning_of_large_graphs() -> AbstractContextManager[object]:
    """Return a context: a basis of thousands of vectors makes a large graph, as it should."""
    if "distributed" not in sys.modules:  # its settings are not there yet
        return nullcontext()
    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"})


def _rows(X: Any, y: Any) -> Rows:
    return Rows(floats(X), floats(y))


def _take(rows: Rows, places: Indices) -> Rows:
    return rows.take(places)


def _done(work: Callable[..., T | None], start: int, rows: Rows, *along: Any) -> T | None:
    return work(start, rows, *along) if len(rows) else None


def _next(work: Callable[[T, int, Rows], T], state: T, start: int, rows: Rows) -> T:
    return work(state, start, rows)


def _add(parts: Sequence[Any]) -> Any:
    total = None
    for part in parts:
        total = add_if_any(total, part)
    return total


def lazily(function: Callable[[Any], Any], X: Any) -> Any:
    """Return the Dask array, or the tuple of them, of what ``function`` makes of blocks of rows.

    It is asked once for a row of zeros, to know how many arrays come and of which shape.
    """
    if not isinstance(X, da.Array) or X.ndim != 2:
        raise TypeError(
            f"X must be a Dask array (n_samples, n_features), got {type(X).__name__}: use "
            ".to_dask_array() for a dataframe"
        )
    X = X.rechunk({1: -1})
    probe = function(np.zeros((1, X.shape[1])))
    shared = delayed(function, pure=False, traverse=False)
    done = [delayed(_called)(shared, block) for block in X.to_delayed()[:, 0]]
    if isinstance(probe, tuple):
        return tuple(_joined(done, X.chunks[0], each, i) for i, each in enumerate(probe))
    return _joined(done, X.chunks[0], probe, None)


def _called(function: Callable[[Any], Any], X: Any) -> Any:
    return function(floats(X))


def _joined(done: Sequence[Any], sizes: Sequence[float], probe: Any, place: int | None) -> Any:
    """Return the results of all blocks as one array in the shape of those of a row."""
    which = partial(_of_result, place=place)
    blocks = [
        da.from_delayed(delayed(which)(result), (size, *probe.shape[1:]), dtype=probe.dtype)
        for result, size in zip(done, sizes, strict=True)
    ]
    return da.concatenate(blocks)


def _of_result(result: Any, place: int | None) -> Any:
    return result if place is None else result[place]
