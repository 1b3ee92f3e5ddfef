"""Weights beside a table that is read in parts: a row of weight s is s rows, of zero none."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.table import LocalTable

__all__ = ["WeightedTable", "counted_among"]

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]


def counted_among(weight: Floats) -> Indices | None:
    """Return the numbers of the rows that have a weight; None if all have.

    >>> import numpy as np
    >>> counted_among(np.array([1.0, 0.0, 2.0]))
    array([0, 2])
    """
    return None if weight.all() else np.flatnonzero(weight)


class WeightedTable(LocalTable):
    """The rows of another table that have a weight, numbered anew."""

    def __init__(self, table: LocalTable, weight: Floats) -> None:
        """Take weights (N,) for all rows of a table, none of them negative."""
        self._table, self._weight = table, weight
        self.counted = counted_among(weight)
        self.n_rows = len(weight) if self.counted is None else len(self.counted)
        self.n_columns, self.n_outputs = table.n_columns, table.n_outputs
        self.one_target = table.one_target

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return True

    @property
    def total_weight(self) -> float:
        """Σ weight, of the rows that have one: the order of the sum is that of rows in memory."""
        counted = self._weight if self.counted is None else self._weight[self.counted]
        return float(np.sum(counted))

    def in_parts_of(self, n_rows: int) -> "WeightedTable":
        """Return the same table in other parts."""
        return WeightedTable(self._table.in_parts_of(n_rows), self._weight)

    def fetch(self, numbers: Indices) -> Rows:
        """Return a few rows with their weights."""
        places = np.asarray(numbers) if self.counted is None else self.counted[numbers]
        rows = self._table.fetch(places)
        return Rows(rows.X, rows.y, self._weight[places])

    def parts(self) -> Iterator[Rows]:
        """Yield what counts of each part of the table, if anything does."""
        start = 0
        for part in self._table.parts():
            weight = self._weight[start : start + len(part)]
            start += len(part)
            rows = Rows(part.X, part.y, weight)
            if self.counted is not None:
                rows = rows.take(np.flatnonzero(weight))
            if len(rows):
                yield rows
