"""Rows that need no new basis vector, learned together.

For a run of b rows with E = K_xz Q the belief about their projections is N(Eμ, V), V = EΣEᵀ. On
this b-dimensional Gaussian CO's recursion (eq. 2.9) runs as it stands, with V for the kernel:
s = A V_j + e_j, a += q s, A += r s sᵀ. Then all go into the state at once,

    μ += H a,    Σ += H A Hᵀ,    H = ΣEᵀ.

This is exactly what learning the rows one by one gives, for any likelihood, but O(b·m²) of it is
matrix products and only O(b³) is sequential.
"""

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Likelihood, site_of
from sparsegp.online.recursion import SMALLEST_SHARE, Online
from sparsegp.online.symmetric import times_many

__all__ = ["project_together"]


def project_together(
    state: Online, K_xz: Array, k_self: Array, Y: Array, likelihood: Likelihood
) -> tuple[Array, Array, Array]:
    """Learn rows by projection; return log Z and sites as precision and shift: (b, K) each."""
    E = times_many(state.Q, K_xz)  # (b, M)
    gamma = np.maximum(k_self - np.einsum("ij,ij->i", K_xz, E), 0.0)  # (b,)
    H = np.stack([times_many(Sigma, E) for Sigma in state.Sigma])  # (K, b, M), rows h
    V = H @ E.T  # (K, b, b)
    a, A, noted = _recursion(E @ state.mu.T, V, gamma, k_self, Y, likelihood)
    if state.ledger is not None:
        QH = np.stack([times_many(state.Q, H_c) for H_c in H])
        state.ledger.project_many(QH, A, E, noted[1])
    state.mu += np.einsum("kb,kbm->km", a, H)
    for c, H_c in enumerate(H):
        state.Sigma[c] += H_c.T @ (A[c] @ H_c)  # (M, M), of which a triangle is meant
    return noted


def _recursion(
    mean: Array, V: Array, gamma: Array, k_self: Array, Y: Array, likelihood: Likelihood
) -> tuple[Array, Array, tuple[Array, Array, Array]]:
    """Run CO's eq. 2.9 over the rows; return a (K, b), A (K, b, b) and what was noted."""
    n_outputs, b = V.shape[0], V.shape[1]
    a, A = np.zeros((n_outputs, b)), np.zeros((n_outputs, b, b))
    log_z, precision, shift = (np.empty((b, n_outputs)) for _ in range(3))
    for j in range(b):
        v = V[:, :, j]  # (K, b), covariances with row j
        s = np.einsum("kij,kj->ki", A, v)
        projected = np.maximum(v[:, j] + np.sum(s * v, axis=1), 0.0)  # (K,)
        centre = mean[j] + np.sum(a * v, axis=1)
        variance = np.maximum(projected + gamma[j], SMALLEST_SHARE * k_self[j])
        belief = likelihood.confront(Y[j], centre, variance)
        r = np.maximum(belief.r, -(1.0 - SMALLEST_SHARE) / variance)
        s[:, j] += 1.0
        a += belief.q[:, None] * s
        A += (r[:, None] * s)[:, :, None] * s[:, None, :]
        log_z[j] = belief.log_z
        precision[j], shift[j] = site_of(belief, centre, projected)
    return a, A, (log_z, precision, shift)
