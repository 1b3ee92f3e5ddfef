"""Dask arrays as tables: sums on the workers, a few rows by number, lazy predictions.

Partitions may be arrays of another library on a device of their worker: sums over features are made
there, everything else by rows on the host of the worker.

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

from sparsegp.arrays import keep_freed_memory, moved, one_blas_thread, to_host, to_numpy
from sparsegp.tables.memory import Memory, ModelMemory
from sparsegp.tables.out_of_core import Along
from sparsegp.tables.policy import SUMS_PER_TASK
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.device import as_floats, as_host_array, on_device
from sparsegp.tables.sources.partitioned import PartitionedTable, add_if_any, floats, sent_along
from sparsegp.tables.targets import Targets

__all__ = ["DaskTable", "answered", "lazily", "one_node", "probed", "values_of"]

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]


def values_of(*collections: Any) -> tuple[Any, ...]:
    """Compute Dask collections; they should be small."""
    with one_blas_thread(), _no_warning_of_large_graphs():
        return tuple(dask.compute(*collections))


class DaskTable(PartitionedTable):
    """Partitions of rows, on the scheduler that Dask uses at the time."""

    how_read = "in their own partitions"
    on_workers = True

    def __init__(self, X: Any, y: Any, targets: Targets, lazy_weight: Any = None) -> None:
        """Take arrays of ``dask_arrays``.

        The weights of ``targets`` (n,) are in memory; ``lazy_weight`` are the same in Dask, if they
        came from there.
        """
        X, y = X.rechunk({1: -1}), (y[:, None] if y.ndim == 1 else y).rechunk({1: -1})
        self._set_targets(targets, int(y.shape[1]))
        starts = [0, *(int(end) for end in np.cumsum(X.chunks[0]))]
        if self.counted is not None:
            starts = np.searchsorted(self.counted, starts).tolist()
        self._starts, self.n_rows, self.n_columns = starts, starts[-1], int(X.shape[1])
        collections = [X, y]
        if targets.weight is not None:
            if lazy_weight is None:
                lazy_weight = da.from_array(targets.weight, chunks=X.chunks[:1])
            collections.append(lazy_weight[:, None])
        blocks = zip(*(each.to_delayed()[:, 0] for each in collections), strict=True)
        self._blocks = list(blocks)  # of X, y and maybe weights, one of each per partition

    def within(self, memory: Memory, model: ModelMemory) -> "DaskTable":
        """Return the table with its own partitions, if the model fits into memory."""
        memory.rows_of_block(self.n_columns, model)
        return self

    def fetch(self, numbers: Indices) -> Rows:
        """Return a few rows; each partition sends its own."""
        order = np.argsort(numbers, kind="stable")
        increasing = np.asarray(numbers)[order]
        cuts = pairwise(np.searchsorted(increasing, self._starts))
        tasks = [
            delayed(_take)(increasing[low:high] - start, *blocks)
            for blocks, start, (low, high) in zip(self._blocks, self._starts, cuts, strict=False)
            if low < high
        ]
        if not tasks:
            nothing = np.empty(0) if self.is_weighted else None
            return Rows(np.empty((0, self.n_columns)), np.empty((0, self.n_outputs)), nothing)
        return _joined_rows(self._compute(*tasks)).take(np.argsort(order))

    def reduce(
        self,
        work: Callable[..., T | None],
        along: Along | None = None,
        *,
        on_device: bool = False,
    ) -> T:
        """Return the sum over the partitions, added by the workers."""
        shared, done = one_node(work), partial(_done, on_device=on_device)
        sums = [
            delayed(done)(shared, start, sent_along(along, start, end - start), *blocks)
            for blocks, (start, end) in zip(self._blocks, pairwise(self._starts), strict=True)
        ]
        while len(sums) > 1:
            groups = range(0, len(sums), SUMS_PER_TASK)
            sums = [delayed(_add)(sums[first : first + SUMS_PER_TASK]) for first in groups]
        return self._compute(sums[0])[0]

    def _compute(self, *tasks: Any) -> tuple[Any, ...]:
        """Run tasks; if one needs too much memory, the error says what to lower."""
        try:
            return values_of(*tasks)
        except Exception as error:
            if not _tells_of_memory(error):
                raise
            n_rows = max(end - start for start, end in pairwise(self._starts))
            raise MemoryError(
                "a Dask worker ran out of memory, or was killed repeatedly, on partitions of up to "
                f"{n_rows:,} rows and {self.n_columns:,} columns: make smaller partitions (rechunk "
                "of an array, repartition of a dataframe; of y too), lower max_basis, or give the "
                "workers more memory"
            ) from error


def _tells_of_memory(error: Exception) -> bool:
    """Return whether a task was too large: it says so, or its workers were killed."""
    distributed: Any = sys.modules.get("distributed")
    killed = distributed is not None and isinstance(error, distributed.KilledWorker)
    return killed or isinstance(error, MemoryError)


def _no_warning_of_large_graphs() -> AbstractContextManager[object]:
    """Return a context: a basis of thousands of vectors makes a large graph, as it should."""
    if "distributed" not in sys.modules:  # its settings are not there yet
        return nullcontext()
    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"})


def _rows(X: Any, y: Any, weight: Any = None) -> Rows:
    """Return the rows of a partition, where X is; weights are (b, 1), zero leaves a row out."""
    X = as_host_array("X", X)
    if on_device(X):
        X = as_floats(X)
        y = as_floats(moved(y, like=X))
    else:
        X, y = floats(X), floats(to_host(y))
    if weight is None:
        return Rows(X, y)
    weight = to_numpy(weight)[:, 0]
    rows = Rows(X, y, moved(weight, like=X))
    return rows if weight.all() else rows.take(np.flatnonzero(weight))


def _joined_rows(parts: Sequence[Rows]) -> Rows:
    weights = [part.weight for part in parts if part.weight is not None]
    return Rows(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate(weights) if weights else None,
    )


def _take(places: Indices, *blocks: Any) -> Rows:
    return _rows(*blocks).take(places).to_host()


def _done(
    work: Callable[..., T | None],
    start: int,
    along: Sequence[Any],
    *blocks: Any,
    on_device: bool = False,
) -> T | None:
    keep_freed_memory()
    rows = _rows(*blocks)
    if not len(rows):
        return None
    return work(start, rows if on_device else rows.to_host(), *along)


def _add(parts: Sequence[Any]) -> Any:
    total = None
    for part in parts:
        total = add_if_any(total, part)
    return total


def lazily(function: Callable[..., Any], X: Any, *beside: Any) -> Any:
    """Return the Dask array, or the tuple of them, of what ``function`` makes of blocks of rows.

    It gets a block of X (n, D) and those of the arrays beside it, (n,) or (n, p), which have the
    same partitions. One call with made-up rows tells the number of arrays and their shapes.
    """
    arrays = [each.rechunk({1: -1}) if each.ndim == 2 else each for each in (X, *beside)]
    probe = probed(function, *(each.shape[1:] for each in arrays))
    shared = one_node(partial(answered, function, probe))
    blocks = zip(*(each.to_delayed().ravel() for each in arrays), strict=True)
    done = [shared(*all_of_it) for all_of_it in blocks]
    if isinstance(probe, tuple):
        return tuple(_joined(done, X.chunks[0], each, i) for i, each in enumerate(probe))
    return _joined(done, X.chunks[0], probe, None)


def probed(function: Callable[..., Any], *shapes: tuple[int, ...]) -> Any:
    """Return what the function makes of one made-up row; a target of ones is always valid."""
    return function(np.zeros((1, *shapes[0])), *(np.ones((1, *shape)) for shape in shapes[1:]))


def answered(function: Callable[..., Any], probe: Any, X: Any, *beside: Any) -> Any:
    """Return what the function makes of a block; an empty block gives empty results."""
    if X.shape[0]:
        return function(*(floats(to_host(each)) for each in (X, *beside)))
    return tuple(each[:0] for each in probe) if isinstance(probe, tuple) else probe[:0]


def one_node(value: Any) -> Any:
    """Return a value as a node of the graph, which is sent once to each worker that needs it."""
    return delayed(value, pure=False, traverse=False)


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
