"""Checks that the arrays of a loaded object have consistent shapes and values.

The checksum shows that a file is as it was written. These checks protect against files that were
crafted: an object that passes can be used for predictions without reading out of bounds.
"""

from typing import Any

import numpy as np

from sparsegp.files.policy import BEYOND_BOUNDS, LARGEST_NUMBER, ROWS_TRIED
from sparsegp.kernels import Kernel
from sparsegp.learning.noise.calibrate import Calibration
from sparsegp.model.features import Basis
from sparsegp.model.mean_only import MeanOnly
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.model.noise.log_noise_gp import LogNoiseGP
from sparsegp.model.posterior import Posterior
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.model.target_mean import TargetMean
from sparsegp.tables.encoding import TableEncoding
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.quantiles import QuantileMap
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warp
from sparsegp.tables.validation import LARGEST

__all__ = [
    "LARGEST_FLOAT",
    "check_basis",
    "check_calibration",
    "check_log_noise_gp",
    "check_mean_only",
    "check_neighbour_posterior",
    "check_noise_distribution",
    "check_posterior",
    "check_quantile_map",
    "check_rows",
    "check_shape",
    "check_sites",
    "check_table_encoding",
    "check_target_mean",
    "check_target_scale",
    "check_transform",
    "check_warp",
]

LARGEST_FLOAT = float(np.finfo(np.float64).max)
#: Of a logarithm, whose exponential is finite.
LARGEST_LOG = 700.0


def check_shape(
    name: str, array: Any, *shape: int | None, largest: float = LARGEST_NUMBER
) -> tuple[int, ...]:
    """Refuse anything but a finite float64 array of this shape; None stands for any size."""
    is_valid = (
        isinstance(array, np.ndarray)
        and array.dtype == np.float64
        and array.ndim == len(shape)
        and all(expected in (None, size) for expected, size in zip(shape, array.shape, strict=True))
    )
    if not is_valid:
        found = (getattr(array, "dtype", type(array)), getattr(array, "shape", ()))
        raise ValueError(f"{name} must be a float64 array of shape {shape}, not {found}")
    if not np.all(np.abs(array) <= largest):
        raise ValueError(f"{name} holds NaN, infinity or a number that no model has")
    return array.shape


def check_kernel(kernel: Kernel, Z: Any) -> None:
    """Check that a kernel has finite values at inputs (m, D), all of whose columns it knows."""
    some = Z[:ROWS_TRIED]
    with np.errstate(all="ignore"):
        values, diagonal = np.asarray(kernel(some, some)), np.asarray(kernel.diagonal(some))
    n = len(some)
    if values.shape != (n, n) or diagonal.shape != (n,) or not np.all(values <= LARGEST_NUMBER):
        raise ValueError("the kernel has no finite values at the basis vectors")


def check_not_negative(**numbers: float) -> None:
    """Refuse negative numbers, and those that no model has."""
    for name, number in numbers.items():
        if not 0.0 <= number < LARGEST_NUMBER:
            raise ValueError(f"{name} cannot be {number}")


def check_table_encoding(encoding: TableEncoding) -> None:
    """Check that there are inputs, and that reasons and remarks are strings."""
    texts = (*encoding.left_out, *encoding.left_out.values(), *encoding.notes)
    if not encoding.columns or not all(isinstance(text, str) for text in texts):
        raise ValueError("the encoding of the columns has no inputs, or notes that are no strings")


def check_transform(transform: Any) -> None:
    """Check offsets and scales (D,), and that there is a map for each column."""
    if isinstance(transform, Columns):
        n_maps, n_columns = len(transform.maps), len(transform.scaling.scale)
        if n_maps != n_columns:
            raise ValueError(f"there are {n_maps} maps, but {n_columns} columns")
    elif isinstance(transform, Scaling):
        (width,) = check_shape("offset", transform.offset, None, largest=LARGEST_FLOAT)
        check_shape("scale", transform.scale, width, largest=LARGEST_FLOAT)
        if not np.all(transform.scale > 0.0):
            raise ValueError("a scale is not positive")


def check_target_scale(*scales: Any) -> None:
    """Refuse targets larger than a fit accepts: their predictions would overflow."""
    if not all(np.all(np.abs(scale) <= LARGEST) for scale in scales):
        raise ValueError("the targets are larger than any that a fit accepts")


def check_quantile_map(quantile_map: QuantileMap) -> None:
    """Check knots and scores (k,), both increasing."""
    knots, scores = quantile_map.knots, quantile_map.scores
    (n_knots,) = check_shape("knots", knots, None)
    check_shape("scores", scores, n_knots)
    increasing = np.all(np.diff(knots) > 0.0) and np.all(np.diff(scores) > 0.0)
    outer_slope = min(quantile_map.low_slope, quantile_map.high_slope)
    if not n_knots or not increasing or not outer_slope > 0.0:
        raise ValueError("a quantile map is not increasing")


def check_warp(warp: Warp) -> None:
    """Check that the target warp is increasing, and its curve one that a search reaches."""
    if not (warp.scale > 0.0 and warp.deviation > 0.0 and warp.low <= warp.high):
        raise ValueError("a target warp is not increasing")
    if not max(abs(warp.mean), warp.deviation, 1.0 / warp.deviation) <= LARGEST_NUMBER:
        raise ValueError("a target warp has values that no fit learns")
    vector, bounds = warp.curve.vector, warp.curve.bounds
    outside = np.maximum(bounds[:, 0] - vector, vector - bounds[:, 1])
    if not np.all(outside <= BEYOND_BOUNDS):
        raise ValueError("a target warp has parameters that no fit learns")


def check_basis(basis: Basis) -> None:
    """Check Z (m, D) and L (m, m)."""
    m, _ = check_shape("Z", basis.Z, None, None)
    check_shape("L", basis.L, m, m)
    check_kernel(basis.kernel, basis.Z)


def check_posterior(posterior: Posterior) -> None:
    """Check L_B (m, m), beta and alpha (m, p)."""
    m = len(posterior.basis.Z)
    check_shape("L_B", posterior.precision.L, m, m)
    _, n_outputs = check_shape("beta", posterior.beta, m, None)
    check_shape("alpha", posterior.alpha, m, n_outputs)
    check_not_negative(weight_scale=posterior.weight_scale, residual_scale=posterior.residual_scale)


def check_mean_only(posterior: MeanOnly) -> None:
    """Check Z (m, D) and alpha (m, p)."""
    m, _ = check_shape("Z", posterior.Z, None, None)
    check_shape("alpha", posterior.alpha, m, None)
    check_kernel(posterior.kernel, posterior.Z)


def check_rows(rows: Rows) -> None:
    """Check X (n, D), y (n, p), weights and noise factors (n,), and that all are finite."""
    n, _ = check_shape("X", rows.X, None, None)
    check_shape("y", rows.y, n, None)
    for name, values in (("weight", rows.weight), ("noise_factor", rows.noise_factor)):
        if values is not None:
            check_shape(name, values, n)
            if not np.all(values > 0.0):
                raise ValueError(f"a {name} of the training rows is not positive")
    for values in (rows.X, rows.y, rows.weight, rows.noise_factor):
        if values is not None and not np.all(np.isfinite(values)):
            raise ValueError("the training rows contain NaN or infinity")


def check_neighbour_posterior(model: NeighbourPosterior) -> None:
    """Check that the rows have the columns and outputs of the posterior, and at least k of them."""
    check_shape("X", model.rows.X, None, model.Z.shape[1])
    check_shape("y", model.rows.y, None, model.alpha.shape[1])
    if not 1 <= model.k <= len(model.rows):
        raise ValueError(f"there cannot be {model.k} neighbours among {len(model.rows)} rows")
    if not 0.0 < model.variance < np.inf:
        raise ValueError(f"the noise variance of the training rows cannot be {model.variance}")


def check_target_mean(mean: TargetMean) -> None:
    """Check weights (m, p) and what there is one of for each output."""
    _, n_outputs = check_shape("beta", mean.beta, None, None)
    for name in ("low", "high", "share"):
        check_shape(name, getattr(mean, name), n_outputs)
    if not np.all((mean.share >= 0.0) & (mean.share <= 1.0)):
        raise ValueError("the share of the linear prediction is not between 0 and 1")


def check_calibration(calibration: Calibration) -> None:
    """Check the scales of variances and mean."""
    check_not_negative(noise=calibration.noise, residual=calibration.residual)
    if not 0.0 <= calibration.mean <= 1.0:
        raise ValueError("the factor on the mean is not between 0 and 1")


def check_log_noise_gp(log_noise: LogNoiseGP) -> None:
    """Check Z (m, D) and alpha (m, 1)."""
    m, _ = check_shape("Z", log_noise.Z, None, None)
    check_shape("alpha", log_noise.alpha, m, 1)
    check_kernel(log_noise.kernel, log_noise.Z)
    if not -LARGEST_LOG <= log_noise.low <= log_noise.high <= LARGEST_LOG:
        raise ValueError("the range of the logarithm of the noise variance is not one")


def check_noise_distribution(distribution: NoiseDistribution) -> None:
    """Check that the variance exists."""
    if distribution.df is not None and not 2.0 < distribution.df < np.inf:
        raise ValueError(f"the variance does not exist for {distribution.df} degrees of freedom")


def check_sites(sites: Sites) -> None:
    """Check that there is one site per row, or one per row and output."""
    precision, shift = sites.precision, sites.shift
    if not isinstance(precision, np.ndarray) or precision.ndim not in (1, 2):
        raise ValueError("sites need a precision for each row")
    check_shape("precision", precision, *precision.shape)
    check_shape("shift", shift, *precision.shape)
