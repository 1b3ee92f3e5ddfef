"""The nearest rows on a device: distances by one matrix product, in blocks.

The square of a coordinate is one more coordinate: (−2q, 1)·(c, ‖c‖²) = ‖q − c‖² − ‖q‖².

The result is that of the host. Where the last neighbour and the next row are equally far to
rounding, any of them would do; such rows are named, and the host's own search decides about them,
up to a number of rows beyond which that takes long (``search``).
"""

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, namespace, to_numpy
from sparsegp.arrays.policy import STRETCH
from sparsegp.arrays.smallest import smallest
from sparsegp.model.neighbours.policy import DISTANCES_ON_DEVICE, ROUNDING_OF_DISTANCES

__all__ = ["DeviceSearch"]

Indices = npt.NDArray[np.intp]


class DeviceSearch:
    """Finds the nearest rows among coordinates (n, d) on a device."""

    def __init__(self, coordinates: Array) -> None:
        xp, C = namespace(coordinates), coordinates
        squares = xp.sum(C * C, axis=1)  # (n,)
        self._n, self._largest = int(C.shape[0]), float(xp.max(squares))
        pad = -self._n % STRETCH  # rows that are infinitely far
        zeros = xp.zeros((pad, C.shape[1]), dtype=C.dtype, device=C.device)
        far = xp.full((pad,), float("inf"), dtype=C.dtype, device=C.device)
        squares = xp.concat((squares, far))
        self._C = xp.concat((xp.concat((C, zeros)), squares[:, None]), axis=1)  # (n + pad, d + 1)

    def nearest(self, Q: Array, k: int) -> tuple[Indices, npt.NDArray[np.bool_]]:
        """Return the k nearest rows (b, k) of coordinates Q (b, d), and which are no clear choice.

        There are at least k rows.
        """
        b, size = int(Q.shape[0]), max(1, DISTANCES_ON_DEVICE // self._n)
        parts = [self._of_block(Q[i : min(i + size, b), :], k) for i in range(0, b, size)]
        near, unclear = zip(*parts, strict=True)
        return np.concatenate(near), np.concatenate(unclear)

    def _of_block(self, Q: Array, k: int) -> tuple[Indices, npt.NDArray[np.bool_]]:
        xp, n = namespace(Q), self._n
        ones = xp.ones((Q.shape[0], 1), dtype=Q.dtype, device=Q.device)
        squares = xp.concat((-2.0 * Q, ones), axis=1) @ self._C.T  # (b, n + pad), less ‖q‖²
        values, places = smallest(squares, min(k + 1, n))
        near = np.asarray(to_numpy(places), dtype=np.intp)
        if n == k:  # all rows
            return near, np.zeros(len(near), dtype=bool)
        gap = to_numpy(values[:, k] - values[:, k - 1])
        largest = to_numpy(xp.sum(Q * Q, axis=1)) + self._largest
        return near[:, :k], gap <= ROUNDING_OF_DISTANCES * largest
