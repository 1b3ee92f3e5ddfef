"""The nearest training rows, in the metric of the kernel.

A kernel gives coordinates (``Kernel.embedding``) in which correlated rows lie close together:
inputs over their length scales, categories as scaled one-hot codes, periodic inputs on circles.
Where few coordinates vary much a k-d tree is fastest; else brute force by matrix products.
"""

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree
from sklearn.neighbors import NearestNeighbors

from sparsegp.arrays import Array, n_threads, to_numpy
from sparsegp.kernels.base import Kernel
from sparsegp.model.neighbours.policy import (
    FURTHEST,
    MOST_SHARED_COORDINATES,
    MOST_TREE_COORDINATES,
)

__all__ = ["NeighbourSearch"]

Indices = npt.NDArray[np.intp]


class NeighbourSearch:
    """Finds nearest rows among the training inputs X (n, D)."""

    def __init__(self, kernel: Kernel, X: Array) -> None:
        self._kernel, self._X, self._n = kernel, X, int(X.shape[0])
        self._tree: KDTree | NearestNeighbors | None = None
        coordinates = self._coordinates(X)
        if coordinates is None:
            return
        if _suits_tree(coordinates):
            self._tree = KDTree(coordinates)
        else:
            self._tree = NearestNeighbors(algorithm="brute").fit(coordinates)

    def _coordinates(self, X: Array) -> npt.NDArray[np.float32] | None:
        found = self._kernel.embedding(X, self._X)
        if found is None:
            return None
        # squares of single precision must not overflow: further rows are equally far
        return np.clip(to_numpy(found), -FURTHEST, FURTHEST).astype(np.float32)

    def nearest(self, X: Array, k: int) -> Indices:
        """Return the k nearest rows of each row of X, the nearest first: (b, k).

        Fewer training rows than k give all of them. A kernel that does not decay has no nearest
        rows: the first k serve.
        """
        k = min(k, self._n)
        coordinates = self._coordinates(X)
        if self._tree is None or coordinates is None or not k:
            return np.tile(np.arange(k, dtype=np.intp), (int(X.shape[0]), 1))
        if isinstance(self._tree, KDTree):
            found = self._tree.query(coordinates, k=np.arange(1, k + 1), workers=n_threads())[1]
        else:
            found = self._tree.kneighbors(coordinates, k, return_distance=False)
        return np.asarray(found, dtype=np.intp)

    def nearest_others(self, X: Array, own: Indices, k: int) -> Indices:
        """Return the k nearest rows of training rows, none of them the row itself: (b, k).

        ``own`` (b,) says which training row each row of X is.
        """
        found = self.nearest(X, k + 1)  # (b, k + 1)
        itself = found == own[:, None]
        # where copies crowd the row itself out of its own neighbours, the furthest one goes
        itself[~itself.any(axis=1), -1] = True
        return found[~itself].reshape(len(found), -1)


def _suits_tree(coordinates: npt.NDArray[np.float32]) -> bool:
    """Tell whether a tree is faster: by how many coordinates share the variance.

    With v the variances of the coordinates, (Σv)²/Σv² of them do.
    """
    if coordinates.shape[1] <= MOST_TREE_COORDINATES:
        return True
    variances = np.var(coordinates, axis=0, dtype=np.float64)
    return bool(np.sum(variances) ** 2 <= MOST_SHARED_COORDINATES * np.sum(variances**2))
