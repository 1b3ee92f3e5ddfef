"""Which rows the active ones span, by a Cholesky factor of K_uu that grows with each addition.

The posterior variance A of a row shows whether its label adds information, but not whether its
kernel column is independent: a copy of an active row keeps some variance, yet K_uu with it is
singular.
"""

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import Array, row_sums_of_squares, solve_lower
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.selection.active.filtering import Indices
from sparsegp.selection.policy import DUPLICATE
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
        """Return L⁻¹K_u· (m, κ) of rows by kernel values K (κ, m), and residual variances (κ,)."""
        m = len(self._members)
        V = solve_lower(self._L[:m, :m], K.T) if m else np.empty((0, len(at)))
        return V, self._prior[at] - row_sums_of_squares(V.T)

    def are_outside(self, at: Indices, columns: Vector) -> NDArray[np.bool_]:
        """Tell which rows have independent kernel columns, given as rows (κ, n): (κ,)."""
        left = self._features(at, columns[:, self._members])[1]
        return left > DUPLICATE * self._prior[at]

    def outside(self, at: Indices) -> Indices:
        """Return those of many rows whose kernel columns are independent."""
        size = block_size(len(self._members))
        parts = [at[start : start + size] for start in range(0, len(at), size)]
        Z = self._X[self._members]
        left = [self._features(part, self._kernel(self._X[part], Z))[1] for part in parts]
        return at[np.concatenate(left) > DUPLICATE * self._prior[at]] if left else at

    def add(self, row: int, column: Vector) -> None:
        """Add an independent row, with its kernel column (n,)."""
        m = len(self._members)
        V, left = self._features(np.array([row]), column[None, self._members])
        least = DUPLICATE * self._prior[row]  # rounding may fall short of it
        self._L[m, :m], self._L[m, m] = V[:, 0], np.sqrt(max(left[0], least))
        self._members = np.append(self._members, row)
