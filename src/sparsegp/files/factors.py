"""A triangular factor: stored is L, and which inverse of it prediction has used.

The inverse follows from L, but LAPACK rounds it by the number of its threads, and a fit may have
limited these. A sum over the bytes of the inverse tells which it was.
"""

from contextlib import nullcontext
from zlib import crc32

from sparsegp.arrays import Triangle, one_blas_thread
from sparsegp.files.recipes import Parts
from sparsegp.files.shapes import check_shape

__all__ = ["parts_of_triangle", "triangle_of"]


def parts_of_triangle(triangle: Triangle) -> Parts:
    """Return L and the sum of its inverse."""
    return {"L": triangle.L, "inverse": _sum_of_inverse(triangle)}


def triangle_of(parts: Parts) -> Triangle:
    """Return the factor with the inverse it had, if this machine rounds as the other did."""
    L, wanted = parts["L"], parts["inverse"]
    check_shape("L", L, None, None)
    for threads in (nullcontext, one_blas_thread):
        with threads():
            triangle = Triangle.of(L)
        if _sum_of_inverse(triangle) == wanted:
            return triangle
    return Triangle.of(L)


def _sum_of_inverse(triangle: Triangle) -> int | None:
    """Return a number for the bytes of the inverse; None if rows are divided by L itself."""
    return None if triangle.inverse is None else crc32(triangle.inverse.tobytes())
