"""Score test of a variance component: does a random intercept add to what the model explains.

Let C = K + σ²I be the covariance of the targets y, and G have a one for every two different rows
with the same level. A random intercept of variance v adds vG to C (and v to the noise). At v = 0
the slope of the log marginal likelihood by v and its variance, if the model is right, are

    U = ½ (aᵀGa − tr C⁻¹G),  a = C⁻¹y,        var U = ½ tr (C⁻¹G)²

(Lin 1997). U over its deviation is about standard normal where levels have no means of their
own, at the cost of one factorisation for any number of columns.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import add_to_diagonal, inverse_from_lower, safe_cholesky
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.tables.rows import Rows

__all__ = ["intercept_scores"]


def intercept_scores(
    kernel: Kernel, rows: Rows, variance: float, levels: Sequence[npt.NDArray[np.intp]]
) -> Vector:
    """Return U over its deviation for each column of levels, 0, 1, … of the rows.

    Parameters
    ----------
    kernel : Kernel
    rows : Rows
        In memory, n of them; several outputs add up.
    variance : float
        Of the noise.
    levels : sequence of ndarray of int (n,)

    Examples
    --------
    >>> from sparsegp.kernels import RBF
    >>> person = np.repeat(np.arange(20), 5)
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(100, 1)), rng.normal(size=(20, 1))[person]
    >>> other = rng.permutation(person)
    >>> intercept_scores(RBF(1.0), Rows(X, y), 1.0, [person, other]).round(1)
    array([12.7, -1.1])
    """
    n_outputs = rows.y.shape[1]
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    C = add_to_diagonal(kernel(rows.X, rows.X), variance / weight)
    inverse = inverse_from_lower(safe_cholesky(C).L)  # (n, n)
    a = inverse @ rows.y  # (n, p)
    return np.array([_score(inverse, a, each, n_outputs) for each in levels])


def _score(inverse: Vector, a: Vector, level: npt.NDArray[np.intp], n_outputs: int) -> float:
    """Return the score of one column; levels of one row say nothing."""
    order = np.argsort(level, kind="stable")
    starts = np.flatnonzero(np.diff(level[order], prepend=-1))
    place = np.empty_like(level)
    place[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(level)))
    sums = np.add.reduceat(a[order], starts, axis=0)  # (L, p), of the rows of a level
    by_level = np.add.reduceat(inverse[:, order], starts, axis=1)  # (n, L)
    M = by_level[:, place] - inverse  # (n, n), C⁻¹G
    slope = 0.5 * (float(np.sum(sums**2) - np.sum(a**2)) - n_outputs * float(np.trace(M)))
    information = 0.5 * n_outputs * float(np.vdot(M, M.T))
    return slope / information**0.5 if information > 0.0 else 0.0
