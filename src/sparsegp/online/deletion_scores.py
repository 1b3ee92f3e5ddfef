"""Quantities for the KL divergence of a deletion, updated with the state in O(K·m²).

The diagonal of W = QΣQ = Q + C, and Σ⁻¹, which every learned row changes by rank one:

    projected:  W += r (Qh)(Qh)ᵀ,      Σ⁻¹ += λ ê êᵀ,  λ = −r/(1 + r êᵀΣê),
    joined:     both += (ê − e)(ê − e)ᵀ/γ as Q does (eq. 3.15), then as above with h, ê of the row,
    removed:    W −= W_i W_iᵀ/W_ii,    Σ⁻¹ → PᵀΣ⁻¹P, features of the others for that of i.

Forgetting scales W and needs a new Σ⁻¹. They are computed from scratch, O(K·m³), when first needed
and after any other change of the state, which sets ``Online.deletion_scores`` to None.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import blas, lapack

from sparsegp.arrays import Array, inverse_from_lower, one_blas_thread, safe_cholesky
from sparsegp.online import symmetric
from sparsegp.online.writable import WritableArrays

__all__ = ["DeletionScores", "new_deletion_scores"]


@dataclass
class DeletionScores(WritableArrays):
    """Diagonals of W and inverses of Σ; zero in free slots."""

    w: Array  # (K, M)
    P: Array  # (K, M, M), upper triangles of Σ⁻¹
    changes: int = 0  # of the basis, since they were computed

    def project(self, Qh: Array, e: Array, r: Array, explained: Array) -> None:
        """Update by a projected row; ``explained`` (K,) is êᵀΣê before."""
        self.w += r[:, None] * (Qh * Qh)
        for P, a, v in zip(self.P, r.tolist(), explained.tolist(), strict=True):
            symmetric.add_outer(P, e, -a / (1.0 + a * v))

    def project_many(self, QH: Array, A: Array, E: Array, precision: Array) -> None:
        """Update by a batch of projected rows; ``precision`` (b, K) of their sites."""
        for c, P in enumerate(self.P):
            self.w[c] += np.einsum("bm,bm->m", A[c] @ QH[c], QH[c])
            np.add(P, E.T @ (precision[:, c, None] * E), out=P)

    def join(
        self, slot: int, step: Array, Qh: Array, gamma: float, r: Array, variance: Array
    ) -> None:
        """Update by a row that joined; ``step`` (M,) is ê − e, ``Qh`` (K, M) the old one."""
        self.changes += 1
        s = Qh - step  # Qh − ê + e
        s[:, slot] = 1.0
        self.w += step**2 / gamma + r[:, None] * s**2
        for P, precision in zip(self.P, -r / (1.0 + r * variance), strict=True):
            symmetric.add_outer(P, step, 1.0 / gamma)
            P[slot, slot] += precision

    def remove(self, slot: int, Q_i: Array, W_i: Array) -> None:
        """Update by the removal of a basis vector; columns Q_i (M,), W_i (K, M)."""
        self.changes += 1
        self.w -= W_i**2 / np.maximum(W_i[:, slot, None], np.finfo(np.float64).tiny)
        self.w[:, slot] = 0.0
        u = -Q_i / Q_i[slot]  # ê, and −1 in the slot itself
        for P in self.P:
            g = symmetric.column(P, slot)
            g += (0.5 * g[slot]) * u
            blas.dsyr2(1.0, u, g, lower=1, a=P.T, overwrite_a=1)
            symmetric.clear(P, slot)

    def fade(self, rate: float, q: Array, Sigma: Array, active: Array) -> bool:
        """Update after forgetting by a share; tell whether that was possible.

        W = QΣQ becomes (1 − ρ) W + ρ Q, and Σ⁻¹ is computed from the new Σ: O(K·m³).
        """
        self.w *= 1.0 - rate
        self.w += rate * q
        free = np.flatnonzero(~active)
        with one_blas_thread():
            for P, triangle in zip(self.P, Sigma, strict=True):
                P[...] = triangle
                P[free, free] = 1.0
                _, failed = lapack.dpotrf(P.T, lower=1, clean=0, overwrite_a=1)
                if failed or lapack.dpotri(P.T, lower=1, overwrite_c=1)[1]:
                    return False
                P[free, free] = 0.0
        return True


def new_deletion_scores(Q: Array, Sigma: Array, active: Array) -> DeletionScores:
    """Compute the deletion scores of a state: O(K·m³)."""
    inner = np.ix_(active, active)
    Q_m = symmetric.full(Q)[inner]
    deletion_scores = DeletionScores(np.zeros((len(Sigma), len(active))), np.zeros_like(Sigma))
    for c, triangle in enumerate(Sigma):
        S = symmetric.full(triangle)[inner]
        deletion_scores.w[c, active] = np.einsum("ij,ij->i", Q_m @ S, Q_m)
        deletion_scores.P[c][inner] = inverse_from_lower(safe_cholesky(S).L)
    return deletion_scores
