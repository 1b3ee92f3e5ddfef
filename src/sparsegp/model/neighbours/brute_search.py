"""The nearest rows in many columns, on the host: all distances, by products in single precision.

The square of a coordinate is one more coordinate: (−2q, 1)·(c, ‖c‖²) = ‖q − c‖² − ‖q‖². Of each of
8k groups of rows the least distance is found: the k-th smallest of these bounds that of the k-th
neighbour, and little more than k rows are within it. Their distances are made anew, in double
precision, from differences. So single precision decides nothing: a distance t between q and c has
an error of at most ε (‖q‖² + ‖c‖²) ≤ ε (3 ‖q‖² + 2t), and the bound is wider than that. Rows that
are equally far come in their order.
"""

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import n_threads, parallel_map
from sparsegp.model.neighbours.policy import DISTANCES_OF_BLOCK, GROUPS_A_NEIGHBOUR

__all__ = ["BruteSearch"]

Indices = npt.NDArray[np.intp]
Single = npt.NDArray[np.float32]
Double = npt.NDArray[np.float64]


class BruteSearch:
    """Finds the nearest rows among coordinates (n, d)."""

    def __init__(self, coordinates: Single) -> None:
        self._C = coordinates
        self._centre = np.mean(coordinates, axis=0, dtype=np.float64)
        centred = coordinates - self._centre
        squares = np.sum(centred * centred, axis=1)
        # (d + 1, n): products with (q, 1)
        self._columns = np.concatenate((-2.0 * centred.T, squares[None])).astype(np.float32)
        self._error = (coordinates.shape[1] + 8) * float(np.finfo(np.float32).eps)

    def nearest(self, Q: Single, k: int) -> Indices:
        """Return the k nearest rows, the nearest first, of coordinates Q (b, d): (b, k).

        There are at least k rows.
        """
        n = self._C.shape[0]
        n_groups = min(GROUPS_A_NEIGHBOUR * k, n)
        far = np.full((self._columns.shape[0], -n % n_groups), np.inf, dtype=np.float32)
        far[:-1] = 0.0
        columns = np.concatenate((self._columns, far), axis=1)
        size = max(1, DISTANCES_OF_BLOCK // columns.shape[1])
        blocks = [Q[start : start + size] for start in range(0, len(Q), size)]
        found = parallel_map(
            lambda block: self._of_block(block, columns, n_groups, k), blocks, n_threads()
        )
        return np.concatenate(found) if found else np.empty((0, k), dtype=np.intp)

    def _of_block(self, Q: Single, columns: Single, n_groups: int, k: int) -> Indices:
        centred = Q - self._centre
        squares = np.sum(centred * centred, axis=1)  # (b,)
        ones = np.ones((len(Q), 1))
        left = np.concatenate((centred, ones), axis=1).astype(np.float32)
        distances = left @ columns  # (b, n), less ‖q‖²
        least = distances.reshape(len(Q), -1, n_groups).min(axis=1)
        bound = np.partition(least, k - 1, axis=1)[:, k - 1].astype(np.float64)  # (b,)
        bound += self._error * (6.5 * squares + 4.5 * np.maximum(bound + squares, 0.0))
        within = np.nextafter(bound.astype(np.float32), np.float32(np.inf))
        places = np.flatnonzero(distances <= within[:, None])
        row, column = np.divmod(places, columns.shape[1])
        return self._first(Q, row, column, k)

    def _first(self, Q: Single, row: Indices, column: Indices, k: int) -> Indices:
        """Return the k nearest columns of each row, of these pairs."""
        difference = np.subtract(Q[row], self._C[column], dtype=np.float64)
        distance: Double = np.einsum("ij,ij->i", difference, difference)
        order = np.lexsort((distance, row))
        begin = np.searchsorted(row, np.arange(len(Q)))
        return column[order[begin[:, None] + np.arange(k)]]
