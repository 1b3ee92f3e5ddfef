"""Checks that the parts of a loaded stream have consistent shapes and values.

Like ``shape_checks`` for the other models.
"""

import numpy as np

from sparsegp.files.shape_checks import (
    LARGEST_FLOAT,
    check_kernel,
    check_shape,
    check_target_scale,
)
from sparsegp.learning.fit_stream import Stream
from sparsegp.learning.streams.lags import Lags
from sparsegp.learning.streams.watch import Recent
from sparsegp.online.deletion_scores import DeletionScores
from sparsegp.online.recursion import Online
from sparsegp.online.running_tails import RunningTails

__all__ = [
    "check_deletion_scores",
    "check_lags",
    "check_online",
    "check_recent",
    "check_stream",
]

#: More earlier rows as inputs would make the inputs of a model longer than its file.
MAX_LAGS = 100_000


def check_online(state: Online) -> None:
    """Check the arrays, which have one slot per possible basis vector."""
    M, _ = check_shape("Z", state.Z, None, None)
    check_kernel(state.kernel, state.Z)
    K, _ = check_shape("mu", state.mu, None, M)
    check_shape("Sigma", state.Sigma, K, M, M)
    check_shape("Q", state.Q, M, M)
    check_shape("K_zz", state.K_zz, M, M)
    active = state.active
    if not isinstance(active, np.ndarray) or active.dtype != bool or active.shape != (M,):
        raise ValueError(f"active must be a boolean for each of the {M} slots")
    if np.count_nonzero(active) != state.n_basis:
        raise ValueError(f"the number of active slots is not {state.n_basis}")
    if K % max(state.n_rates, 1) or not 0 <= state.lead < state.n_rates:
        raise ValueError(f"{K} outputs are not {state.n_rates} groups of which {state.lead} leads")
    if state.deletion_scores is not None:
        n_outputs = K // max(state.n_rates, 1)
        check_shape("w", state.deletion_scores.w, n_outputs, M)
        check_shape("P", state.deletion_scores.P, n_outputs, M, M)


def check_deletion_scores(scores: DeletionScores) -> None:
    """Check w (K, M) and P (K, M, M)."""
    K, M = check_shape("w", scores.w, None, None)
    check_shape("P", scores.P, K, M, M)


def check_recent(recent: Recent) -> None:
    """Check that the rows are in the table, with inputs, a target and a weight each."""
    n, width = check_shape("recent rows", recent.table, None, None, largest=LARGEST_FLOAT)
    if not 0 <= recent.count <= n or not 1 <= recent.n_features <= width - 2:
        raise ValueError(f"{recent.count} recent rows cannot be in a table of shape {(n, width)}")


def check_lags(lags: Lags) -> None:
    """Check that lags are counts."""
    counts = (lags.target, *(number for pair in lags.columns for number in pair))
    if not all(0 <= count <= MAX_LAGS for count in counts):
        raise ValueError("lags count earlier rows")


def check_stream(stream: Stream) -> None:
    """Check that the state and the buffered warm-up rows have the columns of the stream."""
    n_features, n_outputs = stream.shape
    if len(stream.columns) != n_features:
        raise ValueError(f"there are {len(stream.columns)} transforms, but {n_features} columns")
    check_target_scale(stream.model.decided.scaling_y.scale)
    largest = stream.model.decided.largest_variance
    if largest is not None and not 0.0 < largest < np.inf:
        raise ValueError(f"the largest variance of functions must be positive, not {largest!r}")
    check_shape("Z", stream.state.Z, None, n_features)
    check_shape("mu", stream.state.mu, n_outputs, None)
    memory, posteriors = stream.model.memory, stream.model.posteriors
    (n_rates,) = check_shape("rates", memory.rates, posteriors.n_rates)
    check_shape("log_weights", memory.log_weights, n_rates)
    check_shape("rows", memory.rows, n_rates)
    check_shape("posterior means", posteriors.mu, n_rates * n_outputs, None)
    if stream._first is not None:
        rows, targets = stream._first
        n, _ = check_shape("warm-up rows", rows, None, n_features)
        check_shape("warm-up targets", targets, n, n_outputs)
    scale, tails = stream.model.scale, stream.model.tails
    if scale is not None:
        check_shape("scale", scale.value, n_outputs)
        if not np.all(scale.value > 0.0):
            raise ValueError("the scale of the variances must be positive")
    if tails is not None:
        _check_tails(tails, n_outputs)
    last = stream._last
    if last is not None:
        check_shape("last targets", last.target, n_outputs)
        check_shape("sums of last targets", last.sums, n_outputs, 3)
        _check_tails(last.without, n_outputs)
        _check_tails(last.tails, n_outputs)
    for at, action, amount in stream._changes:
        if action not in ("prune", "forget") or not at >= 0 or not amount >= 0:
            raise ValueError(f"{action!r} is not an action that a stream records")


def _check_tails(tails: RunningTails, n_outputs: int) -> None:
    """Check candidates (C, 2), scales and log densities (K, C)."""
    n, _ = check_shape("candidates of tails", tails.candidates, None, 2)
    check_shape("scales of errors", tails.scale, n_outputs, n)
    check_shape("log densities of tails", tails.lead, n_outputs, n)
    horizon, df = tails.candidates.T
    if not (n and np.all(horizon >= 1.0) and np.all((df == 0.0) | (df > 2.0))):
        raise ValueError("tails have a horizon of rows, and more than two degrees of freedom")
    if not (np.all(tails.scale > 0.0) and tails.count >= 0.0):
        raise ValueError("the scales of the errors must be positive")
