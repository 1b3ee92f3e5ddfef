"""The path of a selection, and when to stop.

Measures that estimate prediction error decrease, reach a minimum and rise again, possibly with
several local minima. The rule (advice of SKS): continue until a number of additions (``patience``)
have brought no new minimum, then cut back to the best prefix.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from sparsegp.selection.policy import FEWEST_STEPS_WATCHED, SHARE_OF_STEPS_WATCHED

__all__ = ["Path", "Progress", "Selection", "TimeFor", "patience"]

#: Called after each addition with the size of the basis and the value of the criterion.
Progress = Callable[[int, float], None]

#: (size of the basis, multiplications before it) ↦ whether the time budget allows it.
TimeFor = Callable[[int, float], bool]


@dataclass(frozen=True)
class Selection:
    """The candidates chosen.

    Attributes
    ----------
    indices : array (m,)
        Positions in the candidates, in the order chosen.
    path : array (m,)
        Value of the criterion after each addition; lower is better.
    full_path : array (≥ m,)
        The same with the additions after the best prefix.
    out_of_time : bool
        Whether the time budget ended the selection.
    """

    indices: NDArray[np.intp]
    path: NDArray[np.float64]
    full_path: NDArray[np.float64]
    out_of_time: bool = False


def patience(size: int) -> int:
    """Return after how many additions without a new minimum a selection of this size ends.

    >>> patience(20), patience(205)
    (10, 21)
    """
    return max(FEWEST_STEPS_WATCHED, ceil(SHARE_OF_STEPS_WATCHED * size))


class Path:
    """Records additions and decides when to end.

    >>> path = Path(max_basis=100, stop=True)
    >>> while not path.ended:
    ...     m = len(path)
    ...     path.add(m, abs(m - 4.0))
    >>> path.selection().indices, len(path)
    (array([0, 1, 2, 3, 4]), 15)
    """

    def __init__(
        self,
        max_basis: int,
        *,
        stop: bool,
        patience: int | None = None,
        cut_back: bool = True,
        progress: Progress | None = None,
        time_for: TimeFor | None = None,
    ) -> None:
        self._max_basis, self._stop, self._progress = max_basis, stop, progress
        self._patience, self._cut_back = patience, cut_back
        self._time_for = time_for
        self._out_of_time = False
        self._indices: list[int] = []
        self._values: list[float] = []
        self._size_at_best = 0

    def __len__(self) -> int:
        return len(self._indices)

    def add(self, index: int, value: float) -> None:
        """Record a chosen candidate and the value after its addition."""
        self._indices.append(int(index))
        self._values.append(float(value))
        if not self._size_at_best or value < self._values[self._size_at_best - 1]:
            self._size_at_best = len(self)
        if self._progress is not None:
            self._progress(len(self), float(value))

    @property
    def indices(self) -> NDArray[np.intp]:
        """All chosen so far."""
        return np.array(self._indices, dtype=np.intp)

    @property
    def ended(self) -> bool:
        """Whether the basis is full, the measure has had no new minimum for long, or time is up."""
        if len(self) >= self._max_basis:
            return True
        waits = patience(len(self)) if self._patience is None else self._patience
        if self._stop and len(self) - self._size_at_best >= waits:
            return True
        return not self.has_time_for(0.0)

    def has_time_for(self, multiplications: float) -> bool:
        """Tell whether the time budget allows this work and one more addition."""
        if self._time_for is not None and len(self):
            has_time = self._time_for(len(self) + 1, multiplications)
            self._out_of_time |= not has_time
            return has_time
        return True

    def has_time_for_all(self, multiplications: float) -> bool:
        """Tell whether the time budget allows this work and all further additions."""
        return self._time_for is None or self._time_for(self._max_basis, multiplications)

    def selection(self) -> Selection:
        """Return the selection, cut back to the best prefix if it may stop early."""
        size = self._size_at_best if self._stop and self._cut_back else len(self)
        values = np.array(self._values, dtype=np.float64)
        indices = np.array(self._indices[:size], dtype=np.intp)
        return Selection(indices, values[:size], values, self._out_of_time)
