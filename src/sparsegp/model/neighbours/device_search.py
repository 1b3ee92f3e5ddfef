"""The nearest rows on a device: distances by matrix products, in blocks.

The result is that of the host. Where the last neighbour and the next row are equally far to
rounding, any of them would do; such rows are named, and the host's own search decides about them.
"""

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, namespace, to_numpy
from sparsegp.arrays.smallest import smallest
from sparsegp.model.neighbours.policy import DISTANCES_ON_DEVICE, ROUNDING_OF_DISTANCES

__all__ = ["DeviceSearch"]

Indices = npt.NDArray[np.intp]


class DeviceSearch:
    """Finds the nearest rows among coordinates (n, d) on a device."""

    def __init__(self, coordinates: Array) -> None:
        self._C = coordinates
        self._squares = namespace(coordinates).sum(coordinates * coordinates, axis=1)  # (n,)

    def nearest(self, Q: Array, k: int) -> tuple[Indices, npt.NDArray[np.bool_]]:
        """Return the k nearest rows (b, k) of coordinates Q (b, d), and which are no clear choice.

        There are at least k rows.
        """
        n, b = int(self._C.shape[0]), int(Q.shape[0])
        size = max(1, DISTANCES_ON_DEVICE // n)
        parts = [self._of_block(Q[i : min(i + size, b), :], k) for i in range(0, b, size)]
        near, unclear = zip(*parts, strict=True)
        return np.concatenate(near), np.concatenate(unclear)

    def _of_block(self, Q: Array, k: int) -> tuple[Indices, npt.NDArray[np.bool_]]:
        xp, n = namespace(Q), int(self._C.shape[0])
        own = xp.sum(Q * Q, axis=1)  # (b,)
        squares = self._squares[None, :] - 2.0 * (Q @ self._C.T) + own[:, None]  # (b, n)
        values, places = smallest(squares, min(k + 1, n))
        near = np.asarray(to_numpy(places), dtype=np.intp)
        if n == k:  # all rows
            return near, np.zeros(len(near), dtype=bool)
        gap = to_numpy(values[:, k] - values[:, k - 1])
        largest = to_numpy(own) + float(xp.max(self._squares))
        return near[:, :k], gap <= ROUNDING_OF_DISTANCES * largest
