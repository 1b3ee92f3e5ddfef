"""Writing a table block by block; the file appears complete or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.tables.formats import ARROW, CSV, format_of, separator_of

__all__ = ["check_output", "open_table_writer"]


class Writer(Protocol):
    """Accepts blocks of rows."""

    def write(self, block: pd.DataFrame) -> None:
        """Append a block."""


def check_output(path: Path) -> None:
    """Refuse a path that cannot be written to, before any work is done."""
    if path.is_dir():
        raise BadInputError(f"{path} is a folder: give the name of a file")
    if not path.parent.is_dir():
        raise BadInputError(
            f"there is no folder {path.parent} to write {path.name} into: create it"
        )


@contextmanager
def open_table_writer(path: Path) -> Iterator[Writer]:
    """Yield a writer; the file gets its name once all blocks are on the disk."""
    check_output(path)
    kind = format_of(path)
    part = path.with_name(
        f".{token_hex(4)}.part-{path.name}"
    )  # keeps the suffix, which tells the format
    writer: CsvWriter | ArrowWriter = CsvWriter(part) if kind == CSV else ArrowWriter(part, kind)
    try:
        yield writer
        writer.close()
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        writer.close()
        part.unlink(missing_ok=True)


class CsvWriter:
    """Writes CSV, with floats in full precision."""

    def __init__(self, part: Path) -> None:
        self._part, self._begun = part, False
        part.touch(exist_ok=False)

    def write(self, block: pd.DataFrame) -> None:
        """Append a block."""
        block.to_csv(
            self._part,
            mode="a" if self._begun else "w",
            header=not self._begun,
            index=False,
            sep=separator_of(self._part),
        )
        self._begun = True

    def close(self) -> None:
        """Do nothing more."""


class ArrowWriter:
    """Writes Parquet or Arrow; the first block determines the types of the columns."""

    def __init__(self, part: Path, kind: str) -> None:
        self._part, self._kind = part, kind
        self._writer: Any = None

    def write(self, block: pd.DataFrame) -> None:
        """Append a block."""
        if self._writer is None:
            table = pa.Table.from_pandas(block, preserve_index=False)
            if self._kind == ARROW:
                self._writer = pa.ipc.new_file(str(self._part), table.schema)
            else:
                self._writer = pq.ParquetWriter(self._part, table.schema)
            self._schema = table.schema
        self._writer.write_table(
            pa.Table.from_pandas(block, schema=self._schema, preserve_index=False)
        )

    def close(self) -> None:
        """Finish the file."""
        if self._writer is not None:
            self._writer.close()
