"""Gram matrix of a pool of candidates, conditioned on a basis.

Let a basis u (none at the start) give the rows features Φ = K_xu L⁻ᵀ and the pool E = K_cu L⁻ᵀ. One
pass over the rows takes the pool's kernel columns to Π = K_xc − Φ Eᵀ and adds up the Gram matrix of
[Φ, Π]. With B = σ²I + ΦᵀWΦ the Schur complements after eliminating u are

    K̃ = K_cc − E Eᵀ,
    S̃ = σ²K̃ + Πᵀ W Π − (Πᵀ W Φ) B⁻¹ (Φᵀ W Π),
    r = Πᵀ W y − (Πᵀ W Φ) B⁻¹ Φᵀ W y.

They equal those from elimination in the raw Gram matrix, but keep full precision: Π is small where
the candidate is nearly explained, so that nothing large cancels, and B is never singular.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import (
    Array,
    add_gram,
    add_product,
    add_scaled,
    add_to_diagonal,
    in_smaller_parts,
    is_numpy,
    map_shares,
    mirror_lower,
    n_threads,
    namespace,
    parallel_map,
    safe_cholesky,
    solve_lower,
    thread_shares,
)
from sparsegp.kernels.base import Kernel
from sparsegp.model.features import Basis, make_basis
from sparsegp.selection.policy import KERNEL_ROWS, POOL_ROWS
from sparsegp.tables.rows import Rows, block_size_for

__all__ = ["PoolSchur", "schur_gram"]


@dataclass(frozen=True)
class PoolSchur:
    """Schur complements of a pool of c candidates; of S and K only lower triangles are valid."""

    S: Array  # (c, c)
    K: Array  # (c, c)
    r: Array  # (c, p)


@dataclass
class _Sums:
    """Sums over rows of the products of Φ, Π and y; of ΠᵀWΠ and ΦᵀWΦ only lower triangles."""

    pool: Array  # (c, c), ΠᵀWΠ
    pool_y: Array  # (c, p)
    across: Array  # (c, m), ΠᵀWΦ
    basis: Array  # (m, m), ΦᵀWΦ
    basis_y: Array  # (m, p)

    def add(self, other: "_Sums") -> None:
        for name, more in vars(other).items():
            total = getattr(self, name)
            total += more  # in place, where the library allows it
            setattr(self, name, total)


def schur_gram(kernel: Kernel, rows: Rows, pool: Array, Z: Array, variance: float) -> PoolSchur:
    """Return the Schur complements of a pool (c, D) when a basis Z (m, D) is eliminated."""
    m = Z.shape[0]
    K = _pool_kernel(kernel, pool)  # (c, c)
    if not m:
        sums = _pass(kernel, rows, pool, None, K[:, :0])
        return PoolSchur(add_scaled(sums.pool, K, variance), K, sums.pool_y)
    basis = make_basis(kernel, Z)
    E = basis.features(pool)  # (c, m)
    K = add_product(K, E, E.T, -1.0)
    sums = _pass(kernel, rows, pool, basis, E)
    L_B = safe_cholesky(add_to_diagonal(mirror_lower(sums.basis), variance)).L  # (m, m)
    V = solve_lower(L_B, sums.across.T)  # (m, c): L_B⁻¹ Φᵀ W Π
    S = add_product(add_scaled(sums.pool, K, variance), V.T, V, -1.0)
    return PoolSchur(S, K, sums.pool_y - V.T @ solve_lower(L_B, sums.basis_y))


def _pool_kernel(kernel: Kernel, pool: Array) -> Array:
    """Return K_cc; with NumPy its lower triangle alone, by blocks of rows on all cores."""
    if not is_numpy(pool):
        return kernel(pool, pool)
    K = np.zeros((len(pool), len(pool)))

    def fill(start: int) -> None:
        stop = min(start + KERNEL_ROWS, len(pool))
        K[start:stop, :stop] = kernel(pool[start:stop], pool[:stop])

    parallel_map(fill, range(0, len(pool), KERNEL_ROWS), n_threads())
    return K


def _pass(kernel: Kernel, rows: Rows, pool: Array, basis: Basis | None, E: Array) -> _Sums:
    """Sum the products over the rows, for the basis features E (c, m) of the pool."""
    (c, m), p = E.shape, rows.y.shape[1]
    xp, like = namespace(pool), {"dtype": pool.dtype, "device": pool.device}

    def of_share(blocks: Sequence[Rows]) -> _Sums:
        sums = _Sums(*(xp.zeros(size, **like) for size in ((c, c), (c, p), (c, m), (m, m), (m, p))))
        for block in blocks:
            F, y = kernel(block.X, pool), block.y  # (n, c), (n, p)
            root = None if block.weight is None else xp.sqrt(block.weight)[:, None]  # (n, 1)
            if root is not None:
                F, y = F * root, y * root
            if basis is not None:
                Phi = basis.features(block.X)  # (n, m)
                Phi = Phi if root is None else Phi * root
                F = add_product(F, Phi, E.T, -1.0)  # Π
                sums.basis = add_gram(sums.basis, Phi)
                sums.across = add_product(sums.across, F.T, Phi)
                sums.basis_y += Phi.T @ y
            sums.pool = add_gram(sums.pool, F)
            sums.pool_y += F.T @ y
        return sums

    size = min(max(POOL_ROWS, block_size_for(pool, c + m)), len(rows))

    def in_parts(parts: int) -> list[_Sums]:
        blocks = list(rows.blocks(max(1, size // parts)))
        threads = n_threads() if is_numpy(pool) else 1
        return map_shares(of_share, thread_shares(blocks, threads))

    total, *others = in_smaller_parts(in_parts)
    for part in others:
        total.add(part)
    return total
