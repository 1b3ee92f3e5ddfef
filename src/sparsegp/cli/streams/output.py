"""Writing the predictions of a stream to a file or to standard output."""

import csv
import json
import os
import sys
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Self, TextIO

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.streams.row_reader import JSON
from sparsegp.files.atomic import is_replaceable

__all__ = ["Output"]


class Output:
    """Writes one line per row.

    A file is truncated to ``offset`` bytes and then continued, so that it contains every row once.
    Standard output, a pipe or a device is flushed line by line and cannot be truncated: after a
    restart, the rows since the last checkpoint are repeated, with the same numbers.
    """

    def __init__(self, path: Path | None, offset: int | None) -> None:
        self._path = path
        self._is_regular = path is not None and is_replaceable(path)
        self._file: TextIO = sys.stdout if path is None else _open_at(path, offset or 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._path is not None:
            self._file.close()

    def begin(self, form: str, names: Sequence[str], *, resumed: bool) -> None:
        """Write the header line of CSV, unless the file has it already."""
        self._json = form == JSON
        if not self._json and not resumed:
            self._file.write(_csv_line(["row", *names]))

    def write(self, number: int, prediction: Mapping[str, Any]) -> None:
        """Write the prediction of a row."""
        if self._json:
            self._file.write(json.dumps({"row": number, **prediction}) + "\n")
        else:
            self._file.write(_csv_line([number, *map(_full_precision, prediction.values())]))
        if not self._is_regular:
            self._file.flush()

    def sync(self) -> int | None:
        """Flush all lines to the disk; return the size of the file in bytes."""
        self._file.flush()
        if not self._is_regular:
            return None
        os.fsync(self._file.fileno())
        return os.fstat(self._file.fileno()).st_size


def _open_at(path: Path, offset: int) -> TextIO:
    """Open a file for appending after ``offset`` bytes."""
    if not is_replaceable(path):
        return path.open("w", encoding="utf-8", newline="")
    size = path.stat().st_size if path.exists() else 0
    if size < offset:
        raise BadInputError(
            f"{path} is shorter than its checkpoint requires ({size} of {offset} bytes): restore "
            "it, or remove the checkpoint to start again"
        )
    file = path.open("a", encoding="utf-8", newline="")
    file.truncate(offset)
    return file


def _csv_line(cells: Sequence[Any]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _full_precision(value: Any) -> Any:
    return repr(value) if isinstance(value, float) else value
