"""Honest error bars: two scales on the predictive variance, set by leave-one-out density.

In a sparse model the noise has absorbed part of what the basis does not explain, and adding
the residual variance d = k − q counts that part twice. So the predictive variance becomes

    τ·d + a·(h + σ²),

with h the variance of the weights, and the scales a and τ maximise the leave-one-out density
of training rows (Geisser's surrogate). The rows should be strangers to the basis: for those
among the candidates d is smaller than for a new row.
"""

from dataclasses import dataclass
from math import log, pi

import numpy as np
from scipy.optimize import minimize

from sparsegp.arrays import to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.model.leave_one_out import LeftOut

__all__ = ["Calibration", "calibrate"]

# The scales stay within these factors: few rows must not decide on absurd ones.
LOG_LIMIT = log(100.0)


@dataclass(frozen=True)
class Calibration:
    """Scales on the parts of the predictive variance."""

    noise: float = 1.0  # a, on h + σ²
    residual: float = 1.0  # τ, on d


def calibrate(left_out: LeftOut, variance: float) -> Calibration:
    """Return the scales of the highest leave-one-out density."""
    error = to_numpy(left_out.error)  # (n, p)
    d = to_numpy(left_out.residual)  # (n,)
    noise = to_numpy(left_out.weights) + variance  # (n,)
    share = to_numpy(left_out.count) / to_numpy(left_out.count).sum()  # (n,)
    square = np.mean(error**2, axis=1)  # (n,), over the outputs

    def loss(log_scales: Vector) -> tuple[float, Vector]:
        a, tau = np.exp(log_scales)
        v = tau * d + a * noise  # (n,)
        value = 0.5 * share @ (np.log(2.0 * pi * v) + square / v)
        by_v = 0.5 * share * (1.0 - square / v) / v  # (n,)
        return float(value), np.array([a * (by_v @ noise), tau * (by_v @ d)])

    found = minimize(
        loss,
        np.zeros(2),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-LOG_LIMIT, LOG_LIMIT), (-LOG_LIMIT, LOG_LIMIT)],
    )
    a, tau = np.exp(found.x)
    return Calibration(float(a), float(tau))
