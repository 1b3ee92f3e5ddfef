"""The only Cholesky factorisation with jitter.

The matrix is tried without jitter first. If it is not positive definite to working precision, a
jitter that grows from 10⁻¹² to 10⁻⁴ of the mean diagonal is added, and the amount is recorded. NaN
is not a matter of jitter and has an error of its own.

A pivot smaller than its own rounding error counts as not positive, whatever its sign: rounding
makes it positive on one processor and negative on another, and LAPACK looks at the sign alone.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from sparsegp.arrays.alignment import aligned_size
from sparsegp.arrays.linalg import add_to_diagonal
from sparsegp.arrays.namespace import Array, is_numpy, is_torch, namespace
from sparsegp.arrays.policy import RELATIVE_JITTERS, SIZE_TO_ALIGN
from sparsegp.exceptions import NonFiniteMatrixError, NotPositiveDefiniteError

__all__ = ["Factor", "safe_cholesky"]


class Factor(NamedTuple):
    """A = L Lᵀ − jitter·I."""

    L: Array  # (m, m), lower triangular
    jitter: float


def _try(A: Array) -> Array | None:
    """Return the lower factor of A, or None if A is not positive definite."""
    if is_numpy(A):
        columns = A.T if A.flags.c_contiguous else A  # A is symmetric: no transposing copy
        L, info = lapack.dpotrf(columns, lower=1, clean=1)
        return L if info == 0 and _has_pivots(A, L) else None
    xp = namespace(A)
    try:
        L = xp.linalg.cholesky(A)
    except Exception as error:  # each library has a LinAlgError of its own
        if "LinAlg" not in type(error).__name__:
            raise
        return None
    return L if bool(xp.all(xp.isfinite(L))) and _has_pivots(A, L) else None


def _enlarged(A: Array) -> Array:
    """Return a large tensor with a few more rows of the identity, if its own are not aligned."""
    m = A.shape[0]
    size = aligned_size(m)
    if size == m or m < SIZE_TO_ALIGN or not is_torch(A):
        return A
    larger = namespace(A).eye(size, dtype=A.dtype, device=A.device)
    larger[:m, :m] = A
    return larger


def _has_pivots(A: Array, L: Array) -> bool:
    """Tell whether every pivot L_ii² is larger than its rounding error, at most m·eps·A_ii.

    That is the backward error of a Cholesky factorisation of order m (Higham 2002, theorem 10.3).
    A NaN anywhere below the diagonal reaches the diagonal and fails the comparison; not every
    LAPACK reports it.
    """
    if is_numpy(A):  # without the calls of the standard, which cost more than a small matrix
        return bool((L.diagonal() ** 2 > len(A) * np.finfo(A.dtype).eps * A.diagonal()).all())
    xp = namespace(A)
    pivots, diagonal = xp.linalg.diagonal(L) ** 2, xp.linalg.diagonal(A)  # (m,)
    rounding = A.shape[0] * xp.finfo(A.dtype).eps * diagonal
    return bool(xp.all(pivots > rounding))


def _jitters(A: Array, singular: bool) -> list[float]:
    """Return the jitters to try: a singular matrix is helped by none below its pivots' rounding."""
    rounding = A.shape[0] * namespace(A).finfo(A.dtype).eps
    some = [each for each in RELATIVE_JITTERS if each > rounding]
    return some if singular else [0.0, *some]


def safe_cholesky(A: Array, *, singular: bool = False) -> Factor:
    """Factorise a symmetric matrix that is positive semi-definite but for rounding.

    Parameters
    ----------
    A : array (m, m)
    singular : bool
        Whether it is known to be singular, so that it is not tried without jitter.

    Returns
    -------
    Factor
        The lower factor, and what was added to the diagonal to get it.

    >>> import numpy as np
    >>> safe_cholesky(np.array([[4.0, 0.0], [0.0, 9.0]])).L
    array([[2., 0.],
           [0., 3.]])
    >>> safe_cholesky(np.ones((2, 2))).jitter
    1e-12
    """
    m, tried, added = A.shape[0], _jitters(A, singular), 0.0
    own = _enlarged(A)
    for relative in tried:
        jitter = relative * _mean_diagonal(A) if relative else 0.0
        if jitter and own is A:
            L = _try(add_to_diagonal(namespace(A).asarray(A, copy=True), jitter))
        else:
            L = _try(add_to_diagonal(own, jitter - added) if jitter else own)
            added = jitter
        if L is not None:
            return Factor(L[:m, :m], jitter)
        if relative == tried[0] and not bool(namespace(A).all(namespace(A).isfinite(A))):
            raise NonFiniteMatrixError("the matrix to factorise holds NaN or infinity")
    raise NotPositiveDefiniteError(
        f"a matrix of order {A.shape[0]} is not positive definite, even with "
        f"{RELATIVE_JITTERS[-1]:g} of its mean diagonal added"
    )


def _mean_diagonal(A: Array) -> float:
    """Return the mean of the diagonal, or one: any jitter serves a matrix of zeros."""
    xp = namespace(A)
    mean = float(xp.mean(xp.linalg.diagonal(A)))
    return mean if mean != 0.0 else 1.0
