"""Predictions for rows wherever they are, and back to the library and device they came from."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sparsegp.arrays import is_of_other_library, moved, namespace, to_host, to_numpy
from sparsegp.tables.open import is_dask
from sparsegp.tables.policy import ROWS_OF_BLOCK
from sparsegp.tables.sources.blocks import ArrayBlocks
from sparsegp.tables.sources.device import as_floats
from sparsegp.tables.sources.parquet import FileInputs, FileTarget
from sparsegp.tables.validation import check_finite, check_same_rows

__all__ = ["labels_in_memory", "like_inputs", "map_rows"]


def map_rows(work: Callable[..., Any], X: Any, *beside: Any) -> Any:
    """Return what ``work`` makes of inputs out of core, block by block.

    A memory-mapped array and a file give arrays; a Dask collection gives lazy Dask collections.
    Targets ``beside`` X are cut with it.
    """
    if is_dask(X):
        from sparsegp.tables.sources.dask_collections import lazy_answers  # noqa: PLC0415  (optional)

        return lazy_answers(work, X, *beside)
    return _joined([work(*block) for block in _blocks(X, *beside)])


def _blocks(X: Any, *beside: Any) -> Iterator[tuple[Any, ...]]:
    """Yield blocks of inputs (b, D) and of targets beside them."""
    if not len(X):
        raise ValueError("X has no rows to predict")
    targets = [_target_beside(X, y) for y in beside]
    names, reads_target = None, any(isinstance(y, FileTarget) for y in targets)
    source: Any = ArrayBlocks(X)
    if isinstance(X, FileInputs):
        names, source = X.table.columns, X.table if reads_target else X.table.without_target()
    start = 0
    for rows in source.blocks(ROWS_OF_BLOCK):
        end = start + len(rows)
        check_finite("X", rows.X, names, range(start, end))
        yield (
            rows.X,
            *(
                (rows.y[:, 0] if source.one_target else rows.y)
                if isinstance(y, FileTarget)
                else y[start:end]
                for y in targets
            ),
        )
        start = end


def _target_beside(X: Any, y: Any) -> Any:
    """Return a target that can be read along with X: an array, or one of the same file."""
    if not isinstance(y, FileTarget):
        y = np.asarray(y)
        check_same_rows(X, y)
    elif not isinstance(X, FileInputs) or y.table is not X.table:
        raise ValueError("y must be the target of the same table as X: (table.X, table.y)")
    return y


def _joined(parts: list[Any]) -> Any:
    """Join arrays, or tuples of arrays, row after row."""
    if isinstance(parts[0], tuple):
        return tuple(_joined(list(each)) for each in zip(*parts, strict=True))
    return namespace(parts[0]).concat(parts)


def like_inputs(prediction: Any, X: Any) -> Any:
    """Return a prediction, or a tuple of them, in the library and on the device of X."""
    if isinstance(prediction, tuple):
        return tuple(like_inputs(each, X) for each in prediction)
    if is_of_other_library(X):
        return moved(prediction, like=as_floats(X))
    return to_numpy(prediction) if is_of_other_library(prediction) else prediction


def labels_in_memory(labels: Any) -> Any:
    """Return labels of a file, of Dask or of a device as a NumPy array; others as they are."""
    if isinstance(labels, FileTarget):
        return labels.labels()
    if is_dask(labels):
        return np.asarray(labels.compute())
    return np.asarray(to_host(labels)) if is_of_other_library(labels) else labels
