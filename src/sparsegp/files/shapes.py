"""Whether the arrays of a loaded object fit together.

The checksum shows that a file is as it was written. These checks are for files that somebody wrote
on purpose: what they let pass can be predicted with, and no size is believed that no array has.
"""

from typing import Any

import numpy as np

from sparsegp.learning.fit_stream import Stream
from sparsegp.model.features import Basis
from sparsegp.model.mean_only import MeanOnly
from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.model.noise.log_noise_gp import LogNoiseGP
from sparsegp.model.posterior import Posterior
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.online.deletion_scores import DeletionScores
from sparsegp.online.recursion import Online
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.quantiles import QuantileMap
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warp

__all__ = [
    "check_basis",
    "check_ledger",
    "check_log_noise_gp",
    "check_mean_only",
    "check_online",
    "check_posterior",
    "check_quantile_map",
    "check_shape",
    "check_sites",
    "check_stream",
    "check_tails",
    "check_transform",
    "check_warp",
]


def check_shape(name: str, array: Any, *shape: int | None) -> tuple[int, ...]:
    """Refuse what is not an array of floats of this shape; None stands for any size."""
    matches_type = (
        isinstance(array, np.ndarray)
        and array.dtype == np.float64
        and array.ndim == len(shape)
        and all(wanted in (None, size) for wanted, size in zip(shape, array.shape, strict=True))
    )
    if not matches_type:
        found = (getattr(array, "dtype", type(array)), getattr(array, "shape", ()))
        raise ValueError(f"{name} should have shape {shape}, not {found}")
    return array.shape


def check_transform(transform: Any) -> None:
    """Check offsets and scales (D,), and that there is a map for each column."""
    if isinstance(transform, Columns):
        if len(transform.maps) != len(transform.scaling.scale):
            raise ValueError(f"{len(transform.maps)} maps are not one for each column")
    elif isinstance(transform, Scaling):
        (width,) = check_shape("offset", transform.offset, None)
        check_shape("scale", transform.scale, width)
        if not np.all(transform.scale > 0.0):
            raise ValueError("a scale is not positive")


def check_quantile_map(bent: QuantileMap) -> None:
    """Check knots and scores (k,), both increasing."""
    (n_knots,) = check_shape("knots", bent.knots, None)
    check_shape("scores", bent.scores, n_knots)
    increasing = np.all(np.diff(bent.knots) > 0.0) and np.all(np.diff(bent.scores) > 0.0)
    if not n_knots or not increasing or not min(bent.low_slope, bent.high_slope) > 0.0:
        raise ValueError("a map to normal scores does not increase")


def check_warp(warp: Warp) -> None:
    """Check that the map of a target increases."""
    if not (warp.scale > 0.0 and warp.deviation > 0.0 and warp.low <= warp.high):
        raise ValueError("the map of a target does not increase")


def check_basis(basis: Basis) -> None:
    """Check Z (m, D) and L (m, m)."""
    m, _ = check_shape("Z", basis.Z, None, None)
    check_shape("L", basis.L, m, m)


def check_posterior(posterior: Posterior) -> None:
    """Check L_B (m, m), beta and alpha (m, p)."""
    m = len(posterior.basis.Z)
    check_shape("L_B", posterior.precision.L, m, m)
    _, n_outputs = check_shape("beta", posterior.beta, m, None)
    check_shape("alpha", posterior.alpha, m, n_outputs)


def check_mean_only(posterior: MeanOnly) -> None:
    """Check Z (m, D) and alpha (m, p)."""
    m, _ = check_shape("Z", posterior.Z, None, None)
    check_shape("alpha", posterior.alpha, m, None)


def check_log_noise_gp(log_noise: LogNoiseGP) -> None:
    """Check Z (m, D) and alpha (m, 1)."""
    m, _ = check_shape("Z", log_noise.Z, None, None)
    check_shape("alpha", log_noise.alpha, m, 1)


def check_tails(tails: NoiseDistribution) -> None:
    """Check that there is a variance."""
    if tails.df is not None and not 2.0 < tails.df < np.inf:
        raise ValueError(f"there is no variance with {tails.df} degrees of freedom")


def check_sites(sites: Sites) -> None:
    """Check one site a row, or one for each row and column."""
    precision, shift = sites.precision, sites.shift
    if not isinstance(precision, np.ndarray) or precision.ndim not in (1, 2):
        raise ValueError("sites should have a precision for each row")
    check_shape("precision", precision, *precision.shape)
    check_shape("shift", shift, *precision.shape)


def check_online(state: Online) -> None:
    """Check the arrays of slots."""
    M, _ = check_shape("Z", state.Z, None, None)
    K, _ = check_shape("mu", state.mu, None, M)
    check_shape("Sigma", state.Sigma, K, M, M)
    check_shape("Q", state.Q, M, M)
    check_shape("K_zz", state.K_zz, M, M)
    active = state.active
    if not isinstance(active, np.ndarray) or active.dtype != bool or active.shape != (M,):
        raise ValueError(f"active should say of {M} slots whether they are taken")
    if np.count_nonzero(active) != state.n_basis:
        raise ValueError(f"{state.n_basis} basis vectors are not in their slots")
    if state.deletion_scores is not None:
        check_shape("w", state.deletion_scores.w, K, M)
        check_shape("P", state.deletion_scores.P, K, M, M)


def check_ledger(ledger: DeletionScores) -> None:
    """Check w (K, M) and P (K, M, M)."""
    K, M = check_shape("w", ledger.w, None, None)
    check_shape("P", ledger.P, K, M, M)


def check_stream(stream: Stream) -> None:
    """Check that the state and the rows that are kept have the columns of the stream."""
    vars(stream).setdefault("scale", None)  # a file from before there was one
    n_features, n_outputs = stream.shape
    if not hasattr(stream, "columns"):  # then all had the same
        vars(stream)["columns"] = (stream.settings.transform_inputs,) * n_features
    if len(stream.columns) != n_features:
        raise ValueError(f"{len(stream.columns)} kinds are not one for each column")
    check_shape("Z", stream.state.Z, None, n_features)
    check_shape("mu", stream.state.mu, n_outputs, None)
    if stream._first is not None:
        kept, targets = stream._first
        n, _ = check_shape("kept rows", kept, None, n_features)
        check_shape("kept targets", targets, n, n_outputs)
    if stream.scale is not None:
        check_shape("scale", stream.scale.value, n_outputs)
        if not np.all(stream.scale.value > 0.0):
            raise ValueError("a scale of variances should be positive")
    for at, what, how_much in stream._changes:
        if what not in ("prune", "forget") or not at >= 0 or not how_much >= 0:
            raise ValueError(f"nothing is called {what!r} that a stream may have done")
