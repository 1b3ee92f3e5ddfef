"""Triangular solves K L⁻ᵀ for many rows K, at the speed of matrix products.

A sparse Gaussian process spends half of its time on them, and the triangular solve of a BLAS may
run at half the speed of its triangular product. So rows are multiplied by L⁻¹ where L is well
conditioned. Otherwise the factor is halved: the first columns are solved with the first diagonal
block, their part is subtracted from the other columns by a product, and these are solved with the
second diagonal block. A block may be well conditioned where the whole factor is not.
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import inf

import numpy as np

from sparsegp.arrays.blas import (
    add_product_in_place,
    divide_in_place,
    invert_triangle,
    is_c_ordered,
    multiply_in_place,
)
from sparsegp.arrays.blocked_solve import BlockedSolve
from sparsegp.arrays.linalg import lower_triangle, row_sums_of_squares, solve_lower
from sparsegp.arrays.namespace import Array, is_numpy, is_single, namespace
from sparsegp.arrays.policy import ALIGNMENT, SOLVE_LEAF, WELL_CONDITIONED
from sparsegp.arrays.single import in_single

__all__ = ["Triangle"]


@dataclass(frozen=True)
class Triangle:
    """A lower triangular factor L, prepared for K L⁻ᵀ.

    >>> import numpy as np
    >>> Triangle.of(np.array([[2.0, 0.0], [0.0, 4.0]])).divide(np.array([[2.0, 2.0]]))
    array([[1. , 0.5]])
    """

    L: Array  # (m, m)
    inverse: Array | None  # (m, m), if L is well conditioned
    halves: tuple["Triangle", ...] = field(default=(), repr=False)  # else its diagonal blocks
    blocked: BlockedSolve | None = None  # for writable arrays of other libraries

    @classmethod
    def of(cls, L: Array) -> "Triangle":
        """Prepare a factor."""
        if not is_numpy(L):
            return cls(L, None, blocked=BlockedSolve.of(L))
        if not len(L):
            return cls(L, None)
        L = np.ascontiguousarray(L)
        inverse = lower_triangle(L)
        invert_triangle(inverse)
        if _largest_row(L) * _largest_row(inverse) < WELL_CONDITIONED:
            return cls(L, inverse)
        if len(L) <= SOLVE_LEAF:
            return cls(L, None)
        middle = -(-len(L) // (2 * ALIGNMENT)) * ALIGNMENT
        return cls(L, None, (cls.of(L[:middle, :middle]), cls.of(L[middle:, middle:])))

    @cached_property
    def squared_norm_of_inverse(self) -> float:
        """‖L⁻¹‖² in the Frobenius norm; infinite if L is badly conditioned or not prepared."""
        if self.inverse is not None:
            return float(np.sum(self.inverse * self.inverse))
        if self.blocked is None:
            return inf
        xp, m = namespace(self.L), self.L.shape[0]
        inverse = self.blocked.divide(xp.eye(m, dtype=self.L.dtype, device=self.L.device))
        return float(xp.sum(row_sums_of_squares(inverse)))

    def in_single(self) -> "Triangle":
        """Return the factor for rows in single precision; inverses were computed in double."""
        inverse = None if self.inverse is None else in_single(self.inverse)
        halves = tuple(half.in_single() for half in self.halves)
        blocked = None if self.blocked is None else self.blocked.in_single()
        return Triangle(in_single(self.L), inverse, halves, blocked)

    def divide(self, K: Array, *, overwrite: bool = False) -> Array:
        """Return K L⁻ᵀ for K (n, m); ``overwrite`` allows K to be used for the result."""
        if self.blocked is not None:
            return self.blocked.divide(K, overwrite=overwrite)
        both = (is_numpy(self.L) and is_numpy(K)) or (is_single(self.L) and is_single(K))
        if not both:
            return solve_lower(self.L, K.T).T
        if not (overwrite and K.flags.writeable and is_c_ordered(K, K.dtype)):
            K = np.array(K, order="C")
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
    return float(np.abs(A).sum(axis=1).max())
