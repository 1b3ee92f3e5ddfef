"""Random selection that skips candidates which the basis already spans.

The candidates are examined in the order of one random permutation, some at a time. Of each part,
the covariance given those already chosen is factorised; if it is singular, a pivoted factorisation
finds the linearly independent ones.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from sparsegp.arrays import (
    Array,
    is_numpy,
    namespace,
    safe_cholesky,
    solve_lower,
)
from sparsegp.kernels.base import Kernel
from sparsegp.selection.independent_rows import independent_rows
from sparsegp.selection.policy import DUPLICATE, MOST_LOOKED_AT, RANDOM_PART
from sparsegp.tables.index_sampling import MOST_PERMUTED, draw
from sparsegp.tables.out_of_core import AnyInputs, inputs_at

__all__ = ["select_random"]


def select_random(
    kernel: Kernel, candidates: AnyInputs, max_basis: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return up to max_basis positions in the candidates (N, D), in random order."""
    n = int(candidates.shape[0])
    enough = MOST_LOOKED_AT * max(RANDOM_PART, max_basis)
    order = draw(n, n if n <= MOST_PERMUTED else enough, rng)
    chosen = np.empty(0, dtype=np.intp)
    start = 0
    while start < len(order) and len(chosen) < max_basis:
        part = order[start : start + max(RANDOM_PART, max_basis - len(chosen))]
        start += len(part)
        new = part[_independent(_given(kernel, candidates, part, chosen))]
        chosen = np.concatenate((chosen, new))
    return chosen[:max_basis]


def _given(
    kernel: Kernel, candidates: AnyInputs, part: NDArray[np.intp], chosen: NDArray[np.intp]
) -> Array:
    """Return the covariance of a part given the chosen, in units of prior variances: (b, b)."""
    X = inputs_at(candidates, part)
    C = np.array(kernel(X, X)) if is_numpy(X) else kernel(X, X)  # (b, b)
    xp = namespace(C)
    prior = xp.linalg.diagonal(C) + 0.0  # (b,)
    if len(chosen):
        Z = inputs_at(candidates, chosen)
        V = solve_lower(safe_cholesky(kernel(Z, Z)).L, kernel(Z, X))  # (m, b)
        C -= V.T @ V
    scale = 1.0 / xp.sqrt(xp.where(prior > 0.0, prior, xp.ones_like(prior)))  # (b,)
    C *= scale[:, None] * scale
    return C


def _independent(C: Array) -> NDArray[np.intp]:
    """Return positions, in order, of linearly independent rows of C (b, b)."""
    if not is_numpy(C):
        return _independent_array_api(C)
    L, info = lapack.dpotrf(C, lower=1)
    if info == 0 and np.min(L.diagonal()) ** 2 > DUPLICATE:
        return np.arange(len(C))
    _, pivots, rank, _ = lapack.dpstrf(C, tol=DUPLICATE, lower=1)
    return np.asarray(np.sort(pivots[:rank] - 1), dtype=np.intp)


def _independent_array_api(C: Array) -> NDArray[np.intp]:
    """Return positions of linearly independent rows, for arrays of other libraries."""
    factor, xp = safe_cholesky(C), namespace(C)
    smallest = float(xp.min(xp.linalg.diagonal(factor.L)))
    if factor.jitter == 0.0 and smallest**2 > DUPLICATE:
        return np.arange(C.shape[0])
    return independent_rows(C, DUPLICATE)
