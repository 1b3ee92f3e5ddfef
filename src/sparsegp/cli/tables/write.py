"""Writing a table block by block; the file appears complete or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from shutil import copyfileobj
from stat import S_IMODE
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from sparsegp.cli.output_files import check_output
from sparsegp.cli.tables.formats import ARROW, CSV, format_of, separator_of
from sparsegp.files.atomic import is_replaceable

__all__ = ["open_table_writer"]


class Writer(Protocol):
    """Accepts blocks of rows."""

    def write(self, block: pd.DataFrame) -> None:
        """Append a block."""


@contextmanager
def open_table_writer(path: Path) -> Iterator[Writer]:
    """Yield a writer; the file gets its name once all blocks are on the disk.

    A device or pipe gets the bytes at the end.
    """
    check_output(path)
    kind = format_of(path)
    with _part_file(path) as part:
        writer: CsvWriter | ArrowWriter
        writer = CsvWriter(part) if kind == CSV else ArrowWriter(part, kind)
        try:
            yield writer
        finally:
            writer.close()


@contextmanager
def _part_file(path: Path) -> Iterator[Path]:
    """Yield a temporary path with the suffixes of ``path``, which becomes it in the end."""
    if not is_replaceable(path):
        with TemporaryDirectory() as folder:
            part = Path(folder) / path.name
            yield part
            with part.open("rb") as written, path.open("wb") as file:
                copyfileobj(written, file)
        return
    target = Path(os.path.realpath(path))  # a symbolic link stays one
    part = target.with_name(f".{token_hex(4)}.part-{path.name}")
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        if target.exists():
            part.chmod(S_IMODE(target.stat().st_mode))
        part.replace(target)
    finally:
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
