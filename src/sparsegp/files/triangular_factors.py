"""Storage of triangular factors: L, and a checksum of the inverse used in predictions.

The inverse follows from L, but its rounding depends on the number of LAPACK threads, which a fit
may have limited. The checksum tells which of the two roundings the model had.
"""

from contextlib import nullcontext
from zlib import crc32

import numpy as np

from sparsegp.arrays import Triangle, one_blas_thread
from sparsegp.files.policy import LARGEST_NUMBER
from sparsegp.files.serializers import Parts
from sparsegp.files.shape_checks import check_shape

__all__ = ["triangle_from_parts", "triangle_parts"]


def triangle_parts(triangle: Triangle) -> Parts:
    """Return L and the checksum of its inverse."""
    return {"L": triangle.L, "inverse": _inverse_checksum(triangle)}


def triangle_from_parts(parts: Parts) -> Triangle:
    """Return the factor with the inverse it had, if this machine rounds in the same way."""
    L, expected = parts["L"], parts["inverse"]
    check_shape("L", L, None, None)
    if not np.all(np.diagonal(L) > 1.0 / LARGEST_NUMBER):
        raise ValueError("a triangular factor has a diagonal that cannot be divided by")
    for threads in (nullcontext, one_blas_thread):
        with threads():
            triangle = Triangle.of(L)
        if _inverse_checksum(triangle) == expected:
            return triangle
    return Triangle.of(L)


def _inverse_checksum(triangle: Triangle) -> int | None:
    """Return the checksum of the inverse; None if rows are solved against L itself."""
    return None if triangle.inverse is None else crc32(triangle.inverse.tobytes())
