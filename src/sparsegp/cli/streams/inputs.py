"""Rows of a stream as inputs of a model.

The first row says which columns there are and which hold numbers. Categories get codes as they
come. A missing number is the mean of the rows so far, a missing category a level of its own.
"""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.streams.rows import Row, is_missing
from sparsegp.cli.tables.cells import CATEGORY, MISSING, NUMBER, as_text
from sparsegp.cli.tables.columns import Column, Columns

__all__ = ["StreamColumns"]

Floats = npt.NDArray[np.float64]


class StreamColumns:
    """The columns of a stream, with the mean of each number and the levels of each category."""

    def __init__(self, columns: Columns, counts: Mapping[str, int]) -> None:
        wrong = [c.name for c in columns.columns if c.kind not in (NUMBER, CATEGORY)]
        if wrong:
            raise BadInputError(f"a stream has numbers and categories only, not {wrong[0]!r}")
        self.kinds = {column.name: column.kind for column in columns.columns}
        self._means = {c.name: c.fill or 0.0 for c in columns.columns if c.kind == NUMBER}
        self._counts = {name: int(counts.get(name, 0)) for name in self._means}
        self._levels = {
            c.name: {level: i for i, level in enumerate(c.levels, 1)}
            for c in columns.columns
            if c.kind == CATEGORY
        }

    @classmethod
    def of_first(
        cls, row: Row, target: str, categories: Collection[str], drop: Collection[str]
    ) -> "StreamColumns":
        """Return the columns that the first row has."""
        for name in (target, *categories, *drop):
            if name not in row.cells:
                raise BadInputError(
                    f"the first row has no column {name!r}: it has {', '.join(row.cells)}"
                )
        names = [name for name in row.cells if name != target and name not in drop]
        if not names:
            raise BadInputError("there is no column besides the target: add some to learn from")
        kinds = [_kind(row.cells[name], name in categories) for name in names]
        return cls(Columns(tuple(map(Column, names, kinds))), {})

    def take(self, row: Row) -> Floats:
        """Return the inputs of a row (1, D), and note its means and levels."""
        lacking = [name for name in self.kinds if name not in row.cells]
        if lacking:
            raise BadInputError(f"row {row.number} has no column {lacking[0]!r}: add it")
        numbers = {name: _number(row, name) for name in self._means}  # all, before any is noted
        found = dict(numbers) | {name: self._code(row, name) for name in self._levels}
        for name, value in numbers.items():
            if np.isnan(value):
                found[name] = self._means[name]
            else:
                self._counts[name] += 1
                self._means[name] += (value - self._means[name]) / self._counts[name]
        return np.array([[found[name] for name in self.kinds]])

    def _code(self, row: Row, name: str) -> float:
        value, levels = row.cells[name], self._levels[name]
        if is_missing(value):
            return float(MISSING)
        return float(levels.setdefault(as_text(value), len(levels) + 1))

    @property
    def coded(self) -> list[bool]:
        """Tell which inputs hold codes."""
        return [kind == CATEGORY for kind in self.kinds.values()]

    @property
    def counts(self) -> dict[str, int]:
        """How many numbers each mean is of."""
        return dict(self._counts)

    def columns(self) -> Columns:
        """Return the columns as a table has them, for a model file."""
        return Columns(
            tuple(
                Column(name, kind, self._means.get(name), tuple(self._levels.get(name, ())))
                for name, kind in self.kinds.items()
            )
        )


def _kind(value: Any, named: bool) -> str:
    """Return the kind of a column by its first cell."""
    if named or isinstance(value, bool):
        return CATEGORY
    if is_missing(value):
        return NUMBER
    try:
        float(value)
    except (TypeError, ValueError):
        return CATEGORY
    return NUMBER


def _number(row: Row, name: str) -> float:
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
            f"row {row.number}: {name!r} is {value!r}, which is no number as in the first row: "
            f"correct it, or start anew with --category {name}"
        )
    return number
