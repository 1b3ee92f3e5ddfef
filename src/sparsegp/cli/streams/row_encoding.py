"""Encoding the rows of a stream as inputs of a model.

The first row determines the columns and their types. Categories get codes as they occur. A missing
number is replaced by the mean of the rows so far; a missing category is a category of its own.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.streams.row_reader import Row, is_missing
from sparsegp.tables.encoding import ColumnEncoding, TableEncoding
from sparsegp.tables.encoding.cell_parsing import MISSING, category_name
from sparsegp.tables.encoding.kinds import CATEGORY, NUMBER

__all__ = ["StreamEncoding"]

Floats = npt.NDArray[np.float64]


class StreamEncoding:
    """The columns of a stream, with running means of numbers and the known categories."""

    def __init__(self, encoding: TableEncoding, counts: Mapping[str, int]) -> None:
        columns = encoding.columns
        wrong = [c.name for c in columns if c.kind not in (NUMBER, CATEGORY)]
        if wrong:
            raise BadInputError(
                f"{wrong[0]!r} is neither a number nor a category, as a stream needs"
            )
        self.kinds = {column.name: column.kind for column in columns}
        self._means = {c.name: c.fill or 0.0 for c in columns if c.kind == NUMBER}
        self._counts = {name: int(counts.get(name, 0)) for name in self._means}
        self._levels = {
            c.name: {level: i for i, level in enumerate(c.levels, 1)}
            for c in columns
            if c.kind == CATEGORY
        }

    @classmethod
    def from_first_row(
        cls, row: Row, target: str, categories: Collection[str], drop: Collection[str]
    ) -> "StreamEncoding":
        """Return the encoding of a stream with this first row."""
        for name in (target, *categories, *drop):
            if name not in row.cells:
                raise BadInputError(
                    f"the first row has no column {name!r}: its columns are {', '.join(row.cells)}"
                )
        names = [name for name in row.cells if name != target and name not in drop]
        if not names:
            raise BadInputError("there is no column besides the target: add inputs")
        kinds = [_infer_kind(row.cells[name], name in categories) for name in names]
        columns = [ColumnEncoding(name, kind) for name, kind in zip(names, kinds, strict=True)]
        return cls(TableEncoding(tuple(columns)), {})

    def encode(self, row: Row) -> Floats:
        """Return the inputs of a row (1, D), and update means and categories."""
        absent = [name for name in self.kinds if name not in row.cells]
        if absent:
            raise BadInputError(f"row {row.number} has no column {absent[0]!r}: add it")
        # parse all numbers before updating any mean: a bad row must change nothing
        numbers = {name: _parse_number(row, name) for name in self._means}
        inputs = dict(numbers) | {name: self._code(row, name) for name in self._levels}
        for name, value in numbers.items():
            if np.isnan(value):
                inputs[name] = self._means[name]
            else:
                self._counts[name] += 1
                self._means[name] += (value - self._means[name]) / self._counts[name]
        return np.array([[inputs[name] for name in self.kinds]])

    def _code(self, row: Row, name: str) -> float:
        value, levels = row.cells[name], self._levels[name]
        if is_missing(value):
            return float(MISSING)
        return float(levels.setdefault(category_name(value), len(levels) + 1))

    @property
    def is_categorical(self) -> list[bool]:
        """Tell which inputs are category codes."""
        return [kind == CATEGORY for kind in self.kinds.values()]

    @property
    def counts(self) -> dict[str, int]:
        """The number of values behind each mean."""
        return dict(self._counts)

    def table_encoding(self) -> TableEncoding:
        """Return the encoding in the form that model files store."""
        return TableEncoding(
            tuple(
                ColumnEncoding(
                    name, kind, self._means.get(name), tuple(self._levels.get(name, ())), i
                )
                for i, (name, kind) in enumerate(self.kinds.items())
            )
        )


def _infer_kind(value: Any, is_category: bool) -> str:
    """Return the type of a column from its first cell."""
    if is_category or isinstance(value, bool):
        return CATEGORY
    if is_missing(value):
        return NUMBER
    try:
        float(value)
    except (TypeError, ValueError):
        return CATEGORY
    return NUMBER


def _parse_number(row: Row, name: str) -> float:
    """Return a number, NaN if it is missing."""
    value = row.cells[name]
    if is_missing(value):
        return np.nan
    try:
        number = np.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise BadInputError(
            f"row {row.number}: {name!r} is {value!r}, which is not a number like in the first "
            f"row: correct it, or start again with --category {name}"
        )
    return number
