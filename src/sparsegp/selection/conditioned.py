"""The Gram matrix of a pool, with what a basis already explains taken off every row.

Let a basis u (none at the start) give the rows features Φ = K_xu L⁻ᵀ and the pool E = K_cu L⁻ᵀ. One
pass over the rows takes the pool's kernel columns to Π = K_xc − Φ Eᵀ and adds up the Gram matrix of
[Φ, Π]. With B = σ²I + ΦᵀWΦ the Schur complements after eliminating u are

    K̃ = K_cc − E Eᵀ,
    S̃ = σ²K̃ + Πᵀ W Π − (Πᵀ W Φ) B⁻¹ (Φᵀ W Π),
    r = Πᵀ W y − (Πᵀ W Φ) B⁻¹ Φᵀ W y.

They equal those that elimination from the raw Gram matrix leads to, but have all their digits: Π is
small where the candidate is nearly explained, so nothing large cancels, and B is never singular.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import (
    Array,
    add_gram,
    add_product,
    add_to_diagonal,
    in_shares,
    is_numpy,
    mirror_lower,
    n_threads,
    namespace,
    safe_cholesky,
    shares_of,
    solve_lower,
)
from sparsegp.data.rows import Rows, block_size_for
from sparsegp.kernels.base import Kernel
from sparsegp.model.features import Basis, make_basis

__all__ = ["PoolSchur", "conditioned_gram"]

# A block of rows adds to all of the c×c sum: below this many rows, moving that sum through
# memory would take longer than the products.
FEWEST_ROWS = 1024


@dataclass(frozen=True)
class PoolSchur:
    """Schur complements of a pool of c candidates; of S and K only lower triangles are meant."""

    S: Array  # (c, c)
    K: Array  # (c, c)
    r: Array  # (c, p)


def conditioned_gram(
    kernel: Kernel, rows: Rows, pool: Array, Z: Array, variance: float
) -> PoolSchur:
    """Return the Schur complements of a pool (c, D) when a basis Z (m, D) is eliminated."""
    m = Z.shape[0]
    K = kernel(pool, pool)  # (c, c)
    K = np.array(K, order="C") if is_numpy(pool) else K
    if not m:
        S, b = _pass(kernel, rows, pool, None, None)
        S += variance * K
        return PoolSchur(S, K, b)
    basis = make_basis(kernel, Z)
    E = basis.features(pool)  # (c, m)
    K = add_product(K, E, E.T, -1.0)
    total, b = _pass(kernel, rows, pool, basis, E)  # (m+c, m+c), (m+c, p)
    L_B = safe_cholesky(add_to_diagonal(mirror_lower(total[:m, :m]), variance)).L  # (m, m)
    V = solve_lower(L_B, total[m:, :m].T)  # (m, c): L_B⁻¹ Φᵀ W Π
    S = total[m:, m:] + variance * K
    S = add_product(S, V.T, V, -1.0)
    return PoolSchur(S, K, b[m:, :] - V.T @ solve_lower(L_B, b[:m, :]))


def _pass(
    kernel: Kernel, rows: Rows, pool: Array, basis: Basis | None, E: Array | None
) -> tuple[Array, Array]:
    """Return the Gram matrix of [Φ, Π] (m+c, m+c), lower triangle, and its product with y."""
    width = pool.shape[0] + (0 if E is None else E.shape[1])
    xp, like = namespace(pool), {"dtype": pool.dtype, "device": pool.device}

    def of_share(blocks: Sequence[Rows]) -> tuple[Array, Array]:
        gram = xp.zeros((width, width), **like)
        b = xp.zeros((width, rows.y.shape[1]), **like)
        for block in blocks:
            F = kernel(block.X, pool)  # (n, c)
            if basis is not None and E is not None:
                Phi = basis.features(block.X)  # (n, m)
                F = xp.concat((Phi, F - Phi @ E.T), axis=1)  # (n, m+c)
            y = block.y  # (n, p)
            if block.weight is not None:
                root = xp.sqrt(block.weight)[:, None]  # (n, 1)
                F, y = F * root, y * root
            gram = add_gram(gram, F)
            b += F.T @ y
        return gram, b

    blocks = list(rows.blocks(max(FEWEST_ROWS, block_size_for(pool, width))))
    threads = n_threads() if is_numpy(pool) else 1
    (gram, b), *others = in_shares(of_share, shares_of(blocks, threads))
    for gram_part, b_part in others:
        gram += gram_part
        b += b_part
    return gram, b
