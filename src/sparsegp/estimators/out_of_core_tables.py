"""From what users hand in to a table that is read in blocks: a map of a file, Parquet, Dask."""

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_consistent_length, validate_data

from sparsegp.arrays import n_threads
from sparsegp.estimators.options.transforms import check_domain
from sparsegp.estimators.validation import check_finite, check_sample_weight, check_target
from sparsegp.learning.basis.select import pool_size
from sparsegp.learning.hyperparameters.policy import SUBSET_STAGES
from sparsegp.learning.settings import GAUSSIAN, Settings
from sparsegp.learning.structure.transform_options import TransformOptions
from sparsegp.selection import uses_sample_domain
from sparsegp.tables.memory import Memory, Needed, Sizes
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.parquet import FileInputs, FileTarget
from sparsegp.tables.sources.table import ArrayTable, LocalTable, Table
from sparsegp.tables.sources.validated_reduce import Check
from sparsegp.tables.sources.weighted import WeightedTable

__all__ = [
    "cut_to_fit",
    "file_target",
    "in_planned_parts",
    "is_dask",
    "is_out_of_core",
    "is_read_in_blocks",
    "names_of",
    "out_of_core_table",
    "part_check",
    "table_in_blocks",
]

Indices = npt.NDArray[np.intp]


def is_dask(X: Any) -> bool:
    """Tell whether something is a Dask collection, without importing Dask."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr")


def is_out_of_core(X: Any) -> bool:
    """Tell whether inputs are read in blocks whatever the memory."""
    return isinstance(X, np.memmap | FileInputs) or is_dask(X)


def out_of_core_table(
    estimator: Any, X: Any, y: Any, sample_weight: Any, memory: Memory
) -> tuple[Table, Indices | None] | None:
    """Return the table and the numbers of its rows in X (None: all); None if X is in memory."""
    if not is_read_in_blocks(estimator, X, memory, needs_all=_needs_all(estimator)):
        return None
    return table_in_blocks(estimator, X, y, sample_weight)


def is_read_in_blocks(estimator: Any, X: Any, memory: Memory, *, needs_all: bool) -> bool:
    """Tell whether inputs are read in blocks, with this memory and these options.

    A plain array is if a limit of memory asks for it. A map of a file is not if an option needs all
    of it and there is room: joblib hands arrays to other processes as maps.
    """
    if not is_out_of_core(X):
        limited = estimator.memory_limit is not None and type(X) is np.ndarray and X.ndim == 2
        return limited and not memory.holds_table(*X.shape)
    if isinstance(X, np.memmap):
        return X.ndim == 2 and not (needs_all and memory.holds_table(*X.shape))
    return True


def table_in_blocks(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Table, Indices | None]:
    """Return the table and the numbers of its rows in X (None: all)."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but y is None")
    if isinstance(X, FileInputs):
        return _file_table(estimator, X, y, sample_weight)
    if is_dask(X):
        return _dask_table(estimator, X, y, sample_weight)
    return _array_table(estimator, X, y, sample_weight)


def _needs_all(estimator: Any) -> bool:
    """Tell whether an option needs the whole table at a time."""
    return estimator.noise not in (None, GAUSSIAN)


def _file_table(
    estimator: Any, X: FileInputs, y: Any, sample_weight: Any
) -> tuple[Table, Indices | None]:
    file_target(X, y).check_numbers()
    validate_data(estimator, names_of(X))
    return _weighted(X.table, sample_weight)


def file_target(X: FileInputs, y: Any) -> FileTarget:
    """Return the target that belongs to the inputs of a table in a file."""
    if not isinstance(y, FileTarget) or y.table is not X.table:
        raise ValueError("y must be the target of the same table: fit(table.X, table.y)")
    if not len(X):
        raise ValueError(f"X has no rows: {X.table.path!r} is empty")
    return y


def names_of(X: Any) -> Any:
    """Return a row of zeros with the columns of a table elsewhere, for scikit-learn to look at."""
    columns = X.table.columns if isinstance(X, FileInputs) else getattr(X, "columns", None)
    if columns is None:
        return np.zeros((1, X.shape[1]))
    from pandas import DataFrame  # noqa: PLC0415  (only tables with names need it)

    return DataFrame(np.zeros((1, len(columns))), columns=columns)


def _dask_table(estimator: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Indices | None]:
    from sparsegp.tables.sources.dask_collections import dask_arrays  # noqa: PLC0415  (Dask may be absent)
    from sparsegp.tables.sources.dask_table import DaskTable, values_of  # noqa: PLC0415

    names = X
    X, y, far = dask_arrays(X, y, sample_weight if is_dask(sample_weight) else None)
    validate_data(estimator, names_of(names))
    here = sample_weight if far is None else values_of(far)[0]
    table = DaskTable(X, y, check_sample_weight(here, X.shape[0]), far)
    return table, table.counted


def _array_table(
    estimator: Any, X: Any, y: Any, sample_weight: Any
) -> tuple[Table, Indices | None]:
    validate_data(estimator, X[:1], dtype=np.float64, ensure_all_finite=False)
    y, one_target = check_target(y)
    check_consistent_length(X, y)
    return _weighted(ArrayTable(X, y, one_target=one_target), sample_weight)


def _weighted(table: LocalTable, sample_weight: Any) -> tuple[Table, Indices | None]:
    """Return the table with weights, if there are any, and which of its rows count."""
    weight = check_sample_weight(sample_weight, table.n_rows)
    if weight is None:
        return table, None
    weighted = WeightedTable(table, weight)
    return weighted, weighted.counted


def in_planned_parts(estimator: Any, table: Table, settings: Settings) -> Table:
    """Return the table in parts that fit into memory beside the model; told if it is verbose."""
    if settings.noise not in (None, GAUSSIAN):
        raise ValueError(
            f"noise={settings.noise!r} looks at every row: a table that is read in blocks takes "
            f"noise={GAUSSIAN!r} or None"
        )
    memory, n_basis = settings.memory, min(settings.max_basis, table.n_rows)
    sums = settings.selection != "random" and not uses_sample_domain(
        settings.selection, settings.n_fresh
    )
    pool = pool_size(settings, n_basis, table.n_rows) if sums else 0
    exact = min(SUBSET_STAGES[-1][0], table.n_rows) if settings.optimise else 0
    sizes = Sizes(table.n_rows, n_basis, pool, exact, n_threads())
    return cut_to_fit(estimator, table, memory, n_basis, sizes)


def cut_to_fit(estimator: Any, table: Table, memory: Memory, n_basis: int, sizes: Needed) -> Table:
    """Return the table in parts that fit into memory beside what a model needs."""
    n_rows = memory.rows_of_part(table.n_columns, sizes)
    if not n_rows:
        raise MemoryError(
            f"a fit with {n_basis} basis vectors needs over {sizes.bytes / 1e6:,.0f} MB beside the "
            f"table, and memory_limit={estimator.memory_limit!r} allows for "
            f"{memory.limit / 1e6:,.0f} MB: raise memory_limit, or {sizes.remedy}"
        )
    planned = table.in_parts_of(n_rows)
    if estimator.verbose:
        where = "in its own partitions" if planned is table else f"{n_rows:,} rows at a time"
        print(  # noqa: T201
            f"[sparsegp] memory: {memory.limit / 1e9:.3g} GB, of which the model needs "
            f"{sizes.bytes / 1e9:.3g}; {table.n_rows:,} rows are read {where}"
        )
    return planned


def part_check(estimator: Any, wanted: TransformOptions, origin: Indices | None) -> Check:
    """Return the check of every part of a table; it can be sent elsewhere."""
    names = getattr(estimator, "feature_names_in_", None)
    return partial(_check_part, None if names is None else list(names), wanted.target, origin)


def _check_part(
    names: list[str] | None,
    transform_y: str,
    origin: Indices | None,
    start: int,
    rows: Rows,
) -> None:
    """Refuse what cannot be learned from, naming the row by its number in the whole table."""
    end = start + len(rows)
    numbers = range(start, end) if origin is None else origin[start:end].tolist()
    check_finite("X", rows.X, names, numbers)
    check_finite("y", rows.y, None, numbers)
    check_domain(transform_y, rows.y, numbers)
