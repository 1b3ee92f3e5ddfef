"""Targets warped by curves, with the derivatives by which a search shapes the curves.

A curve g maps a target t to z = (g(t) − mean) / deviation, and the log density of the target gains
the Jacobian Σ log dz/dt.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from sparsegp.arrays import Array
from sparsegp.exceptions import OptimisationError
from sparsegp.kernels.base import Vector
from sparsegp.learning.hyperparameters.optimise import maximise
from sparsegp.learning.structure import policy
from sparsegp.tables.transforms.curves import Curve
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import inner_scaling

__all__ = ["WarpedTarget", "likeliest_alone", "warped_targets"]


@dataclass(frozen=True)
class WarpedTarget:
    """One output warped by a curve and standardised, with derivatives by the curve's vector."""

    z: Vector  # (n,)
    log_slopes: float  # Σ log dz/dt
    log_slope: Vector  # (n,), the same of each row
    z_by_shape: Array  # (n, k)
    log_slopes_by_shape: Vector  # (k,)


def warped_targets(
    curves: Sequence[Curve], y: Array, standard: Scaling, count: Vector
) -> list[WarpedTarget]:
    """Return the outputs of y (n, p), each warped by its curve; none if there are no curves."""
    if not curves:
        return []
    t = inner_scaling(standard, curves[0]).apply(y)  # (n, p)
    return [_warped_target(curve, t[:, i], count) for i, curve in enumerate(curves)]


def _warped_target(curve: Curve, t: Vector, count: Vector) -> WarpedTarget:
    """Warp and standardise; mean and deviation depend on the curve, too."""
    total = float(np.sum(count))
    share = count / total
    g, (by_shape, slopes_by_shape) = curve.value(t), curve.derivatives(t)
    centred = g - share @ g
    deviation = float(np.sqrt(share @ centred**2)) or 1.0
    z = centred / deviation
    centred_by_shape = by_shape - share @ by_shape  # (n, k)
    deviation_by_shape = (share * z) @ centred_by_shape  # (k,)
    log_slope = curve.log_slope(t)
    return WarpedTarget(
        z,
        float(count @ log_slope) - total * log(deviation),
        log_slope - log(deviation),
        (centred_by_shape - np.outer(z, deviation_by_shape)) / deviation,
        count @ slopes_by_shape - total * deviation_by_shape / deviation,
    )


def likeliest_alone(curve: Curve, t: Vector, count: Vector) -> Curve:
    """Return the curve that makes a target most like a sample of a normal distribution.

    The inputs are ignored: this is the start of a search by the evidence.
    """
    total = float(np.sum(count))

    def alone(shaped: Curve) -> tuple[float, Vector]:
        warped = _warped_target(shaped, t, count)  # z has mean 0 and variance 1 by construction
        return warped.log_slopes, warped.log_slopes_by_shape

    try:
        found = maximise(alone, curve, max_evaluations=policy.WARP_ALONE, scale=total)
        return found.parameters
    except OptimisationError:
        return curve
