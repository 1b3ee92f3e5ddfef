"""The nearest training rows, in the metric of the kernel.

A kernel gives coordinates (``Kernel.embedding``) in which correlated rows lie close together:
inputs over their length scales, categories as scaled one-hot codes, periodic inputs on circles.
Where few coordinates vary much and there are many rows a k-d tree is fastest; else brute force by
matrix products (``brute_search``, on a device ``device_search``). While hyperparameters are learned
nearly the nearest rows will do (``slack``), for a fraction of the time.
"""

from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from sparsegp.arrays import Array, is_ndarray, n_threads, namespace, take, to_numpy
from sparsegp.arrays.placement import in_single_precision
from sparsegp.arrays.policy import FURTHEST
from sparsegp.kernels.base import Kernel
from sparsegp.model.neighbours.brute_search import BruteSearch
from sparsegp.model.neighbours.device_search import DeviceSearch
from sparsegp.model.neighbours.policy import (
    MANY_ROWS,
    MOST_ROWS_OF_BRUTE_FORCE,
    MOST_ROWS_OF_TIES_ON_HOST,
    MOST_SHARED_COORDINATES,
    MOST_SHARED_COORDINATES_OF_MANY,
    MOST_TREE_COORDINATES,
)

__all__ = ["NeighbourSearch", "host_decides_ties"]

Indices = npt.NDArray[np.intp]


class NeighbourSearch:
    """Finds nearest rows among the training inputs X (n, D).

    With a ``slack`` ε a tree may return rows that are 1 + ε times as far as the nearest ones.
    """

    def __init__(self, kernel: Kernel, X: Array, *, slack: float = 0.0) -> None:
        self._kernel, self._X, self._n, self._slack = kernel, X, int(X.shape[0]), slack
        there = None if is_ndarray(X) else self._coordinates(X)
        self._device = None if there is None else DeviceSearch(there)

    @cached_property
    def _tree(self) -> KDTree | BruteSearch | None:
        """The search on the host, prepared when it is needed; None: nothing decays."""
        coordinates = _on_host(self._coordinates(self._X))
        if coordinates is None:
            return None
        if _suits_tree(coordinates):
            return KDTree(coordinates)
        return BruteSearch(coordinates)

    def _coordinates(self, X: Array) -> Array | None:
        """Return coordinates (b, d), of single precision and where X is; None: nothing decays."""
        found = self._kernel.embedding(X, self._X)
        if found is None:
            return None
        # squares of single precision must not overflow: further rows are equally far
        return in_single_precision(namespace(found).clip(found, -FURTHEST, FURTHEST))

    def nearest(self, X: Array, k: int) -> Indices:
        """Return the k nearest rows of each row of X, the nearest first: (b, k).

        Fewer training rows than k give all of them. A kernel that does not decay has no nearest
        rows: the first k serve.
        """
        k = min(k, self._n)
        coordinates = self._coordinates(X)
        if coordinates is None or not k:
            return np.tile(np.arange(k, dtype=np.intp), (int(X.shape[0]), 1))
        if self._device is None:
            return self._nearest_on_host(coordinates, k)
        found, unclear = self._device.nearest(coordinates, k)
        if np.any(unclear) and host_decides_ties(self._n):
            some = take(coordinates, np.flatnonzero(unclear))
            found[unclear] = self._nearest_on_host(some, k)
        return found

    def _nearest_on_host(self, coordinates: Array, k: int) -> Indices:
        here, tree = _on_host(coordinates), self._tree
        assert tree is not None and here is not None
        if isinstance(tree, KDTree):
            ranks = np.arange(1, k + 1)
            found = tree.query(here, k=ranks, eps=self._slack, workers=n_threads())[1]
            return np.asarray(found, dtype=np.intp)
        return tree.nearest(here, k)

    def nearest_others(self, X: Array, own: Indices, k: int) -> Indices:
        """Return the k nearest rows of training rows, none of them the row itself: (b, k).

        ``own`` (b,) says which training row each row of X is.
        """
        found = self.nearest(X, k + 1)  # (b, k + 1)
        itself = found == own[:, None]
        # where copies crowd the row itself out of its own neighbours, the furthest one goes
        itself[~itself.any(axis=1), -1] = True
        return found[~itself].reshape(len(found), -1)


def host_decides_ties(n_rows: int) -> bool:
    """Tell whether the host chooses among rows that are equally far, for arrays on a device."""
    return n_rows <= MOST_ROWS_OF_TIES_ON_HOST


def _on_host(coordinates: Array | None) -> npt.NDArray[np.float32] | None:
    return None if coordinates is None else np.asarray(to_numpy(coordinates), dtype=np.float32)


def _suits_tree(coordinates: npt.NDArray[np.float32]) -> bool:
    """Tell whether a tree is faster: by the rows, and by how many coordinates share the variance.

    With v the variances of the coordinates, (Σv)²/Σv² of them do.
    """
    if coordinates.shape[0] <= MOST_ROWS_OF_BRUTE_FORCE:
        return False
    if coordinates.shape[1] <= MOST_TREE_COORDINATES:
        return True
    many = coordinates.shape[0] >= MANY_ROWS
    most = MOST_SHARED_COORDINATES_OF_MANY if many else MOST_SHARED_COORDINATES
    variances = np.var(coordinates, axis=0, dtype=np.float64)
    return bool(np.sum(variances) ** 2 <= most * np.sum(variances**2))
