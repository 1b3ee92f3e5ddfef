"""Kernel rows of candidates that were compared, for when they are drawn again (KC section 3).

With κ fresh candidates a step most of n rows are drawn several times: in 300 steps with 59 of 4,500
rows four times each. KC keep the kernel rows of discarded ones in an extra cache. It holds as many
rows as memory allows, the last ones computed, and changes no choice.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparsegp.kernels.base import Vector
from sparsegp.selection.policy import SMALLEST_SHARE_CACHED

__all__ = ["KernelRows"]


class KernelRows:
    """A cache of kernel rows (n,) of N candidates.

    >>> cache = KernelRows(3, 2, max_bytes=100)
    >>> compute = lambda at: np.outer(at, [1.0, 10.0])
    >>> cache.take(np.array([1, 2]), compute)
    array([[ 1., 10.],
           [ 2., 20.]])
    >>> cache.take(np.array([2]), lambda at: 1 / 0)  # nothing is computed again
    array([[ 2., 20.]])
    """

    def __init__(self, n_candidates: int, n_rows: int, max_bytes: int) -> None:
        capacity = min(n_candidates, max_bytes // (8 * max(n_rows, 1)))
        if capacity < SMALLEST_SHARE_CACHED * n_candidates:  # few would be found again
            capacity = 0
        self._rows = np.empty((capacity, n_rows))
        self._candidate = np.full(capacity, -1, dtype=np.intp)  # of each row
        self._place = np.full(n_candidates, -1, dtype=np.intp)  # of each candidate
        self._next = 0

    def take(self, at: NDArray[np.intp], compute: Callable[[NDArray[np.intp]], Vector]) -> Vector:
        """Return the rows of candidates (κ,), computing those that are not here: (κ, n)."""
        if not len(self._rows):
            return compute(at)
        places = self._place[at]
        here, new = np.flatnonzero(places >= 0), np.flatnonzero(places < 0)
        if not len(here):
            found = compute(at)
        else:
            found = np.empty((len(at), self._rows.shape[1]))
            found[here] = self._rows[places[here]]
            if len(new):
                found[new] = compute(at[new])
        self._keep(at[new], found[new])
        return found

    def _keep(self, candidates: NDArray[np.intp], rows: Vector) -> None:
        """Keep rows in the places of the oldest ones."""
        capacity = len(self._rows)
        candidates, rows = candidates[:capacity], rows[:capacity]
        places = (self._next + np.arange(len(candidates))) % capacity
        old = self._candidate[places]
        self._place[old[old >= 0]] = -1
        self._rows[places], self._candidate[places] = rows, candidates
        self._place[candidates] = places
        self._next = (self._next + len(candidates)) % capacity
