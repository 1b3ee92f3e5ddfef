"""Dividing rows by a triangular factor, at the speed of matrix products.

``K L⁻ᵀ`` for many rows K is where a sparse Gaussian process spends half of its time. The
triangular solve of a BLAS may run at half the speed of its triangular product. So rows are
multiplied by L⁻¹ where that costs no digits worth having. Else the columns are divided in panels:
what the panels before explain is taken off by a product, and the panel is divided by its block
on the diagonal, whose inverse may be good where that of the whole factor is not.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import lapack

from sparsegp.arrays.blas import (
    add_product_in_place,
    divide_in_place,
    is_plain,
    multiply_in_place,
)
from sparsegp.arrays.halving import Halved
from sparsegp.arrays.linalg import solve_lower
from sparsegp.arrays.namespace import Array, is_numpy, namespace

__all__ = ["Triangle"]

# ‖L‖·‖L⁻¹‖ below which the inverse is used: rounding then moves a row by less than this times
# 10⁻¹⁶ of its length.
WELL_CONDITIONED = 1e5
# Columns of a panel. With 256 basis vectors a row took 2.2 µs with 128, 2.7 with 64, and 5.1 by one
# triangular solve; with 1,000 it took 23, 25 and 31.
PANEL = 128


@dataclass(frozen=True)
class Triangle:
    """A lower triangular factor L that rows are divided by.

    >>> import numpy as np
    >>> Triangle.of(np.array([[2.0, 0.0], [0.0, 4.0]])).divide(np.array([[2.0, 2.0]]))
    array([[1. , 0.5]])
    """

    L: Array  # (m, m)
    inverse: Array | None  # (m, m), if it is as good as L
    panels: tuple["Triangle", ...] = field(default=(), repr=False)  # blocks on the diagonal, else
    halved: Halved | None = None  # for arrays of other libraries that can be written to

    @classmethod
    def of(cls, L: Array) -> "Triangle":
        """Prepare a factor."""
        if not is_numpy(L):
            return cls(L, None, halved=Halved.of(L))
        if not len(L):
            return cls(L, None)
        L = np.ascontiguousarray(L)
        inverse = np.ascontiguousarray(lapack.dtrtri(L, lower=1)[0])
        if _largest_row(L) * _largest_row(inverse) < WELL_CONDITIONED:
            return cls(L, inverse)
        starts = range(0, len(L), PANEL) if len(L) > PANEL else ()
        return cls(L, None, tuple(cls.of(L[i : i + PANEL, i : i + PANEL]) for i in starts))

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
        elif not self.panels:
            divide_in_place(K, self.L)
        for i, block in enumerate(self.panels):
            start, end = PANEL * i, PANEL * i + len(block.L)
            if start:
                add_product_in_place(
                    K[:, start:end], K[:, :start], self.L[start:end, :start].T, -1.0
                )
            block._divide_in_place(K[:, start:end])


def _largest_row(A: Array) -> float:
    """Return the ∞-norm, which bounds the spectral norm up to √m."""
    return float(np.max(np.sum(np.abs(A), axis=1)))
