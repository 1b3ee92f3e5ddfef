"""Triangular solves, Gram matrices and diagonals, in place where the library allows it."""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.linalg import blas, lapack

from sparsegp.arrays.alignment import aligned
from sparsegp.arrays.blas import add_gram_in_place, add_product_in_place, is_c_ordered
from sparsegp.arrays.namespace import (
    Array,
    is_ndarray,
    is_numpy,
    is_single,
    is_torch,
    namespace,
)
from sparsegp.arrays.policy import GRAM_BLOCK, SMALL_MATRIX

__all__ = [
    "add_gram",
    "add_product",
    "add_scaled",
    "add_to_diagonal",
    "add_to_diagonals",
    "half_inverse_from_lower",
    "inverse_from_lower",
    "less_combination",
    "less_product",
    "lower_triangle",
    "mirror_lower",
    "put_product",
    "row_sums_of_squares",
    "solve_lower",
    "solve_lower_transposed",
    "sum_of_product",
]


def _native_solve(L: Array, B: Array, *, transposed: bool) -> Array:
    """Solve with a lower triangle outside NumPy: the library's own call if it has one."""
    xp = namespace(L, B)
    torch_like = getattr(getattr(xp, "linalg", None), "solve_triangular", None)
    A = L.T if transposed else L
    if torch_like is not None:
        return torch_like(A, B, upper=transposed)
    return xp.linalg.solve(A, B)


def _blas_solve(L: Array, B: Array, *, transposed: bool) -> Array:
    if L.flags.c_contiguous:  # BLAS reads it as the upper triangle Lᵀ: no copy
        return blas.dtrsm(1.0, L.T, B, lower=0, trans_a=int(not transposed))
    return blas.dtrsm(1.0, L, B, lower=1, trans_a=int(transposed))


def solve_lower(L: Array, B: Array) -> Array:
    """Return L⁻¹ B for lower triangular L (m, m) and B (m, k)."""
    if is_numpy(L) and is_numpy(B):
        return _blas_solve(L, B, transposed=False)
    return _native_solve(L, B, transposed=False)


def solve_lower_transposed(L: Array, B: Array) -> Array:
    """Return L⁻ᵀ B for lower triangular L (m, m) and B (m, k)."""
    if is_numpy(L) and is_numpy(B):
        return _blas_solve(L, B, transposed=True)
    return _native_solve(L, B, transposed=True)


def add_gram(total: Array, A: Array, scale: float = 1.0) -> Array:
    """Return total + scale·AᵀA, of which only the lower triangle is valid; may overwrite total."""
    both = (is_numpy(total) and is_numpy(A)) or (is_single(total) and is_single(A))
    if not both:
        return _add_gram_by_parts(total, A, scale)
    if A.size:
        kind = A.dtype
        A = A if is_c_ordered(A, kind) else np.ascontiguousarray(A)
        total = total if is_c_ordered(total, kind) else np.array(total, order="C")
        add_gram_in_place(total, A, scale)
    return total


def _add_gram_by_parts(total: Array, A: Array, scale: float) -> Array:
    """Add AᵀA without the blocks above the diagonal, where the library writes in place.

    The first columns, of a number that is GRAM_BLOCK times a power of two, are added by levels.
    """
    m = A.shape[1]
    if m <= GRAM_BLOCK or not is_torch(total):
        return add_product(total, A.T, A, scale)
    A, size = aligned(A), GRAM_BLOCK
    while 2 * size <= m:
        size *= 2
    first, others = A[:, :size], A[:, size:]
    _add_gram_by_levels(total[:size, :size], first, scale)
    if size < m:
        add_product(total[size:, :size], others.T, first, scale)
        _add_gram_by_parts(total[size:, size:], others, scale)
    return total


def _add_gram_by_levels(total: Array, A: Array, scale: float) -> None:
    """Add AᵀA to a tensor, all blocks of one size together.

    The halves of halves are many small products, each of which would leave most of a GPU idle. The
    blocks of a level are as far apart as each other, and are one batch.
    """
    tensor: Any = total
    columns: Any = A  # with rows in order
    (n, m), (across, down) = A.shape, tensor.stride()

    def add(size: int, below: int) -> None:
        """Add the blocks of this size on the diagonal, or those ``below`` it in every pair."""
        step = size * (1 + below)
        shape, strides = (m // step, n, size), (step, columns.stride()[0], 1)
        start = columns.storage_offset()
        left = columns.as_strided(shape, strides, start + below * size)  # (blocks, n, size)
        right = left if not below else columns.as_strided(shape, strides, start)
        into = tensor.as_strided(
            (m // step, size, size),
            (step * (across + down), across, down),
            tensor.storage_offset() + below * size * across,
        )
        into.add_(left.transpose(1, 2) @ right, alpha=scale)

    size = GRAM_BLOCK
    add(size, 0)
    while size < m:
        add(size, 1)
        size *= 2


def add_product(total: Array, A: Array, B: Array, scale: float = 1.0) -> Array:
    """Return total + scale·A B; may overwrite total."""
    if is_torch(total):
        tensor: Any = total
        if tensor.shape[0] == 1:  # CUDA refuses products with one row of a longer matrix
            tensor[0].addmv_(B.T, A[0], alpha=scale)
            return tensor
        return tensor.addmm_(A, B, alpha=scale)
    if not all(is_numpy(M) or is_single(M) for M in (total, A, B)):
        return total + scale * (A @ B)
    kind = total.dtype
    if all(is_c_ordered(M, kind) or is_c_ordered(M.T, kind) for M in (A, B)) and is_c_ordered(
        total, kind
    ):
        add_product_in_place(total, A, B, scale)
        return total
    return np.asarray(total + scale * (A @ B))


def put_product(into: Array, A: Array, B: Array) -> None:
    """Write A B into a tensor, which may be some columns of a larger one."""
    tensor: Any = into
    tensor.addmm_(A, B, beta=0.0)


def add_scaled(total: Array, A: Array, scale: float) -> Array:
    """Return total + scale·A; may overwrite total."""
    if is_torch(total):
        tensor: Any = total
        return tensor.add_(A, alpha=scale)
    if not (is_numpy(total) and is_numpy(A)) or total.shape != A.shape:
        return total + scale * A
    if total.flags.writeable and all(is_c_ordered(M) and M.flags.c_contiguous for M in (total, A)):
        return blas.daxpy(A.ravel(), total.ravel(), a=scale).reshape(
            total.shape
        )  # without the temporary scale·A
    return np.asarray(total + scale * A)


def less_product(total: Array, a: Array, b: Array) -> Array:
    """Return total − a·b, element by element: a new array, in one operation of PyTorch."""
    if is_torch(total):
        tensor: Any = total
        return tensor.addcmul(a, b, value=-1.0)
    return total - a * b


def less_combination(total: Array, weights: Array, rows: Array) -> Array:
    """Return total (c,) − Σ_t weights_t rows_t for rows (t, c), in one operation of PyTorch."""
    if is_torch(total):
        tensor: Any = total
        return tensor.addmv(rows.T, weights, alpha=-1.0)
    return total - weights @ rows


@lru_cache(maxsize=4)
def _is_lower(m: int) -> Array:
    """Return which elements of a matrix (m, m) are in its lower triangle."""
    return np.tri(m, dtype=bool)


def lower_triangle(A: Array) -> Array:
    """Return a copy of a NumPy matrix with zeros above the diagonal."""
    return np.where(_is_lower(len(A)), A, 0.0) if len(A) <= SMALL_MATRIX else np.tril(A)


def mirror_lower(A: Array) -> Array:
    """Return the symmetric matrix whose lower triangle is that of A."""
    if is_ndarray(A) and len(A) <= SMALL_MATRIX:
        return np.where(_is_lower(len(A)), A, A.T)
    xp = namespace(A)
    lower = xp.tril(A)
    return lower + xp.tril(A, k=-1).T


def add_to_diagonal(A: Array, value: Any) -> Array:
    """Return A with ``value`` added to its diagonal; overwrites A where the library allows."""
    if is_numpy(A):
        np.einsum("ii->i", A)[...] += value  # a view
        return A
    if is_torch(A) and isinstance(value, float):
        tensor: Any = A
        tensor.diagonal().add_(value)
        return A
    xp = namespace(A)
    return A + value * xp.eye(A.shape[0], dtype=A.dtype, device=A.device)


def add_to_diagonals(A: Array, values: Array) -> Array:
    """Return A (b, k, k) with values (b, k) added to the diagonals; may overwrite A.

    >>> add_to_diagonals(np.ones((1, 2, 2)), np.array([[1.0, 2.0]])).tolist()
    [[[2.0, 1.0], [1.0, 3.0]]]
    """
    if is_numpy(A):
        np.einsum("bii->bi", A)[...] += values  # a view
        return A
    xp = namespace(A)
    return A + values[:, :, None] * xp.eye(A.shape[1], dtype=A.dtype, device=A.device)


def row_sums_of_squares(A: Array) -> Array:
    """Return Σ_j A_ij² for each row: (n,)."""
    if is_ndarray(A):
        return np.einsum("ij,ij->i", A, A)
    if A.shape[1] == 1:  # on a device one operation in place of two, and exact
        return A[:, 0] * A[:, 0]
    # in one pass, without a temporary array of squares
    return namespace(A).linalg.vector_norm(A, axis=1) ** 2


def sum_of_product(A: Array, B: Array) -> Any:
    """Return Σ_ij A_ij B_ij; with NumPy without a temporary array of products."""
    both = is_ndarray(A) and is_ndarray(B)
    return np.vdot(A, B) if both else namespace(A).sum(A * B)


def inverse_from_lower(L: Array) -> Array:
    """Return (L Lᵀ)⁻¹, symmetric, for a Cholesky factor L."""
    half = half_inverse_from_lower(L)
    return half + half.T


def half_inverse_from_lower(L: Array) -> Array:
    """Return a matrix H with H + Hᵀ = (L Lᵀ)⁻¹; on NumPy a triangle, from LAPACK in one call."""
    if not is_numpy(L):
        xp = namespace(L)
        L_inverse = solve_lower(L, xp.eye(L.shape[0], dtype=L.dtype, device=L.device))
        return 0.5 * (L_inverse.T @ L_inverse)
    if not len(L):
        return L.copy()
    # LAPACK's triangle in Fortran order, transposed, is one in C order
    half = (lapack.dpotri(L.T, lower=0) if L.flags.c_contiguous else lapack.dpotri(L, lower=1))[0].T
    np.einsum("ii->i", half)[...] *= 0.5  # a view
    return half
