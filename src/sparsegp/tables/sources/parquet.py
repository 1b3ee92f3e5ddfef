"""Tables in Parquet files: opened, but only read when a fit or a prediction needs rows."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.tables.policy import ROWS_OF_BLOCK
from sparsegp.tables.rows import Rows

__all__ = ["FileInputs", "FileTarget", "ParquetTable", "open_table"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

#: Prefixes of the types of numeric columns, and of columns of strings, which may be labels.
NUMBERS = ("int", "uint", "float", "double", "half", "bool", "decimal")
STRINGS = ("string", "large_string", "dictionary")
HALF_PRECISION = "halffloat"


def open_table(
    path: str | PathLike[str],
    *,
    target: str | Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    sample_weight: str | None = None,
) -> "ParquetTable":
    """Open a Parquet file for ``fit(table.X, table.y)`` and ``predict(table.X)``; nothing is read.

    Parameters
    ----------
    path : str or path
    target : str or list of str, default=None
        Column of the target, or columns of several; None if there is none, to predict. For a
        classifier it holds labels, which may be strings.
    columns : list of str, default=None
        Columns of the inputs, in this order; None means all but target and weight.
    sample_weight : str, default=None
        Column of the weights, for ``fit(table.X, table.y, table.sample_weight)``.

    Returns
    -------
    ParquetTable
        With the inputs ``X``, the target ``y`` and the weights ``sample_weight``. A fit reads
        blocks of rows, several times; the weights are read as a whole when they are asked for.
    """
    with _parquet().ParquetFile(_existing(path)) as file:
        schema = {field.name: str(field.type) for field in file.schema_arrow}
        n_rows = file.metadata.num_rows
    targets = [target] if isinstance(target, str) else list(target or [])
    weights = [] if sample_weight is None else [sample_weight]
    others = {*targets, *weights}
    inputs = [name for name in schema if name not in others] if columns is None else list(columns)
    _check_columns(schema, {"target": targets, "columns": inputs, "sample_weight": weights})
    return ParquetTable(
        fspath(path),
        inputs,
        targets,
        n_rows,
        one_target=isinstance(target, str),
        weight=sample_weight,
    )


def _existing(path: str | PathLike[str]) -> Path:
    if not Path(path).is_file():
        raise FileNotFoundError(f"there is no file {fspath(path)!r}: open_table reads one file")
    return Path(path)


def _check_columns(schema: dict[str, str], columns: dict[str, Sequence[str]]) -> None:
    """Refuse columns that are missing, named twice, not numeric, or of too low a precision."""
    for argument, names in columns.items():
        for name in names:
            if name not in schema:
                raise ValueError(f"{argument} names {name!r}, which is not a column of the table")
            allowed = NUMBERS + STRINGS if argument == "target" else NUMBERS
            if not schema[name].startswith(allowed):
                raise ValueError(
                    f"column {name!r} holds {schema[name]}, not numbers: leave it out with "
                    "columns=, or encode it as numbers"
                )
            if schema[name] == HALF_PRECISION:
                raise ValueError(
                    f"column {name!r} is float16, whose precision is too low: write it as float32 "
                    "or float64"
                )
    every = [name for names in columns.values() for name in names]
    if len(set(every)) < len(every):
        raise ValueError("columns, target and sample_weight name a column twice")
    if not columns["columns"]:
        raise ValueError("columns leaves no column for the inputs")


def _parquet() -> Any:
    try:
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("open_table needs pyarrow: pip install pyarrow") from error
    return pyarrow.parquet


class ParquetTable:
    """A Parquet file, of which some columns are inputs and some are targets."""

    def __init__(
        self,
        path: str,
        columns: Sequence[str],
        targets: Sequence[str],
        n_rows: int,
        *,
        one_target: bool,
        weight: str | None = None,
    ) -> None:
        self.path, self.columns, self.targets = path, list(columns), list(targets)
        self._weight = weight
        self.n_rows, self.n_columns, self.n_outputs = n_rows, len(columns), len(targets)
        self.one_target = one_target

    @cached_property
    def X(self) -> "FileInputs":
        """The inputs, for ``fit`` and ``predict``."""
        return FileInputs(self)

    @cached_property
    def y(self) -> "FileTarget":
        """The target, for ``fit``."""
        if not self.targets:
            raise ValueError("the table was opened without a target: open_table(path, target=...)")
        return FileTarget(self)

    @cached_property
    def sample_weight(self) -> Floats:
        """The weights (n,), for ``fit`` and ``score``; read now, and kept."""
        if self._weight is None:
            raise ValueError("the table was opened without weights: open_table(sample_weight=...)")
        blocks = (_values(batch, [self._weight]) for batch in self._batches([self._weight]))
        return np.concatenate([np.empty((0, 1)), *blocks])[:, 0]

    def without_target(self) -> "ParquetTable":
        """Return the inputs alone."""
        return ParquetTable(self.path, self.columns, [], self.n_rows, one_target=True)

    def blocks(self, n_rows: int) -> Iterator[Rows]:
        """Read the file from begin to end."""
        for batch in self._batches(self.columns + self.targets, n_rows):
            yield self._rows(batch)

    def fetch(self, numbers: Indices, n_rows: int = ROWS_OF_BLOCK) -> Rows:
        """Read the row groups that hold these rows, and keep the rows."""
        order = np.argsort(numbers, kind="stable")
        increasing = np.asarray(numbers)[order]
        X, y = np.empty((len(order), self.n_columns)), np.empty((len(order), self.n_outputs))
        start = 0
        for group, size in enumerate(self._group_sizes()):
            end = start + size
            if np.diff(np.searchsorted(increasing, [start, end]))[0]:
                for batch in self._batches(self.columns + self.targets, n_rows, [group]):
                    low, high = np.searchsorted(increasing, [start, start + batch.num_rows])
                    some = self._rows(batch.take(increasing[low:high] - start))
                    X[order[low:high]], y[order[low:high]] = some.X, some.y
                    start += batch.num_rows
            start = end
        return Rows(X, y)

    def _batches(
        self,
        columns: list[str],
        n_rows: int = ROWS_OF_BLOCK,
        groups: list[int] | None = None,
    ) -> Iterator[Any]:
        # with a read-ahead buffer the whole file would be in memory
        with _parquet().ParquetFile(self.path, pre_buffer=False) as file:
            yield from file.iter_batches(n_rows, row_groups=groups, columns=columns)

    def _group_sizes(self) -> list[int]:
        with _parquet().ParquetFile(self.path) as file:
            groups = range(file.num_row_groups)
            return [file.metadata.row_group(group).num_rows for group in groups]

    def _rows(self, batch: Any) -> Rows:
        return Rows(_values(batch, self.columns), _values(batch, self.targets))


def _values(batch: Any, names: Sequence[str]) -> Floats:
    """Return columns as doubles (b, D); missing values are NaN."""
    values = np.empty((batch.num_rows, len(names)))
    for i, name in enumerate(names):
        values[:, i] = batch.column(name).to_numpy(zero_copy_only=False)
    return values


class FileInputs:
    """The columns of a table that are inputs: what ``fit`` and ``predict`` take for X."""

    def __init__(self, table: ParquetTable) -> None:
        self.table = table
        self.shape = (table.n_rows, table.n_columns)

    def __len__(self) -> int:
        return self.shape[0]


class FileTarget:
    """The columns of a table that are the target."""

    def __init__(self, table: ParquetTable) -> None:
        self.table = table

    def __len__(self) -> int:
        return self.table.n_rows

    def check_numbers(self) -> None:
        """Refuse columns of strings, which only a classifier can learn from."""
        with _parquet().ParquetFile(self.table.path) as file:
            types = {name: str(file.schema_arrow.field(name).type) for name in self.table.targets}
        for name, kind in types.items():
            if not kind.startswith(NUMBERS):
                raise ValueError(
                    f"the target {name!r} holds {kind}, not numbers: encode it as numbers, or use "
                    "a classifier for labels"
                )

    def labels(self) -> npt.NDArray[Any]:
        """Read the target as labels: (n,), of numbers or objects; a missing string is None."""
        if len(self.table.targets) != 1:
            raise ValueError(
                "a classifier has one column of labels: open_table(path, target='name'), got "
                f"{self.table.targets}"
            )
        blocks = [_labels(batch.column(0)) for batch in self.table._batches(self.table.targets)]
        return np.concatenate(blocks)


def _labels(column: Any) -> npt.NDArray[Any]:
    """Return the values of a column; equal strings are one object."""
    if str(column.type).startswith(NUMBERS):
        return np.asarray(column.to_numpy(zero_copy_only=False))
    coded = column.dictionary_encode()
    values = np.array([*coded.dictionary.to_pylist(), None], dtype=object)
    return values[coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)]
