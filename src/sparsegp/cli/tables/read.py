"""Reading tables, as a whole or in blocks of rows.

Cells of CSV files are read as strings and parsed column by column (``cell_parsing``), so that a
block of rows means the same as in the whole table. Empty cells, ``NA`` and similar, and ``?`` are
missing values.
"""

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sparsegp.cli.errors import BadInputError, column_hint, one_line
from sparsegp.cli.tables.formats import ARROW, CSV, format_of, separator_of

__all__ = ["column_names", "read_blocks", "read_table"]

T = TypeVar("T")

#: How pandas names an unnamed index in a file.
INDEX_PREFIX = "__index_level_"


def read_table(path: Path) -> pd.DataFrame:
    """Return a whole table; it must have at least one row."""
    _check_file(path)
    with _explain_errors(path):
        kind = format_of(path)
        if kind == CSV:
            table = _strictly(lambda: pd.read_csv(path, **_csv_options(path)))
        elif kind == ARROW:
            with _open_arrow(path) as reader:
                table = _frame(reader.read_all())
        else:
            table = _frame(pq.read_table(path))
    if not len(table):
        raise BadInputError(f"{path} has no rows: give a table with rows to learn from")
    duplicates = table.columns[table.columns.duplicated()]
    if len(duplicates):
        raise BadInputError(f"{path} has two columns {duplicates[0]!r}: rename one")
    return table[[name for name in table.columns if not name.startswith(INDEX_PREFIX)]]


def column_names(path: Path) -> list[str]:
    """Return the names of the columns, without reading the rows."""
    _check_file(path)
    with _explain_errors(path):
        kind = format_of(path)
        if kind == CSV:
            return [str(c) for c in pd.read_csv(path, nrows=0, **_csv_options(path)).columns]
        if kind == ARROW:
            with _open_arrow(path) as reader:
                return list(reader.schema.names)
        return list(pq.ParquetFile(path).schema_arrow.names)


def read_blocks(path: Path, columns: Sequence[str], size: int) -> Iterator[pd.DataFrame]:
    """Yield some columns of a table, at most ``size`` rows at a time."""
    names = column_names(path)
    missing = [name for name in columns if name not in names]
    if missing:
        raise BadInputError(
            f"{path} has no column {', '.join(map(repr, missing))}, which the model needs: "
            f"{column_hint(names, missing[0])}"
        )
    with _explain_errors(path):
        for block in _blocks(path, list(columns), size):
            if len(block):
                yield block[list(columns)].reset_index(drop=True)


def _blocks(path: Path, columns: list[str], size: int) -> Iterator[pd.DataFrame]:
    kind = format_of(path)
    if kind == CSV:
        options = _csv_options(path)
        # all columns are read: with ``usecols``, pandas ignores surplus cells
        with pd.read_csv(path, chunksize=size, **options) as chunks:
            while (block := _strictly(lambda: next(chunks, None))) is not None:
                yield block
    elif kind == ARROW:
        with _open_arrow(path) as reader:
            for batch in _batches(reader):
                for start in range(0, batch.num_rows, size):
                    yield _frame(batch.slice(start, size).select(columns))
    else:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(size, columns=columns):
                yield _frame(batch)


def _frame(table: Any) -> pd.DataFrame:
    """Return an Arrow table or batch as a DataFrame, with the columns of the file."""
    return table.to_pandas(ignore_metadata=True)


def _strictly(read: Callable[[], T]) -> T:
    """Read with an error where pandas only warns: of surplus cells that it leaves out."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        return read()


def _csv_options(path: Path) -> dict[str, Any]:
    separator = separator_of(path)
    names = pd.read_csv(path, nrows=0, sep=separator).columns
    if len(names) == 1 and ";" in str(names[0]):
        separator = ";"
    return {
        "dtype": str,
        "sep": separator,
        "na_values": ["?"],
        "skipinitialspace": True,
        "index_col": False,  # else a surplus cell in the first row would shift all columns
    }


@contextmanager
def _open_arrow(path: Path) -> Iterator[Any]:
    """Open a file in either of the two Arrow formats; rows are read on demand."""
    with pa.memory_map(str(path)) as source:
        try:
            reader = pa.ipc.open_file(source)
        except pa.ArrowInvalid:
            source.seek(0)
            reader = pa.ipc.open_stream(source)
        with reader:
            yield reader


def _batches(reader: Any) -> Iterator[Any]:
    if hasattr(reader, "num_record_batches"):
        for i in range(reader.num_record_batches):
            yield reader.get_batch(i)
    else:
        yield from reader


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise BadInputError(f"{path} is a folder: give the name of a table")
    if not path.exists():
        raise BadInputError(f"there is no file {path}: check the path")
    if not path.stat().st_size:
        raise BadInputError(f"{path} is empty: give a table with a header line and rows")
    format_of(path)


@contextmanager
def _explain_errors(path: Path) -> Iterator[None]:
    """Turn the errors of the reading libraries into one line."""
    try:
        yield
    except pd.errors.ParserWarning as error:
        raise BadInputError(
            f"{path}: the first rows have more cells than the header has names: correct them"
        ) from error
    except pd.errors.ParserError as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        if found is None:
            raise BadInputError(f"cannot read {path} as CSV: {one_line(error)}") from error
        raise BadInputError(
            f"cannot read {path}: line {found[2]} has {found[3]} cells, but there are {found[1]} "
            "columns: correct it"
        ) from error
    except (pa.ArrowException, pd.errors.EmptyDataError) as error:
        what = format_of(path)
        raise BadInputError(f"cannot read {path} as {what}: {one_line(error)}") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"cannot read {path}: save it as UTF-8 ({error.reason})") from error
