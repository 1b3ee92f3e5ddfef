"""Column sums whose last bit does not depend on the order of the rows.

A search for hyperparameters magnifies a difference in the last bit of a scaling ten billion times.
So a table that is read in parts, by whoever and in whatever order, must have the same sums as the
whole. They are made with twice the digits (two-sums: Dekker 1971, Knuth 4.2.2): parts in another
order differ in the 32nd digit, and rounding to the 16th hides that.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["ColumnSum", "column_sums"]

Floats = npt.NDArray[np.float64]

# Rows that are summed at a time, so that what is in between stays in the cache.
ROWS_AT_ONCE = 8_192


@dataclass(frozen=True)
class ColumnSum:
    """A sum of rows; ``a + b`` is that of both sets.

    >>> A = np.random.default_rng(0).normal(size=(1000, 2)) ** 9
    >>> halves = ColumnSum.of(A[500:]) + ColumnSum.of(A[:500])
    >>> bool(np.all(halves.value == ColumnSum.of(A).value))
    True
    """

    high: Floats  # (D,)
    low: Floats  # (D,), what rounding has taken off

    @classmethod
    def of(cls, values: Floats) -> "ColumnSum":
        """Add rows (n, D) up."""
        zeros = np.zeros(values.shape[1])
        total = cls(zeros, zeros)
        for start in range(0, len(values), ROWS_AT_ONCE):
            total = total + _by_halves(cls, values[start : start + ROWS_AT_ONCE])
        return total

    def __add__(self, other: "ColumnSum") -> "ColumnSum":
        high, low = _two_sum(self.high, other.high)
        low = low + (self.low + other.low)
        value = high + low
        return ColumnSum(value, low - (value - high))

    @property
    def value(self) -> Floats:
        """The sum: (D,)."""
        return self.high + self.low


def column_sums(values: Floats) -> Floats:
    """Return the sums of the columns of (n, D): (D,).

    >>> column_sums(np.array([[1e100], [1.0], [-1e100]]))
    array([1.])
    """
    return ColumnSum.of(values).value


def _by_halves(kind: type[ColumnSum], high: Floats) -> ColumnSum:
    """Fold rows onto each other until one is left."""
    low = np.zeros_like(high)
    while len(high) > 1:
        half = len(high) // 2
        odd_high, odd_low = high[2 * half :], low[2 * half :]
        total, error = _two_sum(high[:half], high[half : 2 * half])
        error += low[:half]
        error += low[half : 2 * half]
        high, low = np.concatenate((total, odd_high)), np.concatenate((error, odd_low))
    return kind(high[0], low[0])


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a + b, and what its rounding has taken off."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)
