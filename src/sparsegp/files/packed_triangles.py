"""Half of a matrix: what is stored of triangles and of symmetric matrices.

A posterior has two triangles and a state has symmetric matrices of which one half is meant. Two
packed triangles take the room of one square. The numbers themselves are not touched.
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
    """One half of square matrices (…, m, m), packed by rows to (…, m(m+1)/2).

    >>> LOWER.pack(np.array([[1.0, 0.0], [2.0, 3.0]]))
    array([1., 2., 3.])
    >>> SYMMETRIC.unpack(np.array([1.0, 2.0, 3.0]))
    array([[1., 2.],
           [2., 3.]])
    """

    mask: Callable[[int], npt.NDArray[np.bool_]]  # m ↦ (m, m)
    mirrored: bool = False  # the other half is the same, not zero

    def pack(self, matrices: Array) -> Array:
        """Return the half that is meant."""
        return matrices[..., self.mask(matrices.shape[-1])]

    def unpack(self, packed: Array) -> Array:
        """Return the matrices, in C order; their size follows from that of the packed half."""
        count = packed.shape[-1] if packed.ndim else -1
        m = (isqrt(8 * max(count, 0) + 1) - 1) // 2
        if count != m * (m + 1) // 2:
            raise ValueError(f"{count} numbers are no half of a square matrix")
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
