"""The routines of ``blas`` by NumPy and SciPy's own functions: slower, and with copies.

They stand in where SciPy's routines cannot be called by address: it was built with integers of 64
bits, or the interpreter has no C API. Arguments are those of BLAS, which sees every matrix in C
order as its transpose; beneath, matrices are called as they lie, so that "upper" is lower here.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.linalg import get_lapack_funcs, solve_triangular

from sparsegp.arrays.namespace import Array

__all__ = ["ROUTINES"]

TRANSPOSED, LEFT = b"T", b"L"


def _keep_upper(total: Array, lower: Array) -> None:
    """Replace the lower triangle of total."""
    np.copyto(total, lower, where=np.tri(*total.shape, dtype=np.bool_))


def _syrk(form: Any, scale: float, A: Array, C: Array) -> None:
    gram = A @ A.T if form.value == TRANSPOSED else A.T @ A
    _keep_upper(C, C + scale * gram)


def _gemm(B_form: Any, A_form: Any, scale: float, B: Array, A: Array, C: Array) -> None:
    left, right = (M.T if f.value == TRANSPOSED else M for M, f in ((A, A_form), (B, B_form)))
    C += scale * (left @ right)


def _trmm(side: Any, form: Any, scale: float, A: Array, K: Array) -> None:
    L = np.tril(A)
    L = L.T if form.value == TRANSPOSED else L
    K[...] = scale * (K @ L if side.value == LEFT else L @ K)


def _trsm(form: Any, scale: float, A: Array, K: Array) -> None:
    """Solve from the right: K L⁻ᵀ for the transposed form, K L⁻¹ otherwise."""
    turned = 0 if form.value == TRANSPOSED else 1
    K[...] = scale * solve_triangular(A, K.T, lower=True, trans=turned, check_finite=False).T


def _potrf(A: Array, info: Any) -> None:
    _lapack("potrf", A, info, lower=1, clean=0)


def _trtri(A: Array, info: Any) -> None:
    _lapack("trtri", A, info, lower=1)


def _lauum(A: Array) -> None:
    L = np.tril(A)
    _keep_upper(A, L.T @ L)


def _lapack(name: str, A: Array, info: Any, **options: int) -> None:
    (routine,) = get_lapack_funcs((name,), (A,))
    found, info._obj.value = routine(A, **options)
    _keep_upper(A, found)


#: Name without the letter of the precision → function of the arguments of BLAS, without leading
#: dimensions. Those that say what all calls have in common are not passed on.
ROUTINES: Mapping[str, Callable[..., None]] = {
    "syrk": lambda _, form, n, k, scale, A, one, C: _syrk(form, scale, A, C),
    "gemm": lambda B_form, A_form, p, n, k, scale, B, A, one, C: _gemm(
        B_form, A_form, scale, B, A, C
    ),
    "trmm": lambda side, _, form, unit, m, n, scale, A, K: _trmm(side, form, scale, A, K),
    "trsm": lambda side, _, form, unit, m, n, scale, A, K: _trsm(form, scale, A, K),
    "potrf": lambda _, n, A, info: _potrf(A, info),
    "trtri": lambda _, unit, n, A, info: _trtri(A, info),
    "lauum": lambda _, n, A, info: _lauum(A),
}
