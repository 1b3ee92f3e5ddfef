"""Dividing rows by a triangular factor, at the speed of matrix products.

``K L⁻ᵀ`` for many rows K is where a sparse Gaussian process spends half of its time. The
triangular solve of a BLAS may run at half the speed of its triangular product. So rows are
multiplied by L⁻¹ where that costs no digits worth having. Else the factor is halved: the first
columns are divided by the block in its corner, what they explain is taken off the others by a
product, and these are divided by the other block on the diagonal. The inverse of a block may be
good where that of the whole factor is not.
"""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from sparsegp.arrays.blas import (
    add_product_in_place,
    divide_in_place,
    invert_triangle,
    is_plain,
    multiply_in_place,
)
from sparsegp.arrays.blocked_solve import BlockedSolve
from sparsegp.arrays.linalg import solve_lower
from sparsegp.arrays.namespace import Array, is_numpy, namespace

__all__ = ["Triangle"]

# ‖L‖·‖L⁻¹‖ below which the inverse is used: rounding then moves a row by less than this times
# 10⁻¹⁶ of its length.
WELL_CONDITIONED = 1e5
# A block of no more columns is not halved: it is divided by a triangular solve. Dividing by a badly
# conditioned factor of 500 columns took 2.7 s with 32, 3.1 s with 64 and 4.4 s with 128, where one
# product with its inverse takes 2.4 s.
SMALLEST = 32
# Products of blocks whose columns are a multiple of this are faster (2.5 s there).
ALIGNED = 16


@dataclass(frozen=True)
class Triangle:
    """A lower triangular factor L that rows are divided by.

    >>> import numpy as np
    >>> Triangle.of(np.array([[2.0, 0.0], [0.0, 4.0]])).divide(np.array([[2.0, 2.0]]))
    array([[1. , 0.5]])
    """

    L: Array  # (m, m)
    inverse: Array | None  # (m, m), if it is as good as L
    halves: tuple["Triangle", ...] = field(default=(), repr=False)  # blocks on the diagonal, else
    halved: BlockedSolve | None = None  # for arrays of other libraries that can be written to

    @classmethod
    def of(cls, L: Array) -> "Triangle":
        """Prepare a factor."""
        if not is_numpy(L):
            return cls(L, None, halved=BlockedSolve.of(L))
        if not len(L):
            return cls(L, None)
        L = np.ascontiguousarray(L)
        inverse = np.tril(L)
        invert_triangle(inverse)
        if _largest_row(L) * _largest_row(inverse) < WELL_CONDITIONED:
            return cls(L, inverse)
        if len(L) <= SMALLEST:
            return cls(L, None)
        middle = -(-len(L) // (2 * ALIGNED)) * ALIGNED
        return cls(L, None, (cls.of(L[:middle, :middle]), cls.of(L[middle:, middle:])))

    @property
    def squares_of_inverse(self) -> float:
        """‖L⁻¹‖², its squares added up; infinite where the inverse is not at hand."""
        return inf if self.inverse is None else float(np.sum(self.inverse * self.inverse))

    def divide(self, K: Array, *, overwrite: bool = False) -> Array:
        """Return K L⁻ᵀ for K (n, m); ``overwrite`` allows K to be used for the result."""
        if self.halved is not None:
            return self.halved.divide(K if overwrite else namespace(K).asarray(K, copy=True))
        if not is_numpy(self.L) or not is_numpy(K):
            return solve_lower(self.L, K.T).T
        if not (overwrite and K.flags.writeable and is_plain(K)):
            K = np.array(K, dtype=np.float64, order="C")
        if K.size:
            self._divide_in_place(K)
        return K

    def _divide_in_place(self, K: Array) -> None:
        """Replace K (n, m), which is not empty, by K L⁻ᵀ."""
        if self.inverse is not None:
            multiply_in_place(K, self.inverse)
        elif not self.halves:
            divide_in_place(K, self.L)
        else:
            first, second = self.halves
            middle = len(first.L)
            left, right = K[:, :middle], K[:, middle:]
            first._divide_in_place(left)
            add_product_in_place(right, left, self.L[middle:, :middle].T, -1.0)
            second._divide_in_place(right)


def _largest_row(A: Array) -> float:
    """Return the ∞-norm, which bounds the spectral norm up to √m."""
    return float(np.max(np.sum(np.abs(A), axis=1)))
