"""The state of an on-line Gaussian process, and the update by one row (CO section 3).

CO write the posterior as mean αᵀk_x and covariance k(x, x′) + k_xᵀC k_x′. The same posterior is
kept here by its moments at the basis Z, for K outputs on one basis,

    μ = K_zz α,    Σ = K_zz + K_zz C K_zz,    Q = K_zz⁻¹.

This needs fewer operations and cannot produce a negative variance: with ê = Q k_x (eq. 3.7) and
γ = k(x, x) − k_xᵀê (eq. 3.14) the belief about f(x) is

    mean = êᵀμ,    variance = γ + êᵀΣê,

a squared length plus a quadratic form. Learning a row is μ += q h, Σ += r h hᵀ with h = Σê
(eq. 2.6), and deleting a basis vector by CO's eq. 3.16 is to drop it from μ and Σ (``deletion``).

Basis vectors are stored in slots of preallocated arrays. A free slot has zeros in μ, Σ, Q and K_zz,
so that it does not contribute to any product, and basis vectors are never moved.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from sparsegp.arrays import Array, inverse_from_lower, safe_cholesky
from sparsegp.exceptions import SparseGPError
from sparsegp.kernels.base import Kernel
from sparsegp.likelihoods.base import Belief, Likelihood, site_of
from sparsegp.online import symmetric
from sparsegp.online.deletion_scores import DeletionScores
from sparsegp.online.policy import (
    CHANGES_OF_SCORES,
    DRIFT_TOLERANCE,
    FIRST_CAPACITY,
    SMALLEST_NUMBER,
    SMALLEST_RESIDUAL,
    SMALLEST_SHARE,
    SUREST_SHARE,
)
from sparsegp.online.writable import WritableArrays

__all__ = [
    "Online",
    "RowPrediction",
    "bounded",
    "check_numbers",
    "correct",
    "grow",
    "likelihood_update",
    "new_state",
    "predict_row",
    "row_site",
    "smallest_variance",
]


@dataclass
class Online(WritableArrays):
    """A posterior on slots for basis vectors; methods change it in place."""

    kernel: Kernel
    Z: Array  # (M, D)
    mu: Array  # (K, M), posterior means at the basis
    Sigma: Array  # (K, M, M), posterior covariances at the basis, upper triangles
    Q: Array  # (M, M), inverse Gram matrix, upper triangle
    K_zz: Array  # (M, M), Gram matrix, both triangles
    active: Array  # (M,), whether a slot is taken
    n_basis: int = 0
    n_seen: int = 0
    changes: int = 0  # of the basis, since Q was last checked
    deletion_scores: DeletionScores | None = None  # for deletion by "kl", once needed
    n_rates: int = 1  # of forgetting: the outputs are that many groups (``forgetting``)
    lead: int = 0  # the group that decides which basis vector is deleted
    _bound: Callable[[Array], Array] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def kernel_values(self, X: Array) -> Array:
        """Return the kernel of rows and slots, (n, M); what depends on Z alone is kept."""
        if self._bound is None:
            self._bound = self.kernel.bind_Z(self.Z)
        return self._bound(X)

    def __getstate__(self) -> dict[str, Any]:
        """Return what copies and pickles hold: all but the functions that refer to this basis."""
        return {**self.__dict__, "_bound": None}

    def forget_kernel_values(self) -> None:
        """Note that basis vectors or kernel have changed."""
        self._bound = None

    @property
    def leading(self) -> slice:
        """The outputs that decide which basis vector is deleted."""
        n_outputs = len(self.mu) // self.n_rates
        return slice(self.lead * n_outputs, (self.lead + 1) * n_outputs)

    @property
    def slots(self) -> Array:
        """Positions of the basis vectors: (m,)."""
        return np.flatnonzero(self.active)

    @property
    def basis(self) -> Array:
        """The basis vectors: (m, D)."""
        return self.Z[self.active]

    @property
    def alpha(self) -> Array:
        """CO's α = Q μ of the basis vectors: (m, K)."""
        return symmetric.times_many(self.Q, self.mu)[:, self.active].T

    @property
    def C(self) -> Array:
        """CO's C = QΣQ − Q of the basis vectors: (K, m, m)."""
        Q = self.block(self.Q)
        return np.stack([Q @ self.block(Sigma) @ Q - Q for Sigma in self.Sigma])

    def block(self, A: Array) -> Array:
        """Return a matrix of slots for the basis vectors alone, both triangles: (m, m)."""
        return symmetric.full(A)[np.ix_(self.active, self.active)]

    def put_block(self, A: Array, values: Array) -> None:
        """Write a matrix (m, m) into its slots."""
        A[np.ix_(self.active, self.active)] = values

    def mean(self, X: Array) -> Array:
        """Return E f: (n, K)."""
        alpha = symmetric.times_many(self.Q, self.mu)  # (K, M)
        return self.kernel_values(X) @ alpha.T

    def mean_and_variance(self, X: Array) -> tuple[Array, Array]:
        """Return E f and Var f: (n, K) each."""
        K_xz = self.kernel_values(X)  # (n, M)
        E = symmetric.times_many(self.Q, K_xz)  # (n, M), rows ê
        k = self.kernel.diagonal(X)  # (n,)
        gamma = np.maximum(k - np.einsum("ij,ij->i", K_xz, E), 0.0)
        explained = [
            np.einsum("ij,ij->i", symmetric.times_many(Sigma, E), E) for Sigma in self.Sigma
        ]
        variance = gamma[:, None] + np.stack(explained, axis=1)  # (n, K)
        return E @ self.mu.T, np.maximum(variance, SMALLEST_SHARE * k[:, None])

    def covariances(self, X: Array) -> Array:
        """Return the covariances of f at rows, of each output: (K, n, n)."""
        K_xz = self.kernel(X, self.Z)  # (n, M)
        E = symmetric.times_many(self.Q, K_xz)  # (n, M), rows ê
        left = self.kernel(X, X) - K_xz @ E.T  # (n, n)
        found = np.stack([symmetric.times_many(Sigma, E) @ E.T + left for Sigma in self.Sigma])
        return 0.5 * (found + np.swapaxes(found, 1, 2))

    def forget(self, rate: float) -> None:
        """Forget towards the prior: α ← √λ α, C ← λ C with λ = 1 − rate. O(K·m²).

        The posterior becomes that of √λ f + √(1−λ) g with g from the prior, and never wider than
        the prior (back-to-the-prior forgetting: Van Vaerenbergh, Lázaro-Gredilla & Santamaría
        2012).
        """
        self.fade(np.full(self.n_rates, rate))

    def fade(self, rates: Array) -> None:
        """Forget by a share of each group of outputs (R,): O(K·m²)."""
        M = len(self.active)
        mu = self.mu.reshape(len(rates), -1, M)
        Sigma = self.Sigma.reshape(len(rates), -1, M, M)
        for g, rate in enumerate(rates.tolist()):
            if rate > 0.0:
                mu[g] *= np.sqrt(1.0 - rate)
                Sigma[g] *= 1.0 - rate
                Sigma[g] += rate * self.K_zz
        own, lead = float(rates[self.lead]), self.leading
        if own > 0.0 and self.deletion_scores is not None:
            q = self.Q.diagonal()
            if not self.deletion_scores.fade(own, q, self.Sigma[lead], self.active):
                self.deletion_scores = None

    def drift(self) -> float:
        """Return the error of Q as the inverse of K: ‖(KQK − K) v‖/‖K v‖, O(m²).

        v holds ±1. After each change of the basis Q is the exact inverse of a matrix near K, and
        rounding moves that matrix a little at a time.
        """
        v = self.K_zz @ _signs(len(self.active))  # free slots have zeros in K
        back = self.K_zz @ symmetric.times(self.Q, v)
        size = float(np.abs(v).max(initial=0.0))
        return float(np.abs(back - v).max(initial=0.0)) / size if size else 0.0

    def refactor(self) -> None:
        """Recompute Q from the Gram matrix: O(m³).

        Basis vectors that the others explain up to rounding are removed, as the inverse would be
        dominated by rounding otherwise.
        """
        inner = self.K_zz[np.ix_(self.active, self.active)]
        for slot in np.delete(self.slots, symmetric.independent(inner, SMALLEST_RESIDUAL)):
            self.leave_out(int(slot))
        inner = self.K_zz[np.ix_(self.active, self.active)]
        if len(inner):
            self.put_block(self.Q, inverse_from_lower(safe_cholesky(inner).L))
        self.changes = 0
        self.deletion_scores = None

    def leave_out(self, slot: int) -> None:
        """Empty a slot; the moments of the others stay, and Q is to be updated by the caller."""
        for A in (self.Q, *self.Sigma):
            symmetric.clear(A, slot)
        self.K_zz[slot, :] = self.K_zz[:, slot] = 0.0
        self.mu[:, slot] = 0.0
        self.active[slot] = False
        self.n_basis -= 1

    def refactor_if_drifted(self) -> None:
        """Check Q, and recompute it if it has drifted: O(m²) unless it has.

        Rows beyond all others, as in a stream ordered by time, have large coefficients ê, and each
        that joins may multiply the error of Q by ten or more. Deletion scores are dropped from time
        to time: O(K·m²) a change.
        """
        if self.changes:
            self.changes = 0
            if not self.drift() <= DRIFT_TOLERANCE:
                self.refactor()
        if (
            self.deletion_scores is not None
            and self.deletion_scores.changes > CHANGES_OF_SCORES * self.n_basis
        ):
            self.deletion_scores = None


class RowPrediction(NamedTuple):
    """The prediction of one row before it is learned."""

    k: Array  # (M,), kernel values with the slots
    k_self: float
    e: Array  # (M,), ê = Q k
    gamma: float
    h: Array  # (K, M), covariances Σê with the basis
    mean: Array  # (K,)
    variance: Array  # (K,)


def new_state(kernel: Kernel, n_features: int, n_outputs: int) -> Online:
    """Return the prior, which has no basis vector."""
    M, K = FIRST_CAPACITY, n_outputs
    return Online(
        kernel=kernel,
        Z=np.zeros((M, n_features)),
        mu=np.zeros((K, M)),
        Sigma=np.zeros((K, M, M)),
        Q=np.zeros((M, M)),
        K_zz=np.zeros((M, M)),
        active=np.zeros(M, dtype=bool),
    )


@cache
def _signs(n: int) -> Array:
    """Return 1, −1, 1, …: (n,)."""
    signs = 1.0 - 2.0 * (np.arange(n) % 2)
    signs.flags.writeable = False
    return signs


def smallest_variance(k_self: float) -> float:
    """Return the smallest variance of a belief, positive even if the prior variance is zero."""
    return max(SMALLEST_SHARE * k_self, SMALLEST_NUMBER)


def predict_row(state: Online, k: Array, k_self: float) -> RowPrediction:
    """Return the belief about a row with kernel values k (M,): O(K·m²)."""
    e = symmetric.times(state.Q, k)
    gamma = max(k_self - float(k.dot(e)), 0.0)
    h = np.empty((len(state.mu), len(e)))  # (K, M)
    for c, Sigma in enumerate(state.Sigma):
        h[c] = symmetric.times(Sigma, e)
    variance = np.maximum(gamma + h.dot(e), smallest_variance(k_self))
    return RowPrediction(k, k_self, e, gamma, h, state.mu.dot(e), variance)


def likelihood_update(view: RowPrediction, y: Array, likelihood: Likelihood) -> Belief:
    """Return log Z, q and r of the targets (K,) of a row."""
    belief = likelihood.moment_match(y, view.mean, view.variance)
    check_numbers(belief.q, belief.r, y, view.mean, view.variance, likelihood)
    return belief


def bounded(belief: Belief, variance: Array, k_self: Array | float) -> Belief:
    """Return the update with r bounded, so that the variance stays above rounding."""
    least = np.minimum(SUREST_SHARE * k_self / variance - 1.0, 0.0) / variance
    return Belief(belief.log_z, belief.q, np.maximum(belief.r, least))


def row_site(belief: Belief, mean: Array, variance: Array) -> tuple[Array, Array]:
    """Return the Gaussian site of a row on f(x), finite even for an exact target."""
    r = np.maximum(belief.r, -(1.0 - SMALLEST_SHARE) / variance)
    return site_of(Belief(belief.log_z, belief.q, r), mean, variance)


def check_numbers(
    q: Array, r: Array, y: Array, mean: Array, variance: Array, likelihood: Likelihood
) -> None:
    """Raise a SparseGPError if the belief about a row or its likelihood is not finite."""
    if all(map(isfinite, (q + r).tolist())):
        return
    if not np.all(np.isfinite(mean + variance)):
        raise SparseGPError(
            f"the prediction of a row has mean {mean} and variance {variance}: the row lies so far "
            "from those that the scaling was learned from that its kernel is not finite"
        )
    raise SparseGPError(
        f"the likelihood {likelihood!r} gave no finite numbers for the target {y} under a belief "
        f"with mean {mean} and variance {variance}: check it with sparsegp.testing.check_likelihood"
    )


def correct(state: Online, h: Array, belief: Belief) -> None:
    """Update the posterior by rank one: μ += q h, Σ += r h hᵀ (eq. 2.6, at the basis)."""
    state.mu += belief.q[:, None] * h
    for Sigma, h_c, r in zip(state.Sigma, h, belief.r.tolist(), strict=True):
        symmetric.add_outer(Sigma, h_c, r)


def grow(
    state: Online, x: Array, view: RowPrediction, most: int | None = None
) -> tuple[int, Array, Array]:
    """Put x into a free slot without changing the posterior; return slot, h (K, M), ê − e.

    Q follows eq. 3.15. The deletion scores are not updated. There will be ``most`` slots.
    """
    slot = _free_slot(state, x, most)
    e, k, h = view.e.copy(), view.k, view.h.copy()
    more = len(state.active) - len(e)
    if more:  # the capacity has grown
        e, k, h = (np.concatenate((a, np.zeros((*a.shape[:-1], more))), -1) for a in (e, k, h))
    k = k * state.active
    e[slot], k[slot], h[:, slot] = -1.0, view.k_self, view.variance
    symmetric.add_outer(state.Q, e, 1.0 / view.gamma)
    state.Z[slot] = x
    state.forget_kernel_values()
    state.K_zz[slot, :] = state.K_zz[:, slot] = k
    state.mu[:, slot] = view.mean
    for Sigma, h_c in zip(state.Sigma, h, strict=True):
        symmetric.put_column(Sigma, slot, h_c)
    state.active[slot] = True
    state.n_basis += 1
    state.changes += 1
    return slot, h, e


def _free_slot(state: Online, x: Array, most: int | None) -> int:
    """Return a free slot; double the capacity if there is none, up to the most that is needed."""
    if state.n_basis == len(state.active):
        M = len(state.active)
        if most is not None and most > M:
            M = min(M, most - M)
        state.forget_kernel_values()
        state.Z = np.concatenate((state.Z, np.tile(x, (M, 1))))  # M more slots
        state.mu = np.pad(state.mu, ((0, 0), (0, M)))
        state.Sigma = np.pad(state.Sigma, ((0, 0), (0, M), (0, M)))
        state.Q, state.K_zz = (np.pad(A, ((0, M), (0, M))) for A in (state.Q, state.K_zz))
        state.active = np.pad(state.active, (0, M))
        state.deletion_scores = None
    elif state.n_basis == 0:  # inputs of free slots must be valid for the kernel
        state.Z[:] = x
        state.forget_kernel_values()
    return int(np.argmin(state.active))
