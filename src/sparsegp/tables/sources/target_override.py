"""Targets that are held here, beside inputs that are read in parts."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.table import LocalTable

__all__ = ["TargetOverride"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]


class TargetOverride(LocalTable):
    """The inputs of another table, with these targets in place of its own."""

    one_target = True

    def __init__(self, table: LocalTable, y: Floats) -> None:
        """Take targets (n, p) for all rows of a table."""
        self._table, self._y = table, y
        self.n_rows, self.n_columns = table.n_rows, table.n_columns
        self.n_outputs = int(y.shape[1])

    def in_parts_of(self, n_rows: int) -> "TargetOverride":
        """Return the same table in other parts."""
        return TargetOverride(self._table.in_parts_of(n_rows), self._y)

    def fetch(self, numbers: Indices) -> Rows:
        """Return a few rows."""
        return Rows(self._table.fetch(numbers).X, self._y[numbers])

    def parts(self) -> Iterator[Rows]:
        """Yield the parts of the table."""
        start = 0
        for part in self._table.parts():
            yield Rows(part.X, self._y[start : start + len(part)])
            start += len(part)
