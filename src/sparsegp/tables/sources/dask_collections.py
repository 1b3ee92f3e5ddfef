"""Dask collections as users hand them in: checked, dataframes as arrays, lazy predictions.

Dask itself is not imported here: the collections have methods.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sparsegp.arrays import to_host
from sparsegp.tables.labels import label_columns
from sparsegp.tables.sources.dask_table import (
    DaskTable,
    answered,
    lazily,
    one_node,
    probed,
    values_of,
)
from sparsegp.tables.targets import Labels, Targets, label_targets
from sparsegp.tables.validation import check_sample_weight

__all__ = ["dask_arrays", "lazy_answers", "open_dask"]

#: Kinds of dtypes that are read: floats, integers, unsigned integers, booleans.
NUMBERS = "fiub"


def open_dask(X: Any, y: Any, sample_weight: Any, labels: Labels | None) -> DaskTable:
    """Return a table of Dask arrays or dataframes; labels and weights are computed here."""
    in_dask = hasattr(sample_weight, "dask")
    X, y, lazy_weight = dask_arrays(
        X, y, sample_weight if in_dask else None, labels=labels is not None
    )
    if labels is None:
        weight = to_host(values_of(lazy_weight)[0]) if in_dask else sample_weight
        weight = check_sample_weight(weight, X.shape[0])
        return DaskTable(X, y, Targets(None, weight, y.ndim == 1), lazy_weight)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    found, weight = values_of(y, lazy_weight) if in_dask else (values_of(y)[0], sample_weight)
    found, weight = to_host(found), to_host(weight)
    targets = label_targets(X, found, weight, labels)
    chunks = (y.chunks[0], (targets.n_outputs,))
    columns = y.map_blocks(
        label_columns, targets.classes, dtype=np.float64, chunks=chunks, new_axis=1
    )
    return DaskTable(X, columns, targets)


def dask_arrays(
    X: Any, y: Any, weight: Any = None, *, labels: bool = False
) -> tuple[Any, Any, Any]:
    """Return Dask arrays or dataframes X (n, D), y (n,) or (n, p), weight (n,) or None as arrays.

    They are checked to have the same partitions, of known sizes. ``labels`` y may be anything.
    """
    given = {"X": X, "y": y} | ({} if weight is None else {"sample_weight": weight})
    anything = ("y",) if labels else ()
    arrays = _frames_as_arrays(given, anything)
    for name, array in arrays.items():
        _check_array(name, array, numbers=name not in anything)
    X, y = arrays["X"], arrays["y"]
    if X.ndim != 2 or y.ndim not in (1, 2) or 0 in X.shape or 0 in y.shape:
        raise ValueError(
            "X must have the shape (n_samples, n_features) and y (n_samples,) or (n_samples, "
            f"n_outputs), with at least one of each, got {X.shape} and {y.shape}"
        )
    for name, array in arrays.items():
        if array.chunks[0] != X.chunks[0]:
            raise ValueError(
                f"X and {name} must have the same partitions of rows, got {len(X.chunks[0])} of "
                f"{X.shape[0]} rows and {len(array.chunks[0])} of {array.shape[0]} rows: rechunk "
                f"one of them, {name} = {name}.rechunk({{0: X.chunks[0]}}), or take both from one "
                "dataframe"
            )
    return X, y, arrays.get("sample_weight")


def _is_frame(value: Any) -> bool:
    """Return whether something is a Dask dataframe or one column of it."""
    return hasattr(value, "to_dask_array")


def _frames_as_arrays(given: dict[str, Any], anything: Sequence[str] = ()) -> dict[str, Any]:
    """Return dataframes as arrays; the lengths of all their partitions are computed at once."""
    frames = {
        name: value.astype(object) if name in anything else _numbers(name, value)
        for name, value in given.items()
        if _is_frame(value)
    }
    lengths = values_of(*(frame.map_partitions(len) for frame in frames.values()))
    for (name, frame), sizes in zip(frames.items(), lengths, strict=True):
        given = given | {name: frame.to_dask_array(lengths=tuple(int(size) for size in sizes))}
    return given


def _numbers(name: str, frame: Any) -> Any:
    """Return a dataframe or a column with all its numbers as doubles."""
    types = dict(frame.dtypes) if frame.ndim == 2 else {frame.name: frame.dtype}
    for column, dtype in types.items():
        if dtype.kind not in NUMBERS:
            raise ValueError(
                f"{name} must hold numbers, but column {column!r} is {dtype}: leave it out, or "
                "encode it as numbers"
            )
        _check_precision(f"column {column!r} of {name}", dtype)
    return frame.astype(np.float64)


def _check_array(name: str, value: Any, *, numbers: bool = True) -> None:
    if not hasattr(value, "compute_chunk_sizes"):
        raise TypeError(
            f"{name} must be a Dask array or dataframe where X or y is one, got "
            f"{type(value).__name__}: use dask.array.from_array"
        )
    if np.isnan(value.shape).any():
        raise ValueError(f"{name} has chunks of unknown sizes: call {name}.compute_chunk_sizes()")
    if not numbers:
        return
    if value.dtype.kind not in NUMBERS:
        raise ValueError(f"{name} must hold real numbers, got {value.dtype}")
    _check_precision(name, value.dtype)


def _check_precision(name: str, dtype: Any) -> None:
    if dtype == np.float16:
        raise ValueError(
            f"{name} is float16, whose precision is too low: pass float32 or float64, e.g. "
            'astype("float64")'
        )


def lazy_answers(function: Callable[..., Any], X: Any, *beside: Any) -> Any:
    """Return as a Dask collection, or a tuple of them, what ``function`` makes of blocks of rows.

    It gets a block of X (n, D) and, if there is a target beside it, one of y. An array gives
    arrays; a dataframe gives columns, or dataframes if there are several outputs, with its index.
    Nothing is computed.
    """
    if X.ndim != 2 or not (_is_frame(X) or hasattr(X, "chunks")):
        raise TypeError(
            "X must be a Dask array (n_samples, n_features) or a Dask dataframe, got "
            f"{type(X).__name__} with {X.ndim} dimensions"
        )
    for y in beside:
        _check_beside(X, y)
    if not _is_frame(X):
        _check_precision("X", X.dtype)
        return lazily(function, X, *beside)
    frames = [_numbers(name, each) for name, each in zip("Xy", (X, *beside), strict=False)]
    probe = probed(function, *(() if each.ndim == 1 else (len(each.columns),) for each in frames))
    answers = probe if isinstance(probe, tuple) else (probe,)
    if any(each.ndim > 2 for each in answers):  # a dataframe has two axes
        return lazily(function, *(each.to_dask_array() for each in frames))
    meta = _in_columns(frames[0]._meta, function, probe)
    whole = frames[0].map_partitions(
        _in_columns, one_node(function), probe, *frames[1:], meta=meta, align_dataframes=False
    )
    own, start = [], 0
    for each in answers:
        end = start + int(np.prod(each.shape[1:]))
        own.append(whole[start] if each.ndim == 1 else whole[list(range(start, end))])
        start = end
    return tuple(own) if isinstance(probe, tuple) else own[0]


def _check_beside(X: Any, y: Any) -> None:
    """Refuse a target of another kind than the inputs, or of other partitions."""
    if _is_frame(X) != _is_frame(y) or not hasattr(y, "npartitions"):
        raise TypeError(
            f"y must be a Dask collection of the kind of X, which is a {type(X).__name__}, got "
            f"{type(y).__name__}"
        )
    known = not _is_frame(X) and not np.isnan(X.chunks[0] + y.chunks[0]).any()
    if (X.chunks[0] != y.chunks[0]) if known else (X.npartitions != y.npartitions):
        raise ValueError(
            f"X and y must have the same partitions of rows, got {X.npartitions} and "
            f"{y.npartitions}: rechunk or repartition one of them"
        )


def _in_columns(frame: Any, function: Callable[..., Any], probe: Any, *beside: Any) -> Any:
    """Return all predictions for a pandas dataframe side by side, with its index."""
    answers = answered(function, probe, frame.to_numpy(), *beside)
    columns = np.column_stack(answers if isinstance(answers, tuple) else (answers,))
    return type(frame)(columns, index=frame.index)
