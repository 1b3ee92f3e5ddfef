"""A prior under which length scales differ only as far as the rows ask for it.

The logarithms of D length scales scatter around a common value, log ℓ_d = μ + N(0, s²), with a flat
prior on μ and an inverse-gamma prior on s² of shape a and scale b. With s² integrated out the log
density is, up to a constant,

    −(a + (D − 1)/2) · log(1 + Σ_d (log ℓ_d − mean)² / 2b).

Length scales that nearly agree are held together like one; for those that differ much the density
falls with the logarithm of the difference only. So the model lies between one length scale for all
columns and one for each (ARD), and its number of effective parameters grows with the rows.
"""

import numpy as np

from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.hyperparameters import policy

__all__ = ["equal_length_scales", "few_rows", "log_prior"]


def log_prior(kernel: Kernel) -> tuple[float, Vector]:
    """Return the log density, 0 for equal length scales, and its gradient by theta (p,).

    >>> from sparsegp.kernels import RBF
    >>> log_prior(RBF((2.0, 2.0)))[0], round(log_prior(RBF((1.0, 4.0)))[0], 2)
    (0.0, -1.07)
    """
    theta, scale = kernel.theta, policy.SPREAD_SCALE
    value, gradient = 0.0, np.zeros(len(theta))
    for positions in map(list, kernel.length_scale_positions):
        off = theta[positions] - np.mean(theta[positions])
        inside = scale + 0.5 * float(off @ off)
        power = policy.SPREAD_SHAPE + 0.5 * (len(positions) - 1)
        value -= power * float(np.log(inside / scale))
        gradient[positions] = -power * off / inside
    return value, gradient


def few_rows(n_rows: float, kernel: Kernel, needed: int = policy.ROWS_PER_LENGTH_SCALE) -> bool:
    """Tell whether rows are too few to learn each length scale by its own.

    >>> from sparsegp.kernels import RBF
    >>> few_rows(59, RBF((1.0, 1.0))), few_rows(60, RBF((1.0, 1.0))), few_rows(10, RBF(1.0))
    (True, False, False)
    """
    most = max(map(len, kernel.length_scale_positions), default=0)
    enough = min(needed * most, policy.MOST_ROWS_TO_SHARE)
    return most > 1 and n_rows < enough


def equal_length_scales(kernel: Kernel) -> Kernel:
    """Return the kernel with the geometric mean of its length scales in the place of each."""
    theta = kernel.theta.copy()
    for positions in map(list, kernel.length_scale_positions):
        theta[positions] = np.mean(theta[positions])
    return kernel.with_theta(theta)
