"""Which rows the active ones span: a factor of K_uu that grows by a line an addition.

The variance A of a row tells what its label can still do, but not whether its kernel column is
a new one: a second copy of an active row keeps some variance, and yet K_uu with it is singular.
"""

import numpy as np

from sparsegp.arrays import Array, row_sums_of_squares, solve_lower
from sparsegp.data.rows import block_size
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.selection.active.filtering import Indices
from sparsegp.selection.criteria import DUPLICATE

__all__ = ["Span"]


class Span:
    """The span of the kernel columns of some rows of X (n, D)."""

    def __init__(self, kernel: Kernel, X: Array, max_basis: int) -> None:
        self._kernel, self._X = kernel, X
        self._members = np.empty(0, dtype=np.intp)
        self._L = np.zeros((max_basis, max_basis))  # K_uu = L Lᵀ

    def _features(self, at: Indices) -> tuple[Vector, Vector]:
        """Return L⁻¹K_u· (m, κ) of rows, and their prior variances that it leaves: (κ,)."""
        m, X = len(self._members), self._X[at]
        prior = np.asarray(self._kernel.diagonal(X))
        if not m:
            return np.empty((0, len(at))), prior
        V = solve_lower(self._L[:m, :m], self._kernel(self._X[self._members], X))
        return V, prior - row_sums_of_squares(V.T)

    def outside(self, at: Indices) -> Indices:
        """Return those of some rows whose kernel columns are new."""
        size = block_size(len(self._members))
        parts = [at[start : start + size] for start in range(0, len(at), size)]
        new = [self._features(p)[1] > DUPLICATE * self._kernel.diagonal(self._X[p]) for p in parts]
        return at[np.concatenate(new)] if new else at

    def add(self, row: int) -> None:
        """Add a row that is outside."""
        m = len(self._members)
        at = np.array([row])
        V, left = self._features(at)
        least = DUPLICATE * self._kernel.diagonal(self._X[at])  # rounding may fall short of it
        self._L[m, :m], self._L[m, m] = V[:, 0], np.sqrt(np.maximum(left, least)[0])
        self._members = np.append(self._members, row)
