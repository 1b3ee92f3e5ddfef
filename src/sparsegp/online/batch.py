"""Rows that need no new basis vector, learned as one batch.

For a run of b rows with E = K_xz Q the belief about their projections is N(Eμ, V), V = EΣEᵀ. On
this b-dimensional Gaussian CO's recursion (eq. 2.9) applies unchanged, with V for the kernel:
s = A V_j + e_j, a += q s, A += r s sᵀ. Then all go into the state at once,

    μ += H a,    Σ += H A Hᵀ,    H = ΣEᵀ.

The result equals that of learning the rows one by one, for any likelihood, but O(b·m²) of the work
is matrix products and only O(b³) is sequential.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief, Likelihood
from sparsegp.online.recursion import (
    Online,
    bounded,
    check_numbers,
    smallest_variance,
)
from sparsegp.online.symmetric import times_many

__all__ = ["project_batch"]


def project_batch(
    state: Online, K_xz: Array, k_self: Array, Y: Array, likelihoods: Sequence[Likelihood]
) -> tuple[Belief, Array, Array]:
    """Learn rows by projection on the basis, each with its likelihood.

    Returns the updates, and means and variances of f(x) before each row: (b, K) each.
    """
    E = times_many(state.Q, K_xz)  # (b, M)
    gamma = np.maximum(k_self - np.einsum("ij,ij->i", K_xz, E), 0.0)  # (b,)
    H = np.stack([times_many(Sigma, E) for Sigma in state.Sigma])  # (K, b, M), rows h
    V = H @ E.T  # (K, b, b)
    found = _recursion(E @ state.mu.T, V, gamma, k_self, Y, likelihoods)
    if state.deletion_scores is not None:
        lead = state.leading
        QH = np.stack([times_many(state.Q, H_c) for H_c in H[lead]])
        sites = found.sites_on_projections()[:, lead]
        state.deletion_scores.project_many(QH, found.A[lead], E, sites)
    state.mu += np.einsum("kb,kbm->km", found.a, H)
    for c, H_c in enumerate(H):
        state.Sigma[c] += H_c.T @ (found.A[c] @ H_c)  # (M, M), of which one triangle is valid
    return found.update, found.mean, found.variance


@dataclass(frozen=True)
class _Run:
    """Result of CO's eq. 2.9 over the rows of a run."""

    a: Array  # (K, b)
    A: Array  # (K, b, b)
    update: Belief  # (b, K) each
    r: Array  # (b, K), r of ``update``, bounded
    mean: Array  # (b, K), of f(x) before each row was learned
    variance: Array  # (b, K), of f(x)
    projected: Array  # (b, K), variance of its projection on the basis

    def sites_on_projections(self) -> Array:
        """Return the precisions of the sites on the rows' projections: (b, K)."""
        return -self.r / (1.0 + self.projected * self.r)


def _recursion(
    mean: Array, V: Array, gamma: Array, k_self: Array, Y: Array, likelihoods: Sequence[Likelihood]
) -> _Run:
    """Run CO's eq. 2.9 over the rows, from prior means (b, K) and covariances (K, b, b)."""
    n_outputs, b = V.shape[0], V.shape[1]
    a, A = np.zeros((n_outputs, b)), np.zeros((n_outputs, b, b))
    centre, variance, projected, log_z, q, unbounded, r = np.empty((7, b, n_outputs))
    for j in range(b):
        v = V[:, :, j]  # (K, b), covariances with row j
        s = np.einsum("kij,kj->ki", A, v)
        projected[j] = np.maximum(v[:, j] + np.sum(s * v, axis=1), 0.0)  # (K,)
        centre[j] = mean[j] + np.sum(a * v, axis=1)
        k = float(k_self[j])
        variance[j] = np.maximum(projected[j] + gamma[j], smallest_variance(k))
        belief = likelihoods[j].moment_match(Y[j], centre[j], variance[j])
        log_z[j], q[j], unbounded[j] = belief.log_z, belief.q, belief.r
        r[j] = bounded(belief, variance[j], k).r
        s[:, j] += 1.0
        a += q[j, :, None] * s
        A += (r[j, :, None] * s)[:, :, None] * s[:, None, :]
    for i in np.flatnonzero(~np.all(np.isfinite(q + unbounded), axis=1)).tolist():
        check_numbers(q[i], unbounded[i], Y[i], centre[i], variance[i], likelihoods[i])
    return _Run(a, A, Belief(log_z, q, unbounded), r, centre, variance, projected)
