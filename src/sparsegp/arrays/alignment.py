"""Matrices of PyTorch whose rows begin at multiples of 128 bytes.

Products on a GPU load 16 bytes at a time where rows allow it: with an odd number of columns they
take half as long again. So large matrices are stored with a few more columns than they have.
"""

from typing import Any

from sparsegp.arrays.namespace import Array, is_torch, namespace
from sparsegp.arrays.policy import ROW_ALIGNMENT

__all__ = ["aligned", "aligned_size", "empty_aligned", "zeros_aligned"]


def aligned_size(m: int) -> int:
    """Return how many elements a row of m elements takes.

    >>> aligned_size(16), aligned_size(17)
    (16, 32)
    """
    return -(-m // ROW_ALIGNMENT) * ROW_ALIGNMENT


def empty_aligned(like: Array, n: int, m: int) -> Array:
    """Return a matrix (n, m) of any values, of the library, dtype and device of another one."""
    xp = namespace(like)
    return xp.empty((n, _stored(like, m)), dtype=like.dtype, device=like.device)[:, :m]


def zeros_aligned(like: Array, n: int, m: int) -> Array:
    """Return a matrix (n, m) of zeros."""
    xp = namespace(like)
    return xp.zeros((n, _stored(like, m)), dtype=like.dtype, device=like.device)[:, :m]


def _stored(like: Array, m: int) -> int:
    return aligned_size(m) if is_torch(like) else m


def aligned(A: Array) -> Array:
    """Return the matrix, or a copy of it if it is a tensor whose rows are not aligned."""
    if not is_torch(A):
        return A
    tensor: Any = A
    if tensor.stride(1) == 1 and tensor.stride(0) % ROW_ALIGNMENT == 0:
        return A
    copy: Any = empty_aligned(A, A.shape[0], A.shape[1])
    copy.copy_(tensor)
    return copy
