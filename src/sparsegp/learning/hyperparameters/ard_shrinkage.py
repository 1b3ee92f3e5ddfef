"""Shrinkage of ARD length scales towards each other while rows are few.

A hundred rows tell little about ten length scales, nor do five hundred about thirty: their evidence
finds columns relevant that are not. So where few rows choose kernel and transforms, the logarithms
of the length scales have a normal prior around their mean, whatever that is.
"""

import numpy as np

from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.hyperparameters import policy

__all__ = ["penalty"]


def penalty(kernel: Kernel, n: float) -> tuple[float, Vector]:
    """Return the cost of length scales that differ, given n rows, and its gradient (p,).

    >>> from sparsegp.kernels import RBF
    >>> kernel = RBF((1.0, 4.0))
    >>> penalty(kernel, 50)[0].__round__(2), penalty(kernel, 60)[0]
    (1.92, 0.0)
    """
    theta, deviation = kernel.theta, policy.LOG_LENGTH_SCALE_DEVIATION
    cost, gradient = 0.0, np.zeros(len(theta))
    for positions in map(list, kernel.length_scale_positions):
        if n >= policy.ENOUGH_ROWS_PER_LENGTH_SCALE * len(positions):
            continue
        off = (theta[positions] - np.mean(theta[positions])) / deviation
        cost += 0.5 * float(off @ off)
        gradient[positions] = off / deviation
    return cost, gradient
