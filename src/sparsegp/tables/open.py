"""The door for rows: whatever a user hands to ``fit``, one call makes one checked ``Table`` of it.

NumPy arrays, lists and DataFrames become tables in memory; arrays on a device stay there; a
``np.memmap``, a file opened by ``open_table``, a Dask collection, and an array whose copies exceed
a memory limit become tables out of core. Regression and classification come through the same door.
"""

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from sparsegp.arrays import Array, moved, to_numpy
from sparsegp.tables.encoded_inputs import check_inputs
from sparsegp.tables.memory import Memory
from sparsegp.tables.sources.blocks import ArrayBlocks, BlockTable
from sparsegp.tables.sources.device import (
    as_floats,
    as_host_array,
    check_device_inputs,
    check_same_device,
    device_targets,
    has_missing,
    on_device,
)
from sparsegp.tables.sources.memory import MemoryTable
from sparsegp.tables.sources.parquet import FileInputs, FileTarget
from sparsegp.tables.sources.partitioned import PartitionedTable
from sparsegp.tables.table import Table
from sparsegp.tables.targets import Labels, Targets, label_targets, numeric_targets
from sparsegp.tables.validation import check_sample_weight

__all__ = ["check_columns", "is_dask", "is_out_of_core", "open_inputs", "open_rows"]


def open_rows(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    candidates: Any = None,
    *,
    memory: Memory,
    labels: Labels | None = None,
    needs_memory: str | None = None,
) -> Table:
    """Return checked training rows as one table, wherever they are.

    Number and names of the columns are noted on the estimator, as scikit-learn does.

    Parameters
    ----------
    estimator : estimator
    X, y, sample_weight, candidates
        As handed to ``fit``.
    memory : Memory
        That the fit may take beyond X.
    labels : Labels, default=None
        If y holds labels: they become columns of ±1.
    needs_memory : str, default=None
        Why an option needs all rows in memory, and what to do, if it does.
    """
    if y is None:
        name = type(estimator).__name__
        raise ValueError(f"{name} requires y to be passed, but the target y is None")
    X, y, sample_weight = (
        as_host_array(name, each)
        for name, each in (("X", X), ("y", y), ("sample_weight", sample_weight))
    )
    estimator.encoding_ = None
    beside = {"y": y, "sample_weight": sample_weight}
    if labels is not None:  # may be strings, which no device holds
        beside = {name: each for name, each in beside.items() if on_device(each)}
    check_same_device(X, **beside)
    table: Table
    if on_device(X):
        X = _inputs_on_device(estimator, "X", X, reset=True)
        table = MemoryTable(X, device_targets(X, y, sample_weight, labels))
    elif _is_read_in_blocks(X, memory, needs_memory):
        table = open_out_of_core(estimator, X, y, sample_weight, labels)
    else:
        X = check_inputs(estimator, "X", X, reset=True)
        table = MemoryTable(X, _targets(X, y, sample_weight, labels))
    table.candidates = _candidates(estimator, X, candidates)
    return table


def _is_read_in_blocks(X: Any, memory: Memory, needs_memory: str | None) -> bool:
    """Return whether the rows are read in blocks.

    A plain array is if its copies exceed a memory limit. A small memory-mapped array is not if an
    option needs all of it: joblib hands arrays to other processes as such maps.
    """
    if type(X) is np.ndarray:
        blocks = memory.is_given and X.ndim == 2 and not memory.holds_table(*X.shape)
    elif isinstance(X, np.memmap):
        small = needs_memory is not None and X.ndim == 2 and memory.holds_table(*X.shape)
        blocks = X.ndim == 2 and not small
    else:
        blocks = is_out_of_core(X)
    if blocks and needs_memory is not None:
        raise ValueError(needs_memory)
    return blocks


def open_out_of_core(
    estimator: Any, X: Any, y: Any, sample_weight: Any, labels: Labels | None = None
) -> PartitionedTable:
    """Return a table that is read part by part; rows are checked in the first pass."""
    if is_dask(X):
        from sparsegp.tables.sources.dask_collections import open_dask  # noqa: PLC0415  (optional)

        table: PartitionedTable = open_dask(X, y, sample_weight, labels)
        validate_data(estimator, header(X))
    elif isinstance(X, FileInputs):
        source, target = X.table, _file_target(X, y)
        if labels is None:
            target.check_numbers()
            weight = check_sample_weight(sample_weight, len(X))
            targets = Targets(None, weight, source.one_target)
        else:
            targets = label_targets(X, target.labels(), sample_weight, labels)
            source = source.without_target()
        validate_data(estimator, header(X))
        table = BlockTable(source, targets)
    else:
        validate_data(estimator, X[:1], dtype=np.float64, ensure_all_finite=False)
        table = BlockTable(ArrayBlocks(X), _targets(X, y, sample_weight, labels))
    table.names = getattr(estimator, "feature_names_in_", None)
    return table


def _targets(X: Any, y: Any, sample_weight: Any, labels: Labels | None) -> Targets:
    """Check targets and weights in memory beside X."""
    if isinstance(y, FileTarget):
        raise ValueError(
            "y is the target of a table in a file, but X is not: fit(table.X, table.y)"
        )
    if labels is None:
        return numeric_targets(X, y, sample_weight)
    return label_targets(X, y, sample_weight, labels)


def _file_target(X: FileInputs, y: Any) -> FileTarget:
    """Return the target that belongs to the inputs of a table in a file."""
    if not isinstance(y, FileTarget) or y.table is not X.table:
        raise ValueError("y must be the target of the same table: fit(table.X, table.y)")
    if not len(X):
        raise ValueError(f"X has no rows: {X.table.path!r} is empty")
    return y


def _candidates(estimator: Any, X: Any, candidates: Any) -> Array | None:
    """Return candidates for the basis, checked, on the device of X; None stays None."""
    if candidates is None:
        return None
    check_same_device(X, candidates=as_host_array("candidates", candidates))
    return open_inputs(estimator, candidates, like=X, name="candidates")


def open_inputs(estimator: Any, X: Any, *, like: Array, name: str = "X") -> Array:
    """Return inputs (n, D) of a fitted estimator, checked, on the device of another array."""
    if isinstance(X, FileInputs) or is_dask(X):
        raise TypeError(
            f"{name} must be an array in memory here, got {type(X).__name__}: pass the rows that "
            "are needed, e.g. by compute() of a Dask collection"
        )
    X = as_host_array(name, X)
    if on_device(X):
        return moved(_inputs_on_device(estimator, name, X, reset=False), like=like)
    X = check_inputs(estimator, name, X, reset=False)
    return moved(X, like=like) if on_device(like) else X


def _inputs_on_device(estimator: Any, name: str, X: Array, *, reset: bool) -> Array:
    """Return checked inputs on their device; missing values are encoded on the host."""
    encoded = has_missing(X) if reset else getattr(estimator, "encoding_", None) is not None
    if not encoded:
        return check_device_inputs(estimator, name, X, reset=reset)
    inputs = check_inputs(estimator, name, to_numpy(X), reset=reset)
    return moved(inputs, like=as_floats(X))


def is_dask(x: Any) -> bool:
    """Return whether something is a Dask collection, without importing Dask."""
    return type(x).__module__.split(".")[0] in ("dask", "dask_expr")


def is_out_of_core(X: Any) -> bool:
    """Return whether inputs are read in blocks whatever the memory."""
    return isinstance(X, np.memmap | FileInputs) or is_dask(X)


def check_columns(estimator: Any, X: Any) -> None:
    """Refuse a table out of core with other columns than the estimator was fitted on."""
    if len(X.shape) == 2:  # else its first block is refused
        validate_data(estimator, header(X), reset=False)


def header(X: Any) -> Any:
    """Return a row of zeros with the columns of a table out of core, for scikit-learn's checks."""
    columns = X.table.columns if isinstance(X, FileInputs) else getattr(X, "columns", None)
    if columns is None:
        return np.zeros((1, X.shape[1]))
    from pandas import DataFrame  # noqa: PLC0415  (only tables with names need it)

    return DataFrame(np.zeros((1, len(columns))), columns=columns)
