"""Active-set selection for classification: the inner loop of Algorithm 1 of SS.

Rows are included one at a time. A step draws candidates, computes how each would change the model,
includes the best and records the predictive loss of all rows (SS eq. 5). Two classes are one column
of labels ±1. More classes are one column each, with its own model; they share the active set and
the kernel columns, and their losses add up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import Array
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.likelihoods import Probit
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.selection.active.draws import DRAWS
from sparsegp.selection.active.filtering import Filter, Indices, Steps, losses_after
from sparsegp.selection.active.rank_filter import RankFilter
from sparsegp.selection.active.steps import SITES
from sparsegp.selection.policy import DEFAULT_CANDIDATES
from sparsegp.selection.stopping import Path, Progress, TimeFor

__all__ = ["DEFAULT_CANDIDATES", "SELECTIONS", "SITES", "ActiveSet", "select_active_set"]

SELECTIONS = tuple(DRAWS)


@dataclass(frozen=True)
class ActiveSet:
    """The active rows, their sites and the posterior at all rows."""

    indices: Indices  # (m,), in the order chosen
    sites: tuple[Sites, ...]  # of these rows, for each column; weights are included
    path: Vector  # (m,), predictive loss of all rows after each addition, mean of the columns
    full_path: Vector  # (≥ m,), including the additions after the best prefix
    mean: Vector  # (n, C), posterior mean f̂ at all rows
    variance: Vector  # (n, C), posterior variance diag A at all rows
    out_of_time: bool = False  # whether the time budget ended the selection


def select_active_set(
    kernel: Kernel,
    X: Array,
    y: Vector,
    likelihoods: Sequence[Probit],
    *,
    max_basis: int,
    rng: np.random.Generator,
    selection: str = "adaptive",
    n_candidates: int | None = None,
    sites: str = "moment_matching",
    stop: bool = False,
    distinct: bool = True,
    weight: Vector | None = None,
    progress: Progress | None = None,
    time_for: TimeFor | None = None,
) -> ActiveSet:
    """Choose rows and their sites greedily.

    Parameters
    ----------
    kernel : Kernel
        With the hyperparameters to use.
    X : array (n, D)
    y : array (n, C)
        Labels ±1.
    likelihoods : Probit for each column
        With the slope and bias to use.
    max_basis : int
        Most rows to choose. Fewer are chosen if the others add no information.
    rng : Generator
        Source of all random draws.
    selection : str
        ``entropy`` and ``information_gain`` score all rows by the effect of the label on the
        posterior at the row itself. The others take, of ``n_candidates`` rows, the one after
        which the predictive loss is lowest: ``random`` and ``validation`` draw uniformly,
        ``adaptive`` draws badly predicted rows more often. ``validation`` uses the loss of the
        inactive rows (SS eq. 4), the other two that of all rows (SS eq. 5).
    n_candidates : int, optional
        κ, rows drawn in a step; None means ``policy.DEFAULT_CANDIDATES``.
    sites : str
        ``moment_matching``, or ``predictive_loss`` to optimise the site of every candidate.
    stop : bool
        Whether to end when the loss rises again, and cut back to the best prefix.
    distinct : bool
        Whether to skip rows whose kernel columns the active ones span, so that K_uu stays well
        conditioned and the active rows can serve as a basis. The labels of copies of an active
        row then do not count in the sites; False includes them.
    weight : array (n,), optional
        Weight of each row: in the losses, in adaptive draws, and in its site.
    progress : callable, optional
        Called after each addition with the number of rows and the loss.
    time_for : callable, optional
        Called before each addition but the first; returns whether the time budget allows an
        active set of this size. If not, the selection ends.
    """
    if selection not in DRAWS:
        raise ValueError(f"selection must be one of {', '.join(DRAWS)}, got {selection!r}")
    if sites not in SITES:
        raise ValueError(f"sites must be one of {', '.join(SITES)}, got {sites!r}")
    size = min(max_basis, len(y))
    kappa = n_candidates or DEFAULT_CANDIDATES.get(selection, 1)
    path = Path(size, stop=stop, progress=progress, time_for=time_for)
    prior = np.asarray(kernel.diagonal(X))  # (n,)
    states = [Filter(prior, y[:, c], weight, p, size) for c, p in enumerate(likelihoods)]
    span = RankFilter(kernel, X, prior, size) if distinct else None
    columns = kernel.bind_Z(X)
    open_ = np.ones(len(y), dtype=np.bool_)  # rows that may still be included
    while not path.ended:
        at, K = _draw(selection, states, open_, span, kappa, rng, lambda at: columns(X[at]))
        if not len(at):
            break
        best = _include_best(states, path.indices, selection, sites, at, K)
        row = int(at[best])
        open_[row] = False
        if span is not None:
            span.add(row, K[best])
        path.add(row, float(np.mean([state.loss for state in states])))
    chosen = path.selection()
    m = len(chosen.indices)
    mean, variance = (
        np.stack(p, axis=1) for p in zip(*(s.moments(m) for s in states), strict=True)
    )
    of_columns = tuple(state.sites(m) for state in states)
    return ActiveSet(
        chosen.indices,
        of_columns,
        chosen.path,
        chosen.full_path,
        mean,
        variance,
        chosen.out_of_time,
    )


def _draw(
    selection: str,
    states: Sequence[Filter],
    open_: NDArray[np.bool_],
    span: RankFilter | None,
    kappa: int,
    rng: np.random.Generator,
    columns: Callable[[Indices], Array],
) -> tuple[Indices, Vector]:
    """Return the candidate rows of a step, with their kernel columns as rows (κ, n).

    Empty if no row is left. Rows spanned by the active ones are excluded for good.
    """
    while True:
        eligible = np.flatnonzero(open_ & reduce(and_, (state.unknown() for state in states)))
        if not len(eligible):
            return eligible, np.empty((0, len(open_)))
        at = DRAWS[selection](states, eligible, kappa, rng)
        K = np.asarray(columns(at))
        if span is None:
            return at, K
        new = span.are_outside(at, K)
        if np.all(new):
            return at, K
        if np.any(new):
            return at[new], K[new]
        # there may be many copies: test all rows at once
        open_[:] = False
        open_[span.outside(eligible)] = True
        open_[at] = False  # rounding may let one in that was just rejected


def _include_best(
    states: Sequence[Filter], active: Indices, selection: str, sites: str, at: Indices, K: Vector
) -> int:
    """Include the candidate of ``at`` with the lowest loss afterwards; return its position.

    ``K`` (κ, n) holds the candidates' kernel columns, as rows.
    """
    moves = []
    totals = np.zeros(len(at))
    for state in states:
        functions = state.functions(at, K)  # (κ, n)
        steps = SITES[sites](state, at, functions)
        moves.append((functions, steps))
        if len(at) > 1:
            totals += _losses(selection, state, active, at, functions, steps)
    best = int(np.argmin(totals))
    for state, (functions, steps) in zip(states, moves, strict=True):
        state.include(int(at[best]), functions[best], steps.eta[best], steps.alpha[best])
    return best


def _losses(
    selection: str, state: Filter, active: Indices, at: Indices, functions: Vector, steps: Steps
) -> Vector:
    """Return the predictive loss after including each candidate: (κ,)."""
    if selection != "validation":
        return losses_after(state, functions, steps, state.weight)
    weight = state.weight.copy()  # (n,)
    weight[active] = 0.0
    totals = losses_after(state, functions, steps, weight)  # (κ,)
    own = functions[np.arange(len(at)), at]  # (κ,), k̃_jj
    mean = state.mean[at] + steps.alpha * own
    variance = np.maximum(state.variance[at] - steps.eta * own**2, 0.0)
    totals += weight[at] * state.likelihood.log_probability(state.y[at], mean, variance)
    return totals / (np.sum(weight) - weight[at])
