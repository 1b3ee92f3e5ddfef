"""Column sums of consecutive parts of a table, to the last bit those of the whole table.

A search for hyperparameters magnifies a difference in the last bit of a scaling ten billion times.
So a table that is read in parts is summed in the very order in which NumPy sums the whole: several
columns row by row, a single column by halves, the halves by halves, down to 128 numbers.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

__all__ = ["ColumnSum"]

Floats = npt.NDArray[np.float64]

# NumPy sums so many numbers at a time; halves are multiples of eight numbers.
LEAF, MULTIPLE = 128, 8


@dataclass(frozen=True)
class ColumnSum:
    """The sum of the first rows of n; never changed, ``plus`` makes a new one.

    >>> A = np.random.default_rng(0).normal(size=(1000, 1)) ** 9
    >>> bool(ColumnSum(1000).plus(A[:300]).plus(A[300:]).value == A.sum(axis=0))
    True
    """

    n: int  # rows of the whole table
    done: int = 0  # rows summed so far
    carried: Floats | None = None  # (D,), of several columns
    halves: dict[tuple[int, int], float] = field(default_factory=dict)  # of a single one
    rest: Floats = field(default_factory=lambda: np.empty(0))  # the begin of a leaf

    def plus(self, values: Floats) -> "ColumnSum":
        """Return the sum with the next rows (b, D)."""
        done = self.done + len(values)
        if not len(values):
            return self
        if values.shape[1] == 1:
            return _by_halves(self, values[:, 0], done)
        if self.carried is not None:
            values = np.concatenate((self.carried[None, :], values))
        return replace(self, done=done, carried=np.sum(np.ascontiguousarray(values), axis=0))

    @property
    def value(self) -> Floats:
        """The sum of all rows, when all are summed: (D,)."""
        if self.carried is not None:
            return self.carried
        return np.array([self.halves[0, self.n]])


def _by_halves(before: ColumnSum, values: Floats, done: int) -> ColumnSum:
    """Add the next numbers; halves that are complete are kept, the largest only."""
    values = np.concatenate((before.rest, values))
    start = before.done - len(before.rest)  # the row of the first of these values
    halves: dict[tuple[int, int], float] = {}
    rest = np.empty(0)

    def complete(low: int, high: int) -> float:
        if (low, high) in before.halves:
            return before.halves[low, high]
        if low >= start:
            return float(np.sum(values[low - start : high - start]))
        middle = _middle(low, high)
        return complete(low, middle) + complete(middle, high)

    def visit(low: int, high: int) -> None:
        nonlocal rest
        if high <= done:
            halves[low, high] = complete(low, high)
        elif low < done and high - low <= LEAF:
            rest = values[low - start :].copy()
        elif low < done:
            middle = _middle(low, high)
            visit(low, middle)
            visit(middle, high)

    visit(0, before.n)
    return replace(before, done=done, halves=halves, rest=rest)


def _middle(low: int, high: int) -> int:
    half = (high - low) // 2
    return low + half - half % MULTIPLE
