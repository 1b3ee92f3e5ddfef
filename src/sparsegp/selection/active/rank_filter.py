"""Which rows the active ones span: a factor of K_uu that grows by a line an addition.

The variance A of a row tells what its label can still do, but not whether its kernel column is
a new one: a second copy of an active row keeps some variance, and yet K_uu with it is singular.
"""

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import Array, row_sums_of_squares, solve_lower
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.selection.active.filtering import Indices
from sparsegp.selection.criteria import DUPLICATE
from sparsegp.tables.rows import block_size

__all__ = ["RankFilter"]


class RankFilter:
    """The span of the kernel columns of some rows of X (n, D)."""

    def __init__(self, kernel: Kernel, X: Array, prior: Vector, max_basis: int) -> None:
        self._kernel, self._X = kernel, X
        self._prior = prior  # (n,), k_ii
        self._members = np.empty(0, dtype=np.intp)
        self._L = np.zeros((max_basis, max_basis))  # K_uu = L Lᵀ

    def _features(self, at: Indices, K: Vector) -> tuple[Vector, Vector]:
        """Return L⁻¹K_u· (m, κ) of rows by K (κ, m), and the variances that it leaves: (κ,)."""
        m = len(self._members)
        V = solve_lower(self._L[:m, :m], K.T) if m else np.empty((0, len(at)))
        return V, self._prior[at] - row_sums_of_squares(V.T)

    def are_outside(self, at: Indices, columns: Vector) -> NDArray[np.bool_]:
        """Tell of which rows the kernel columns, the lines of (κ, n), are new: (κ,)."""
        left = self._features(at, columns[:, self._members])[1]
        return left > DUPLICATE * self._prior[at]

    def outside(self, at: Indices) -> Indices:
        """Return those of many rows whose kernel columns are new."""
        size = block_size(len(self._members))
        parts = [at[start : start + size] for start in range(0, len(at), size)]
        Z = self._X[self._members]
        left = [self._features(part, self._kernel(self._X[part], Z))[1] for part in parts]
        return at[np.concatenate(left) > DUPLICATE * self._prior[at]] if left else at

    def add(self, row: int, column: Vector) -> None:
        """Add a row that is outside, with its kernel column (n,)."""
        m = len(self._members)
        V, left = self._features(np.array([row]), column[None, self._members])
        least = DUPLICATE * self._prior[row]  # rounding may fall short of it
        self._L[m, :m], self._L[m, m] = V[:, 0], np.sqrt(max(left[0], least))
        self._members = np.append(self._members, row)
