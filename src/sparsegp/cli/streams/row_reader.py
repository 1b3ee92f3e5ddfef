"""Reading the rows of a stream: CSV with a header line, or one JSON object per line.

Cells of CSV are separated by commas, or by semicolons or tabs if the header has no comma. Between
semicolons, numbers may have a decimal comma.

Every row has a digest of itself and all rows before it. Two streams with the same digest at a row
are identical up to that row.
"""

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from typing import Any

from sparsegp.cli.errors import BadInputError
from sparsegp.tables.encoding.number_formats import DECIMAL_COMMA, NumberFormat

__all__ = ["AUTO", "CSV", "FORMATS", "JSON", "Row", "RowReader", "is_missing"]

AUTO, CSV, JSON = "auto", "csv", "jsonl"
FORMATS = (AUTO, CSV, JSON)
DECIMAL_COMMAS = NumberFormat(DECIMAL_COMMA)
_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "?"))


@dataclass(frozen=True)
class Row:
    """One row; ``number`` counts from 1."""

    number: int
    cells: dict[str, Any]
    digest: str


def is_missing(value: Any) -> bool:
    """Tell whether a cell is a missing value.

    >>> [is_missing(value) for value in ("", "NA", None, 0, "x")]
    [True, True, True, False, False]
    """
    return value is None or str(value).strip().lower() in _MISSING


class RowReader:
    """The rows of a stream in order; they are counted from ``number`` + 1.

    ``format`` is known as soon as the first row was read.
    """

    def __init__(
        self, lines: Iterable[str], form: str = AUTO, number: int = 0, digest: str = ""
    ) -> None:
        self.format, self._lines = form, iter(lines)
        self._number, self._digest = number, digest

    def __iter__(self) -> Iterator[Row]:
        try:
            first = next((line for line in self._lines if line.strip()), None)
            if first is None:
                return
            if self.format == AUTO:
                self.format = JSON if first.lstrip("\ufeff \t").startswith("{") else CSV
            lines = chain([first.lstrip("\ufeff")], self._lines)
            yield from self._json(lines) if self.format == JSON else self._csv(lines)
        except UnicodeDecodeError as error:
            raise BadInputError(f"row {self._number + 1} is not UTF-8: {error.reason}") from error
        except csv.Error as error:
            raise BadInputError(f"row {self._number + 1} is not valid CSV: {error}") from error

    def _csv(self, lines: Iterable[str]) -> Iterator[Row]:
        lines = iter(lines)
        header = next(lines)
        separator = _separator(header)
        reader = csv.reader(chain([header], lines), skipinitialspace=True, delimiter=separator)
        names = [name.strip() for name in next(reader)]
        if len(set(names)) < len(names) or "" in names:
            raise BadInputError(f"the first line must contain distinct column names, got {names}")
        for cells in reader:
            if cells:
                if len(cells) != len(names):
                    raise BadInputError(
                        f"row {self._number + 1} has {len(cells)} cells, but there are "
                        f"{len(names)} columns: correct it"
                    )
                if separator == ";":
                    cells = [_decimal_point(cell) for cell in cells]  # noqa: PLW2901
                yield self._next(dict(zip(names, cells, strict=True)))

    def _json(self, lines: Iterable[str]) -> Iterator[Row]:
        for line in lines:
            if line.strip():
                try:
                    cells = json.loads(line)
                except ValueError as error:
                    raise BadInputError(
                        f"row {self._number + 1} is not valid JSON: {error}"
                    ) from error
                if not isinstance(cells, dict):
                    raise BadInputError(
                        f"row {self._number + 1} is not a JSON object: {line.strip()}"
                    )
                yield self._next(cells)

    def _next(self, cells: dict[str, Any]) -> Row:
        self._number += 1
        text = json.dumps(cells, sort_keys=True)
        self._digest = sha256(f"{self._digest}\n{text}".encode()).hexdigest()
        return Row(self._number, cells, self._digest)


def _separator(header: str) -> str:
    """Return what separates the cells: a comma, or a semicolon or tab if commas separate nothing.

    >>> _separator("a;b;y"), _separator("a,b;c"), _separator('"a, b";y')
    (';', ',', ';')
    """
    if len(next(csv.reader([header]))) > 1:
        return ","
    return next((mark for mark in (";", "\t") if mark in header), ",")


def _decimal_point(cell: str) -> str:
    """Return a number with a decimal comma as a plain one, and any other cell as it is.

    >>> _decimal_point("-1.234,5"), _decimal_point("1.5"), _decimal_point("a,b")
    ('-1234.5', '1.5', 'a,b')
    """
    number = DECIMAL_COMMAS.number(cell) if "," in cell else None
    return cell if number is None else repr(number)
