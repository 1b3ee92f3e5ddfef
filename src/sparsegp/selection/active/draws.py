"""The candidate rows of a step.

Entropy and information gain score every row and return the best one alone; the others draw κ rows,
between which a predictive loss decides. Several columns of labels (one class against the rest each)
have a model each, and their scores add up.
"""

from collections.abc import Callable, Sequence

import numpy as np

from sparsegp.kernels.base import Vector
from sparsegp.selection.active.filtering import Filter, Indices
from sparsegp.selection.active.steps import moment_matching
from sparsegp.selection.policy import ALL_BUT_CERTAIN

__all__ = ["DRAWS", "information_gain", "log_variance_left"]


def log_variance_left(state: Filter, at: Indices) -> Vector:
    """Return log λ̄_j, twice the change of the posterior's entropy: (κ,).

    λ̄_j = 1 − η_j A_jj is the share of its variance that a row keeps when it is included.
    """
    return np.log1p(-moment_matching(state, at).eta * state.variance[at])


def information_gain(state: Filter, at: Indices) -> Vector:
    """Return KL(new ‖ old) = ½ [−log λ̄ + λ̄ − 1 + (f′ − f̂)²/A] of each row: (κ,).

    The posteriors differ by a factor of f_j alone, so that the divergence of the two processes
    is that of the two marginals at row j, where f′ − f̂ = α̃ A.
    """
    steps, A = moment_matching(state, at), state.variance[at]
    lost = steps.eta * A  # 1 − λ̄
    return 0.5 * (-np.log1p(-lost) - lost + steps.alpha**2 * A)


def _lowest_entropy(
    states: Sequence[Filter], eligible: Indices, n_candidates: int, rng: np.random.Generator
) -> Indices:
    """Return the row after which the posterior has the least entropy (SS section 4)."""
    return eligible[[np.argmin(sum(log_variance_left(state, eligible) for state in states))]]


def _largest_gain(
    states: Sequence[Filter], eligible: Indices, n_candidates: int, rng: np.random.Generator
) -> Indices:
    """Return the row whose label changes the posterior most (SS section 4)."""
    return eligible[[np.argmax(sum(information_gain(state, eligible) for state in states))]]


def _uniform(
    states: Sequence[Filter], eligible: Indices, n_candidates: int, rng: np.random.Generator
) -> Indices:
    """Return κ rows drawn uniformly."""
    if n_candidates >= len(eligible):
        return eligible
    return rng.choice(eligible, n_candidates, replace=False, shuffle=False)


def _adaptive(
    states: Sequence[Filter], eligible: Indices, n_candidates: int, rng: np.random.Generator
) -> Indices:
    """Return κ rows, drawn by the probability of the wrong label (SS eq. 11).

    Of several columns that of the row's own class is used. Taking the κ largest of the log
    probabilities plus Gumbel noise equals drawing without replacement, and no probability
    underflows. A row of weight s is s times as likely.
    """
    if n_candidates >= len(eligible):
        return eligible
    log_odds = np.stack([_log_other_label(state, eligible) for state in states])  # (C, eligible)
    if len(states) > 1:
        own = np.argmax([state.y[eligible] for state in states], axis=0)
        log_odds = np.take_along_axis(log_odds, own[None, :], axis=0)
    keys = log_odds[0] + np.log(states[0].weight[eligible]) + rng.gumbel(size=len(eligible))
    return eligible[np.argpartition(-keys, n_candidates - 1)[:n_candidates]]


def _log_other_label(state: Filter, at: Indices) -> Vector:
    """Return log⟨p(−y | f)⟩ of rows: (κ,).

    Computed as 1 − ⟨p(y | f)⟩ unless that loses precision.
    """
    own = state.belief.log_z[at]
    other = np.log1p(-np.exp(np.minimum(own, ALL_BUT_CERTAIN)))
    certain = np.flatnonzero(own > ALL_BUT_CERTAIN)
    if len(certain):
        rows = at[certain]
        mean, variance = state.mean[rows], state.variance[rows]
        other[certain] = state.likelihood.log_probability(-state.y[rows], mean, variance)
    return other


#: (models, eligible rows, κ, rng) ↦ candidate rows.
DRAWS: dict[str, Callable[[Sequence[Filter], Indices, int, np.random.Generator], Indices]] = {
    "random": _uniform,
    "entropy": _lowest_entropy,
    "information_gain": _largest_gain,
    "validation": _uniform,
    "adaptive": _adaptive,
}
