"""Deletion of basis vectors: which one to remove, and how.

``"mean"`` is CO's rule. Its score ε_i = |α_i|/Q_ii (eq. 3.18) is the change of the mean at that
vector by its removal; of several outputs the largest counts (eq. 4.8). Removal projects the
vector's feature on those of the others (eq. 3.16). In terms of moments, the others keep μ and Σ,
which is also the approximation p̂ on fewer vectors with the smallest KL(p ‖ p̂).

``"kl"`` minimises KL(p̂ ‖ p), which depends on the posterior variance as well (CO section 5). With
β = Q f ~ N(α, W), W = QΣQ = Q + C, the best p̂ has the coefficient of the vector conditioned to
zero: μ̂ = μ − h α_i/W_ii, Σ̂ = Σ − h hᵀ/W_ii, h = Σ Q_i, and its loss is

    ½ [ α_i²/W_ii + log(W_ii/Q_ii) + (Σ⁻¹)_ii/Q_ii − 1 ],

summed over the outputs; ``deletion_scores`` keeps W_ii and Σ⁻¹. Both rules cost O(K·m²) a row.
CO's rule uses only means, and removes vectors where the mean happens to be zero although they carry
information.
"""

from collections.abc import Callable
from math import log

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief
from sparsegp.online import symmetric
from sparsegp.online.deletion_scores import DeletionScores, new_deletion_scores
from sparsegp.online.policy import SMALLEST_SHARE
from sparsegp.online.recursion import Online, RowPrediction

__all__ = [
    "DELETIONS",
    "deletion_scores_of",
    "least_valuable",
    "remove",
    "scores",
    "scores_after_joining",
]

DELETIONS = ("mean", "kl")


def deletion_scores_of(state: Online) -> DeletionScores:
    """Return the deletion scores of a state, computed if there are none."""
    if state.deletion_scores is None:
        state.deletion_scores = new_deletion_scores(
            state.Q, state.Sigma[state.leading], state.active
        )
    return state.deletion_scores


def scores(state: Online, deletion: str = "mean") -> Array:
    """Return the loss by removing each basis vector, infinity for free slots: (M,)."""
    alpha = symmetric.times_many(state.Q, state.mu[state.leading])  # (K, M)
    q = state.Q.diagonal()  # (M,)
    if deletion == "kl":
        deletion_scores = deletion_scores_of(state)
        precision = np.diagonal(deletion_scores.P, axis1=1, axis2=2)  # (K, M)
        return _of_taken(state, _losses, alpha, q, deletion_scores.w, precision)
    return _of_taken(state, _moves, alpha, q)


def _of_taken(
    state: Online, worth: Callable[..., Array], alpha: Array, q: Array, *others: Array
) -> Array:
    """Return the worth of the slots that are taken, infinity for free ones: (M,).

    All values of free slots are zero. With q = 1 there is nothing to be divided by zero.
    """
    if state.n_basis == len(state.active):
        return worth(alpha, q, *others)
    free = ~state.active
    found = worth(alpha, q + free, *others)
    found[free] = np.inf
    return found


def _moves(alpha: Array, q: Array) -> Array:
    """Return the largest changes of means (eq. 3.18, 4.8): (m,)."""
    return np.abs(alpha).max(axis=0) / q


def _losses(alpha: Array, q: Array, w: Array, precision: Array) -> Array:
    """Return the divergences KL(p̂ ‖ p): (m,)."""
    w = np.maximum(w, SMALLEST_SHARE * q)  # W = Q + C lies between 0 and Q but for rounding
    return 0.5 * (alpha * alpha / w + np.log(w / q) + (precision / q - 1.0)).sum(axis=0)


def least_valuable(state: Online, deletion: str = "mean") -> int:
    """Return the slot of the basis vector with the smallest loss."""
    return int(np.argmin(scores(state, deletion)))


def scores_after_joining(
    state: Online, view: RowPrediction, belief: Belief, deletion: str
) -> tuple[Array, float, Array]:
    """Return the scores after a row would join, the row's own score, and Qh (K, M).

    Nothing is changed: O(K·m²). The row would have α = q, Q = 1/γ and W = 1/γ + r (eq. 2.9, 3.15);
    the others, with s = Qh − ê, α + q s, Q_ii + ê_i²/γ and W_ii + ê_i²/γ + r s_i².
    """
    lead, e, gamma = state.leading, view.e, view.gamma
    own_alpha, r = belief.q[lead], belief.r[lead]  # (K,)
    Qh, more = symmetric.times_many(state.Q, view.h[lead]), e * e / gamma  # (K, M), (M,)
    s = Qh - e  # (K, M)
    alpha = symmetric.times_many(state.Q, state.mu[lead]) + own_alpha[:, None] * s
    q = state.Q.diagonal() + more  # (M,)
    if deletion == "mean":
        return _of_taken(state, _moves, alpha, q), gamma * float(np.abs(own_alpha).max()), Qh
    deletion_scores = deletion_scores_of(state)
    w = deletion_scores.w + more + r[:, None] * (s * s)
    precision = deletion_scores.P.diagonal(axis1=1, axis2=2) + more
    worth = _of_taken(state, _losses, alpha, q, w, precision)
    each = zip(own_alpha.tolist(), r.tolist(), view.variance[lead].tolist(), strict=True)
    return worth, sum(_own_loss(a, b, v, gamma) for a, b, v in each), Qh


def _own_loss(alpha: float, r: float, variance: float, gamma: float) -> float:
    """Return the divergence by one output of a row that would join, as in ``_losses``.

    With Q = 1/γ, W = Q + r and Σ⁻¹ = Q + λ for its site of precision λ.
    """
    share = max(1.0 + gamma * r, SMALLEST_SHARE)  # W/Q
    site = -r / (1.0 + r * variance)
    return 0.5 * (gamma * (alpha * alpha / share + site) + log(share))


def remove(state: Online, slot: int, deletion: str = "mean") -> None:
    """Remove a basis vector: O(m²), for ``"kl"`` O(K·m²)."""
    Q_i = symmetric.column(state.Q, slot)  # (M,)
    if deletion == "kl":
        W_i = _condition_coefficient_on_zero(state, Q_i)
        if state.deletion_scores is not None:
            state.deletion_scores.remove(slot, Q_i, W_i)
    else:
        state.deletion_scores = None
    symmetric.add_outer(state.Q, Q_i, -1.0 / float(Q_i[slot]))  # eq. 3.16
    state.leave_out(slot)
    state.changes += 1


def _condition_coefficient_on_zero(state: Online, Q_i: Array) -> Array:
    """Condition the coefficients β_i = Q_iᵀf on zero; return the leading columns W_i: (K, M)."""
    lead = state.leading
    W_i = np.zeros((lead.stop - lead.start, len(Q_i)))
    for c, Sigma in enumerate(state.Sigma):
        h = symmetric.times(Sigma, Q_i)  # (M,)
        w = float(h @ Q_i)
        if lead.start <= c < lead.stop:
            W_i[c - lead.start] = symmetric.times(state.Q, h)
        if w > 0.0:
            state.mu[c] -= h * (float(Q_i @ state.mu[c]) / w)
            symmetric.add_outer(Sigma, h, -1.0 / w)
    return W_i
