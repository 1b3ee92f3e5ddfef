"""Where predictions of a stream go: to a file, or to standard output."""

import csv
import json
import os
import sys
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any, Self, TextIO

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.streams.rows import JSON

__all__ = ["Output"]


class Output:
    """A line for each row.

    A file is written from ``offset`` on, and what it held beyond is cut off; so every row is in it
    once. Standard output is passed on line by line and cannot be taken back: after a restart,
    rows since the last checkpoint come again, with the same numbers.
    """

    def __init__(self, path: Path | None, offset: int | None) -> None:
        self._path = path
        self._file: TextIO = sys.stdout if path is None else _open_at(path, offset or 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._path is not None:
            self._file.close()

    def begin(self, form: str, names: Sequence[str], *, resumed: bool) -> None:
        """Write the line of names that CSV begins with, unless it is there."""
        self._json = form == JSON
        if not self._json and not resumed:
            self._file.write(_csv_line(["row", *names]))

    def write(self, number: int, prediction: Mapping[str, Any]) -> None:
        """Write the prediction for a row."""
        if self._json:
            self._file.write(json.dumps({"row": number, **prediction}) + "\n")
        else:
            self._file.write(_csv_line([number, *map(_cell, prediction.values())]))
        if self._path is None:
            self._file.flush()

    def settle(self) -> int | None:
        """Have all lines on the disk; return how many bytes they are."""
        self._file.flush()
        if self._path is None:
            return None
        os.fsync(self._file.fileno())
        return os.fstat(self._file.fileno()).st_size


def _open_at(path: Path, offset: int) -> TextIO:
    """Open a file to go on after so many bytes."""
    size = path.stat().st_size if path.exists() else 0
    if size < offset:
        raise BadInputError(
            f"{path} is shorter than the checkpoint says ({size} of {offset} bytes): bring it "
            "back, or remove the checkpoint to start anew"
        )
    file = path.open("a", encoding="utf-8", newline="")
    file.truncate(offset)
    return file


def _csv_line(cells: Sequence[Any]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def _cell(value: Any) -> Any:
    return repr(value) if isinstance(value, float) else value
