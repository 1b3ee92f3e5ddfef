"""Symmetric matrices stored as one triangle, updated in place.

BLAS reads and writes half of the elements, and a matrix of one triangle cannot become asymmetric. A
matrix is a C-ordered (m, m) array of which the upper triangle is valid; BLAS gets its transpose,
Fortran-ordered, with a lower triangle, without a copy.
"""

import numpy as np
from scipy.linalg import blas, lapack

from sparsegp.arrays import Array
from sparsegp.online.policy import MOST_ROWS_ONE_BY_ONE

__all__ = [
    "add_outer",
    "clear",
    "column",
    "full",
    "independent",
    "put_column",
    "times",
    "times_many",
]


def times(A: Array, x: Array) -> Array:
    """Return A x: (m,)."""
    return blas.dsymv(1.0, A.T, x, lower=1)


def times_many(A: Array, X: Array) -> Array:
    """Return X A for rows X (n, m): (n, m)."""
    if len(X) == 1:
        return times(A, X[0])[None]
    if len(X) <= MOST_ROWS_ONE_BY_ONE:
        found = np.empty(X.shape)
        for i, x in enumerate(X):
            found[i] = times(A, x)
        return found
    return blas.dsymm(1.0, A.T, X.T, lower=1).T  # (A Xᵀ)ᵀ


def add_outer(A: Array, x: Array, scale: float) -> None:
    """Add scale·x xᵀ to A."""
    blas.dsyr(scale, x, lower=1, a=A.T, overwrite_a=1)


def column(A: Array, j: int) -> Array:
    """Return a copy of column j: (m,)."""
    return np.concatenate((A[:j, j], A[j, j:]))


def put_column(A: Array, j: int, x: Array) -> None:
    """Set row and column j of A to x (m,)."""
    A[:j, j] = x[:j]
    A[j, j:] = x[j:]


def clear(A: Array, j: int) -> None:
    """Set row and column j of A to zero."""
    A[:j, j] = 0.0
    A[j, j:] = 0.0


def full(A: Array) -> Array:
    """Return A with both triangles: (m, m).

    >>> full(np.array([[1.0, 2.0], [np.nan, 3.0]]))
    array([[1., 2.],
           [2., 3.]])
    """
    upper = np.triu(A)
    return upper + np.triu(A, k=1).T


def independent(K: Array, tolerance: float) -> Array:
    """Return positions of linearly independent rows of a Gram matrix.

    By a pivoted Cholesky factorisation: each keeps more than ``tolerance`` of its own variance
    given those before it.

    >>> independent(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 4.0]]), 1e-8).tolist()
    [0, 2]
    """
    deviation = np.sqrt(np.diagonal(K))
    _, pivots, rank, _ = lapack.dpstrf(K / np.outer(deviation, deviation), tol=tolerance, lower=1)
    return np.sort(pivots[:rank] - 1)
