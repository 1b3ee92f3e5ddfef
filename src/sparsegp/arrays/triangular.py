"""Dividing rows by a triangular factor, at the speed of matrix products.

``K L⁻ᵀ`` for many rows K is where a sparse Gaussian process spends half of its time. The
triangular solve of a BLAS may run at a third of the speed of its matrix product, so the
solve is done in panels: products for what stands left of a panel, and the inverse of the
small triangle on the diagonal.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from sparsegp.arrays.linalg import solve_lower
from sparsegp.arrays.namespace import Array, is_numpy

__all__ = ["Triangle"]

PANEL = 128


@dataclass(frozen=True)
class Triangle:
    """A lower triangular factor L that rows are divided by.

    >>> import numpy as np
    >>> Triangle.of(np.array([[2.0, 0.0], [0.0, 4.0]])).divide(np.array([[2.0, 2.0]]))
    array([[1. , 0.5]])
    """

    L: Array  # (m, m)
    inverses: tuple[Array, ...]  # transposed inverses of the diagonal panels; () if not NumPy

    @classmethod
    def of(cls, L: Array) -> "Triangle":
        """Prepare a factor."""
        if not is_numpy(L):
            return cls(L, ())
        L = np.ascontiguousarray(L)
        starts = range(0, L.shape[0], PANEL)
        corners = (L[j : j + PANEL, j : j + PANEL] for j in starts)
        return cls(L, tuple(lapack.dtrtri(corner, lower=1)[0].T for corner in corners))

    def divide(self, K: Array, *, overwrite: bool = False) -> Array:
        """Return K L⁻ᵀ for K (n, m); ``overwrite`` allows K to be used for the result."""
        if not self.inverses or not is_numpy(K):
            return solve_lower(self.L, K.T).T
        K = K if overwrite and K.flags.writeable else K.copy()
        for j, inverse in zip(range(0, K.shape[1], PANEL), self.inverses, strict=True):
            panel = K[:, j : j + PANEL]  # (n, ≤ PANEL)
            if j:
                panel -= K[:, :j] @ self.L[j : j + PANEL, :j].T
            panel[...] = panel @ inverse
        return K
