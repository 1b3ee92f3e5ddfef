"""Numbers of rows without a list of all of them: a few drawn at random, or all but a few.

A list of the numbers of 10⁸ rows takes 800 MB, a permutation of them as much again. A fit needs
neither: only a few thousand rows are fetched by number.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.tables.policy import MOST_PERMUTED

__all__ = ["MOST_PERMUTED", "ComplementIndex", "draw"]

Indices = npt.NDArray[np.intp]


def draw(n: int, size: int, rng: np.random.Generator) -> Indices:
    """Return ``size`` different numbers below n in random order; all, if there are no more.

    >>> draw(10**12, 3, np.random.default_rng(0)).shape
    (3,)
    """
    if n <= MOST_PERMUTED:
        return rng.permutation(n)[:size]
    return rng.choice(n, min(size, n), replace=False)


class ComplementIndex:
    """The numbers below n in order, but for some; any of them is found by its position.

    >>> numbers = ComplementIndex(6, np.array([4, 1]))
    >>> len(numbers), numbers[np.array([0, 1, 3])]
    (4, array([0, 2, 5]))
    >>> np.asarray(numbers)
    array([0, 2, 3, 5])
    """

    def __init__(self, n: int, left_out: Indices) -> None:
        """Take numbers to leave out, each once."""
        self._n = n
        # how many numbers that stay come before each that is left out
        self._before = np.sort(left_out) - np.arange(len(left_out))

    def __len__(self) -> int:
        return self._n - len(self._before)

    def __getitem__(self, positions: Any) -> Any:
        """Return the numbers at some positions."""
        positions = np.asarray(positions)
        return positions + np.searchsorted(self._before, positions, side="right")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Return all numbers as an array."""
        return np.asarray(self[np.arange(len(self))], dtype=dtype)
