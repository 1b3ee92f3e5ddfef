"""Matrix products and factorisations in place, without the global interpreter lock.

SciPy's Python wrappers of BLAS and LAPACK hold the interpreter's lock, and NumPy's products always
allocate their result. SciPy also publishes the routines themselves (``scipy.linalg.cython_blas``
and ``cython_lapack``); called through ctypes they release the lock, write in place, and take
submatrices without copying them. A pass over the rows in threads is a third to a half faster. Where
that cannot be done, ``blas_by_wrappers`` does the same with copies.

Matrices are in C order, or some columns of such a matrix, in float64, or all of one call in
float32. BLAS expects Fortran order, so every matrix is passed as its transpose.
"""

import ctypes
from functools import cache
from typing import Any

import numpy as np
from scipy.linalg import cython_blas, cython_lapack

from sparsegp.arrays.blas_by_wrappers import ROUTINES
from sparsegp.arrays.namespace import Array
from sparsegp.arrays.policy import INVERSION_LEAF

__all__ = [
    "add_gram_in_place",
    "add_product_in_place",
    "divide_in_place",
    "factorise_lower",
    "invert_factor",
    "invert_triangle",
    "is_c_ordered",
    "multiply_in_place",
    "solve_by_factor",
    "solve_by_inverse",
    "square_inverse",
]

NO, TRANSPOSED, LEFT, RIGHT, UPPER = map(ctypes.c_char_p, (b"N", b"T", b"L", b"R", b"U"))

# The letter by which BLAS names a precision, and its C type.
PRECISIONS: dict[Any, tuple[str, Any]] = {
    np.dtype(np.float64): ("d", ctypes.c_double),
    np.dtype(np.float32): ("s", ctypes.c_float),
}


@cache
def _by_address() -> bool:
    """Tell whether routines can be called by their addresses, with integers of 32 bits."""
    try:
        names = [_name_of(cython_blas.__pyx_capi__["dgemm"])]
        names.append(_name_of(cython_lapack.__pyx_capi__["dpotrf"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    return all(b"int *" in name for name in names)


def _name_of(capsule: Any) -> bytes:
    """Return the signature of a published routine."""
    name_of = ctypes.pythonapi.PyCapsule_GetName
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return bytes(name_of(capsule))


@cache
def _routine(name: str, n_arguments: int) -> Any:
    """Return a routine of the BLAS that SciPy was built with; all arguments are pointers."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    routines: dict[str, Any] = {**cython_lapack.__pyx_capi__, **cython_blas.__pyx_capi__}
    capsule = routines[name]
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * n_arguments)
    return signature(pointer_of(capsule, _name_of(capsule)))


def _int(number: int) -> Any:
    return ctypes.byref(ctypes.c_int(number))


def _call(name: str, total: Array, *arguments: Any) -> None:
    """Call a routine in the precision of ``total``; scalars are converted to it."""
    letter, number = PRECISIONS.get(total.dtype, PRECISIONS[np.dtype(np.float64)])
    given: list[Any] = []
    for argument in arguments:
        if isinstance(argument, float):
            given.append(ctypes.byref(number(argument)))
        elif isinstance(argument, np.ndarray):
            given.extend(_matrix(argument, total.dtype))
        else:
            given.append(_int(argument) if isinstance(argument, int) else argument)
    if _by_address():
        _routine(letter + name, len(given))(*given)
    else:
        ROUTINES[name](*arguments)


def _matrix(A: Array, dtype: Any) -> tuple[int, Any]:
    """Return the address of a matrix and its leading dimension."""
    if dtype not in PRECISIONS or not is_c_ordered(A, dtype):
        kind = dtype if dtype in PRECISIONS else "float64"
        raise ValueError(f"expected a {kind} matrix in C order, got {A.dtype} of {A.strides}")
    leading = A.strides[0] // A.itemsize if A.shape[0] > 1 else A.shape[1]
    return A.ctypes.data, _int(leading)


def is_c_ordered(A: Array, dtype: Any = np.float64) -> bool:
    """Tell whether A is a non-empty matrix of this dtype, in C order or some columns of one."""
    if A.dtype != dtype or A.ndim != 2 or not A.size:
        return False
    contiguous_rows = A.shape[1] == 1 or A.strides[1] == A.itemsize
    return contiguous_rows and (A.shape[0] == 1 or A.strides[0] >= A.itemsize * A.shape[1])


def add_gram_in_place(total: Array, A: Array, scale: float) -> None:
    """Add scale·AᵀA to the lower triangle of total (m, m), for A (n, m)."""
    n, m = A.shape
    _call("syrk", total, UPPER, NO, m, n, float(scale), A, 1.0, total)


def add_product_in_place(total: Array, A: Array, B: Array, scale: float) -> None:
    """Add scale·A B to total (n, p), for A (n, k) and B (k, p), in C or in Fortran order."""
    (n, p), k = total.shape, A.shape[1]
    (B_form, B), (A_form, A) = _stored_form(B), _stored_form(A)
    _call("gemm", total, B_form, A_form, p, n, k, float(scale), B, A, 1.0, total)


def _stored_form(A: Array) -> tuple[Any, Array]:
    """Return the BLAS flag and the matrix in C order: A itself or its transpose."""
    transposed = not is_c_ordered(A, A.dtype) and is_c_ordered(A.T, A.dtype)
    return (TRANSPOSED, A.T) if transposed else (NO, A)


def multiply_in_place(K: Array, inverse: Array) -> None:
    """Replace K (n, m) by K L⁻ᵀ, given L⁻¹ (m, m), lower triangular."""
    _triangular("trmm", LEFT, TRANSPOSED, K, inverse)


def divide_in_place(K: Array, L: Array) -> None:
    """Replace K (n, m) by K L⁻ᵀ, given L (m, m), lower triangular."""
    _triangular("trsm", LEFT, TRANSPOSED, K, L)


def _triangular(name: str, side: Any, form: Any, K: Array, A: Array, scale: float = 1.0) -> None:
    """Multiply (trmm) or solve (trsm) K (n, m) with a lower triangle A, in place."""
    n, m = K.shape
    _call(name, K, side, UPPER, form, NO, m, n, scale, A, K)


def factorise_lower(A: Array) -> bool:
    """Replace the lower triangle of A (n, n) by its Cholesky factor.

    Returns whether A is positive definite; elements above the diagonal are ignored.
    """
    # a NaN below the diagonal reaches the diagonal; not every LAPACK reports it
    return _lapack_on_triangle("potrf", A) and bool(np.isfinite(A.trace()))


def invert_factor(A: Array) -> bool:
    """Replace the lower triangle of A = L Lᵀ (n, n) by that of L⁻¹.

    Returns whether A is positive definite; elements above the diagonal are ignored.
    """
    # a NaN reaches the diagonal, and an infinity becomes a zero there
    return _invert_factor(A) and bool(np.isfinite(A.trace()) and np.min(A.diagonal()) > 0.0)


def _invert_factor(A: Array) -> bool:
    """Invert the factor recursively, by matrix products instead of triangular solves.

    With blocks P and D on the diagonal and B below, the factor has L₁ of P, L₂₁ = B L₁⁻ᵀ below it
    and L₂ of D − L₂₁L₂₁ᵀ, and its inverse has −L₂⁻¹ L₂₁ L₁⁻¹ below.
    """
    if len(A) <= INVERSION_LEAF:
        return _lapack_on_triangle("potrf", A) and _lapack_on_triangle("trtri", A, NO)
    P, B, D = _halves(A)
    if not _invert_factor(P):
        return False
    multiply_in_place(B, P)  # L₂₁
    _subtract_gram(D, B)
    if not _invert_factor(D):
        return False
    _fill_below_diagonal(P, B, D)
    return True


def solve_by_inverse(inverse: Array, B: Array) -> Array:
    """Return (L Lᵀ)⁻¹ B = L⁻ᵀ L⁻¹ B, given L⁻¹ (n, n) and B (n, p)."""
    columns = np.array(B.T, dtype=inverse.dtype, order="C")  # (p, n)
    if columns.size:
        multiply_in_place(columns, inverse)
        _triangular("trmm", LEFT, NO, columns, inverse)
    return columns.T


def solve_by_factor(L: Array, B: Array) -> Array:
    """Return (L Lᵀ)⁻¹ B = L⁻ᵀ L⁻¹ B, given L (n, n) and B (n, p)."""
    columns = np.array(B.T, dtype=L.dtype, order="C")  # (p, n)
    if columns.size:
        divide_in_place(columns, L)
        _triangular("trsm", LEFT, NO, columns, L)
    return columns.T


def square_inverse(inverse: Array) -> None:
    """Replace the lower triangle L⁻¹ (n, n) by that of L⁻ᵀ L⁻¹, the inverse of L Lᵀ."""
    _lapack_on_triangle("lauum", inverse)


def invert_triangle(L: Array) -> None:
    """Replace a lower triangle L (n, n) by its inverse; elements above it are ignored."""
    if len(L) <= INVERSION_LEAF:
        _lapack_on_triangle("trtri", L, NO)
        return
    P, B, D = _halves(L)
    invert_triangle(P)
    invert_triangle(D)
    _fill_below_diagonal(P, B, D)


def _halves(A: Array) -> tuple[Array, Array, Array]:
    """Return the two diagonal blocks and, between them, the block below the diagonal."""
    middle = -(-len(A) // 32) * 16
    return A[:middle, :middle], A[middle:, :middle], A[middle:, middle:]


def _fill_below_diagonal(P: Array, B: Array, D: Array) -> None:
    """Replace B by −D B P, for the inverses P and D of the blocks on the diagonal."""
    _triangular("trmm", LEFT, NO, B, P, -1.0)
    _triangular("trmm", RIGHT, NO, B, D)


def _subtract_gram(total: Array, B: Array) -> None:
    """Subtract B Bᵀ from the lower triangle of total (m, m), for B (m, k)."""
    m, k = B.shape
    _call("syrk", total, UPPER, TRANSPOSED, m, k, -1.0, B, 1.0, total)


def _lapack_on_triangle(name: str, A: Array, *options: Any) -> bool:
    """Call a LAPACK routine on a lower triangle; return whether it succeeded."""
    info = ctypes.c_int(0)
    _call(name, A, UPPER, *options, len(A), A, ctypes.byref(info))
    return info.value == 0
