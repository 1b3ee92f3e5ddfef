"""The loop over the rows of a stream: project, grow, delete (CO section 3.3)."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sparsegp.arrays import Array, one_blas_thread
from sparsegp.likelihoods.base import Belief, Likelihood
from sparsegp.likelihoods.weighted import row_likelihoods
from sparsegp.online.batch import project_batch
from sparsegp.online.deletion import least_valuable, remove, scores_after_joining
from sparsegp.online.policy import (
    LEARNED_BLOCK,
    LONGEST_RUN,
    SLOTS_FOR_THREADS,
    SMALLEST_RESIDUAL,
)
from sparsegp.online.recursion import (
    Online,
    RowPrediction,
    bounded,
    correct,
    grow,
    likelihood_update,
    predict_row,
    row_site,
)
from sparsegp.online.symmetric import times_many

__all__ = ["Learned", "Rule", "learn", "shrink"]


@dataclass(frozen=True)
class Rule:
    """When the basis grows and when it shrinks."""

    max_basis: int
    tolerance: float = 1e-6  # of γ, as a share of k(x, x)
    deletion: str = "mean"

    def explains(self, gamma: Any, k_self: Any) -> Any:
        """Tell whether the basis explains a row, or rows, too well to let it join."""
        return gamma <= max(self.tolerance, SMALLEST_RESIDUAL) * k_self


class Learned(NamedTuple):
    """What was predicted of rows before each was learned, and its update: (n, K) each."""

    log_z: Array  # log density of each target before it was learned
    q: Array  # its derivatives by the mean of f(x)
    r: Array
    mean: Array  # of f(x)
    variance: Array

    @property
    def sites(self) -> tuple[Array, Array]:
        """Gaussian sites of the rows on f(x): precision, and precision × location."""
        return row_site(Belief(self.log_z, self.q, self.r), self.mean, self.variance)

    def outputs(self, which: slice) -> "Learned":
        """Return some of the outputs."""
        return Learned(*(values[:, which] for values in self))

    def put(self, rows: slice | int, update: Belief, mean: Array, variance: Array) -> None:
        """Store the results of rows."""
        self.log_z[rows], self.q[rows], self.r[rows] = update.log_z, update.q, update.r
        self.mean[rows], self.variance[rows] = mean, variance


def learn(
    state: Online,
    X: Array,
    Y: Array,
    likelihood: Likelihood,
    rule: Rule,
    weight: Array | None = None,
) -> Learned:
    """Learn rows X (n, D) with targets Y (n, K) in order; a row of weight s is s equal rows.

    Kernel values are computed in blocks. Runs of rows that the basis explains are projected as one
    batch: after a projected row the next two are tried together, then four, …
    """
    n = len(X)
    likelihoods = row_likelihoods(likelihood, n, weight)
    kept = np.empty((5, n, Y.shape[1]))
    few = len(state.active) < SLOTS_FOR_THREADS
    with one_blas_thread() if few else nullcontext():
        for start in range(0, n, LEARNED_BLOCK):
            rows = slice(start, min(start + LEARNED_BLOCK, n))
            part = Learned(*kept[:, rows])
            _learn_block(state, X[rows], Y[rows], likelihoods[rows], rule, part)
    return Learned(*kept)


def _learn_block(
    state: Online,
    X: Array,
    Y: Array,
    likelihoods: Sequence[Likelihood],
    rule: Rule,
    kept: Learned,
) -> None:
    K_xz, k_self = state.kernel_values(X), state.kernel.diagonal(X)  # (b, M), (b,)
    i, run = 0, 1
    while i < len(X):
        if run > 1:
            count = _count_explained(state, K_xz[i : i + run], k_self[i : i + run], rule)
            if count:
                rows = slice(i, i + count)
                done = project_batch(state, K_xz[rows], k_self[rows], Y[rows], likelihoods[rows])
                kept.put(rows, *done)
                i += count
                state.n_seen += count
                run = min(2 * run, LONGEST_RUN) if count == run else 1
                continue
        view = predict_row(state, K_xz[i], float(k_self[i]))
        slot = _learn_row(state, X[i], view, Y[i], likelihoods[i], rule, kept, i)
        if slot is not None and i + 1 < len(X):  # later rows need its kernel values
            if K_xz.shape[1] < len(state.active):
                K_xz = state.kernel_values(X)
            K_xz[i + 1 :, slot] = state.kernel(X[i + 1 :], X[i : i + 1])[:, 0]
        run = 2 if rule.explains(view.gamma, view.k_self) else 1
        i += 1
        state.n_seen += 1


def _count_explained(state: Online, K_xz: Array, k_self: Array, rule: Rule) -> int:
    """Return how many leading rows the basis explains."""
    E = times_many(state.Q, K_xz)
    gamma = k_self - np.einsum("ij,ij->i", K_xz, E)
    explained = rule.explains(gamma, k_self)
    return len(explained) if np.all(explained) else int(np.argmin(explained))


def _learn_row(
    state: Online,
    x: Array,
    view: RowPrediction,
    y: Array,
    likelihood: Likelihood,
    rule: Rule,
    kept: Learned,
    i: int,
) -> int | None:
    """Learn one row; return the slot it took, or None if it was projected."""
    update = likelihood_update(view, y, likelihood)
    kept.put(i, update, view.mean, view.variance)
    belief = bounded(update, view.variance, view.k_self)
    if rule.explains(view.gamma, view.k_self):
        _project(state, view, belief, None)
        return None
    removed, Qh = None, None
    if state.n_basis >= rule.max_basis:
        worth, own, Qh = scores_after_joining(state, view, belief, rule.deletion)
        removed = int(worth.argmin())
        if own <= worth[removed]:  # the row itself would be removed
            projected = belief if rule.deletion == "mean" else _site_on_projection(view, belief)
            _project(state, view, projected, Qh)
            return None
    slot = _join(state, x, view, belief, Qh, rule.max_basis + 1)
    if removed is not None:
        remove(state, removed, rule.deletion)
    state.refactor_if_drifted()
    return slot


def _project(state: Online, view: RowPrediction, belief: Belief, Qh: Array | None) -> None:
    """Learn a row by projection on the current basis."""
    if state.deletion_scores is not None:
        lead = state.leading
        Qh = times_many(state.Q, view.h[lead]) if Qh is None else Qh
        explained = view.variance[lead] - view.gamma
        state.deletion_scores.project(Qh, view.e, belief.r[lead], explained)
    correct(state, view.h, belief)


def _site_on_projection(view: RowPrediction, belief: Belief) -> Belief:
    """Return the update that puts the row's site, made for f(x), on its projection êᵀf.

    This equals joining the basis and being removed by ``"kl"`` at once. A site of precision
    λ = −r/(1 + v r) on f(x), with v = γ + êᵀΣê, gives −λ/(1 + λ êᵀΣê) = r/(1 + γ r) there.
    """
    kept = 1.0 + view.gamma * belief.r
    return Belief(belief.log_z, belief.q / kept, belief.r / kept)


def _join(
    state: Online, x: Array, view: RowPrediction, belief: Belief, Qh: Array | None, most: int
) -> int:
    """Add a row to the basis, which needs ``most`` slots, and learn it."""
    if Qh is None and state.deletion_scores is not None:
        Qh = times_many(state.Q, view.h[state.leading])
    slot, h, step = grow(state, x, view, most)
    if Qh is not None and state.deletion_scores is not None:  # None after a growth of the capacity
        lead = state.leading
        state.deletion_scores.join(slot, step, Qh, view.gamma, belief.r[lead], view.variance[lead])
    correct(state, h, belief)
    return slot


def shrink(state: Online, n_basis: int, deletion: str = "mean") -> None:
    """Remove basis vectors, the least valuable first, until ``n_basis`` are left."""
    while state.n_basis > n_basis:
        remove(state, least_valuable(state, deletion), deletion)
        state.refactor_if_drifted()
