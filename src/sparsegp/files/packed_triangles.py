"""Packed storage of triangular and symmetric matrices.

Only one triangle of such a matrix is stored, so that two of them take the space of one square
matrix. The values are not changed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["LOWER", "SYMMETRIC", "UPPER", "PackedTriangle"]

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class PackedTriangle:
    """One triangle of square matrices (…, m, m), packed row by row to (…, m(m+1)/2).

    >>> LOWER.pack(np.array([[1.0, 0.0], [2.0, 3.0]]))
    array([1., 2., 3.])
    >>> SYMMETRIC.unpack(np.array([1.0, 2.0, 3.0]))
    array([[1., 2.],
           [2., 3.]])
    """

    mask: Callable[[int], npt.NDArray[np.bool_]]  # m ↦ (m, m)
    mirrored: bool = False  # the other triangle is its transpose, not zero

    def pack(self, matrices: Array) -> Array:
        """Return the elements of the triangle."""
        return matrices[..., self.mask(matrices.shape[-1])]

    def unpack(self, packed: Array) -> Array:
        """Return the matrices in C order; their size follows from the number of elements."""
        count = packed.shape[-1] if packed.ndim else -1
        m = (isqrt(8 * max(count, 0) + 1) - 1) // 2
        if count != m * (m + 1) // 2:
            raise ValueError(f"{count} numbers do not fill a triangle")
        matrices = np.zeros((*packed.shape[:-1], m, m), dtype=packed.dtype)
        matrices[..., self.mask(m)] = packed
        if self.mirrored:
            np.swapaxes(matrices, -1, -2)[..., self.mask(m)] = packed
        return matrices


def _lower(m: int) -> npt.NDArray[np.bool_]:
    return np.tri(m, dtype=bool)


def _upper(m: int) -> npt.NDArray[np.bool_]:
    return ~np.tri(m, k=-1, dtype=bool)


LOWER = PackedTriangle(_lower)
UPPER = PackedTriangle(_upper)
SYMMETRIC = PackedTriangle(_upper, mirrored=True)
