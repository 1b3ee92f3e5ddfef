"""Rows in, one after the other: project, grow, delete (CO section 3.3)."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import Array, one_blas_thread
from sparsegp.likelihoods.base import Belief, Likelihood, site_of
from sparsegp.likelihoods.weighted import of_rows
from sparsegp.online.batch import project_together
from sparsegp.online.deletion import loser, remove, scores_with_newcomer
from sparsegp.online.recursion import (
    SMALLEST_RESIDUAL,
    Online,
    View,
    bounded,
    correct,
    grow,
    likelihood_update,
    predict_row,
    site_left,
    surprise_of,
)
from sparsegp.online.symmetric import times_many

__all__ = ["Learned", "Rule", "learn", "shrink"]

BLOCK = 256  # rows whose kernel values are made together
SLOTS_FOR_THREADS = 1500  # products of a matrix and a vector: threads wait longer than they work
LONGEST_RUN = 64  # rows projected together: the cube of this is spent on each run


@dataclass(frozen=True)
class Rule:
    """When the basis grows and when it shrinks."""

    max_basis: int
    tolerance: float = 1e-6  # of γ, as a share of k(x, x)
    deletion: str = "mean"

    def explains(self, gamma: Array, k_self: Array) -> Array:
        """Tell whether the basis leaves too little of a row for it to join."""
        return gamma <= max(self.tolerance, SMALLEST_RESIDUAL) * k_self


@dataclass(frozen=True)
class Learned:
    """What learning some rows has told about them: (n, K) each."""

    log_z: Array  # log density of each target before it was learned
    site_precision: Array  # the Gaussian site that each left on its value f(x)
    site_shift: Array  # precision × location
    surprise: Array  # z² = (y − mean)²/variance as it was foretold, if the noise is Gaussian


def learn(
    state: Online,
    X: Array,
    Y: Array,
    likelihood: Likelihood,
    rule: Rule,
    weight: Array | None = None,
) -> Learned:
    """Learn rows X (n, D) with targets Y (n, K) in their order; one of weight s is s equal rows.

    Kernel values are made by blocks. Runs of rows without anything new are joined: after a row
    that was projected the next two are tried together, then four, …
    """
    n = len(X)
    likelihoods = of_rows(likelihood, n, weight)
    kept = Learned(*(np.empty((n, Y.shape[1])) for _ in range(4)))
    few = len(state.active) < SLOTS_FOR_THREADS
    with one_blas_thread() if few else nullcontext():
        for start in range(0, n, BLOCK):
            rows = slice(start, min(start + BLOCK, n))
            _learn_block(state, X[rows], Y[rows], likelihoods[rows], rule, _part(kept, rows))
    return kept


def _part(kept: Learned, rows: slice) -> Learned:
    whole = kept.log_z, kept.site_precision, kept.site_shift, kept.surprise
    return Learned(*(values[rows] for values in whole))


def _learn_block(
    state: Online,
    X: Array,
    Y: Array,
    likelihoods: Sequence[Likelihood],
    rule: Rule,
    kept: Learned,
) -> None:
    K_xz, k_self = state.kernel(X, state.Z), state.kernel.diagonal(X)  # (b, M), (b,)
    i, run = 0, 1
    while i < len(X):
        if run > 1:
            count = _projected_ahead(state, K_xz[i : i + run], k_self[i : i + run], rule)
            if count:
                rows = slice(i, i + count)
                done = project_together(state, K_xz[rows], k_self[rows], Y[rows], likelihoods[rows])
                kept.log_z[rows], kept.site_precision[rows], kept.site_shift[rows] = done[:3]
                kept.surprise[rows] = done[3]
                i += count
                state.n_seen += count
                run = min(2 * run, LONGEST_RUN) if count == run else 1
                continue
        view = predict_row(state, K_xz[i], float(k_self[i]))
        slot = _learn_row(state, X[i], view, Y[i], likelihoods[i], rule, kept, i)
        if slot is not None:  # the others meet the new basis vector
            if K_xz.shape[1] < len(state.active):
                K_xz = state.kernel(X, state.Z)
            K_xz[i + 1 :, slot] = state.kernel(X[i + 1 :], X[i : i + 1])[:, 0]
        run = 2 if rule.explains(view.gamma, view.k_self) else 1
        i += 1
        state.n_seen += 1


def _projected_ahead(state: Online, K_xz: Array, k_self: Array, rule: Rule) -> int:
    """Return how many rows from the first on have nothing new."""
    E = times_many(state.Q, K_xz)
    gamma = k_self - np.einsum("ij,ij->i", K_xz, E)
    explained = rule.explains(gamma, k_self)
    return len(explained) if np.all(explained) else int(np.argmin(explained))


def _learn_row(
    state: Online,
    x: Array,
    view: View,
    y: Array,
    likelihood: Likelihood,
    rule: Rule,
    kept: Learned,
    i: int,
) -> int | None:
    """Learn one row; return the slot it took, or None if it was projected."""
    told = likelihood_update(view, y, likelihood)
    kept.log_z[i] = told.log_z
    kept.site_precision[i], kept.site_shift[i] = site_left(told, view.mean, view.variance)
    kept.surprise[i] = surprise_of(told)
    belief = bounded(told, view.variance, view.k_self)
    if rule.explains(view.gamma, view.k_self):
        _project(state, view, belief, None)
        return None
    victim, Qh = None, None
    if state.n_basis >= rule.max_basis:
        worth, own, Qh = scores_with_newcomer(state, view, belief, rule.deletion)
        victim = int(np.argmin(worth))
        if own <= worth[victim]:  # it would be the first to go
            pull = belief if rule.deletion == "mean" else _without_residual(view, belief)
            _project(state, view, pull, Qh)
            return None
    slot = _join(state, x, view, belief, Qh)
    if victim is not None:
        remove(state, victim, rule.deletion)
    state.mend_if_drifted()
    return slot


def _project(state: Online, view: View, belief: Belief, Qh: Array | None) -> None:
    """Learn a row on the basis as it is."""
    if state.deletion_scores is not None:
        Qh = times_many(state.Q, view.h) if Qh is None else Qh
        explained = np.maximum(view.variance - view.gamma, 0.0)
        state.deletion_scores.project(Qh, view.e, belief.r, explained)
    correct(state, view.h, belief)


def _without_residual(view: View, belief: Belief) -> Belief:
    """Return the belief that the row's site gives its projection as if that were all of it.

    To join and to be conditioned away at once: the site, made for f(x), lands on êᵀf.
    """
    explained = np.maximum(view.variance - view.gamma, 0.0)
    precision, shift = site_of(belief, view.mean, view.variance)
    kept = 1.0 + precision * explained
    return Belief(belief.log_z, (shift - precision * view.mean) / kept, -precision / kept)


def _join(state: Online, x: Array, view: View, belief: Belief, Qh: Array | None) -> int:
    """Let a row join the basis, and learn it."""
    if Qh is None and state.deletion_scores is not None:
        Qh = times_many(state.Q, view.h)
    slot, h, step = grow(state, x, view)
    if Qh is not None and state.deletion_scores is not None:  # a larger capacity drops it
        state.deletion_scores.join(slot, step, Qh, view.gamma, belief.r, view.variance)
    correct(state, h, belief)
    return slot


def shrink(state: Online, n_basis: int, deletion: str = "mean") -> None:
    """Give up basis vectors, the one worth least first, until ``n_basis`` are left."""
    while state.n_basis > n_basis:
        remove(state, loser(state, deletion), deletion)
        state.mend_if_drifted()
