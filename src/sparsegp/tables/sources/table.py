"""Tables that are not held in memory: what a fit needs of one, wherever its rows lie.

Few rows are fetched by their numbers. Sums over all rows are made where the rows lie, part by part;
how a table is cut into parts changes no fetched row, and sums in their last digits only. What must
not change at all, such as a scaling, is summed with more digits (``summation``).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import add
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sparsegp.tables.rows import Rows

__all__ = [
    "ROWS_OF_PART",
    "Along",
    "ArrayTable",
    "LocalTable",
    "Table",
    "add_if_any",
    "floats",
    "positions",
    "sent_along",
]

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]
#: Makes, of the numbers where a part begins and ends, what goes along with its rows.
Along = Callable[[int, int], Any]

#: Rows of a part, if the memory allows for so many: enough for all cores.
ROWS_OF_PART = 65_536


class Table(ABC):
    """Rows in their own units, each with a number; abstract."""

    n_rows: int
    n_columns: int
    n_outputs: int
    one_target: bool  # whether the target is a vector, not a table of one column

    @abstractmethod
    def fetch(self, numbers: Indices) -> Rows:
        """Return a few rows, in the order of their numbers as given."""

    @abstractmethod
    def reduce(self, work: Callable[..., T | None], along: Along | None = None) -> T:
        """Return the sum of what ``work`` makes of each part and the number of its first row.

        ``work`` may return None for nothing. What goes ``along`` with the rows of a part is made
        here, sent with them and handed to ``work`` after them.
        """

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return False

    @property
    def total_weight(self) -> float:
        """The number of rows if a row of weight s is s rows."""
        return float(self.n_rows)

    def in_parts_of(self, n_rows: int) -> "Table":
        """Return the table cut into parts of so many rows, if it is cut here."""
        return self


class LocalTable(Table):
    """A table whose parts this process reads, one at a time; abstract."""

    @abstractmethod
    def parts(self) -> Iterator[Rows]:
        """Yield consecutive parts, none of them empty."""

    @abstractmethod
    def in_parts_of(self, n_rows: int) -> "LocalTable":
        """Return the same table in parts of so many rows."""

    def _numbered(self) -> Iterator[tuple[int, Rows]]:
        start = 0
        for part in self.parts():
            yield start, part
            start += len(part)

    def reduce(self, work: Callable[..., T | None], along: Along | None = None) -> T:
        """Return the sum over the parts."""
        numbered = self._numbered()
        done = (work(*each, *sent_along(along, each[0], len(each[1]))) for each in numbered)
        total: Any = reduce(add_if_any, done)
        return total


def sent_along(along: Along | None, start: int, size: int) -> tuple[Any, ...]:
    """Return what is handed to the work on a part after its rows: nothing, or one thing."""
    return () if along is None else (along(start, start + size),)


def add_if_any(a: Any, b: Any) -> Any:
    """Return a + b; None is nothing.

    >>> add_if_any(1, 2), add_if_any(None, 2)
    (3, 2)
    """
    if a is None or b is None:
        return b if a is None else a
    return add(a, b)


class ArrayTable(LocalTable):
    """Inputs in a file that is mapped to memory, or in an array that is too large to be copied."""

    def __init__(
        self, X: Any, y: Floats, *, one_target: bool = True, rows_of_part: int = ROWS_OF_PART
    ) -> None:
        """Take X (n, D) as it is, and y (n, p)."""
        self.X, self.y = X, y
        self.n_rows, self.n_columns = (int(size) for size in X.shape)
        self.n_outputs, self.one_target = int(y.shape[1]), one_target
        self._rows_of_part = rows_of_part

    def in_parts_of(self, n_rows: int) -> "ArrayTable":
        """Return the same table in other parts."""
        return ArrayTable(self.X, self.y, one_target=self.one_target, rows_of_part=n_rows)

    def fetch(self, numbers: Indices) -> Rows:
        """Return a few rows."""
        return Rows(floats(self.X[numbers]), self.y[numbers])

    def parts(self) -> Iterator[Rows]:
        """Yield parts of one size; X is read when its part comes."""
        for start in range(0, self.n_rows, self._rows_of_part):
            part = slice(start, min(start + self._rows_of_part, self.n_rows))
            yield Rows(floats(self.X[part]), self.y[part])


def floats(X: Any) -> Floats:
    """Return a plain array of doubles, row after row."""
    return np.ascontiguousarray(np.asarray(X), dtype=np.float64)


def positions(numbers: Sequence[int] | Indices | slice, n_rows: int) -> Indices:
    """Return row numbers as an array.

    >>> positions(slice(None, 3), 10)
    array([0, 1, 2])
    """
    if isinstance(numbers, slice):
        return np.arange(*numbers.indices(n_rows), dtype=np.intp)
    return np.asarray(numbers, dtype=np.intp)
