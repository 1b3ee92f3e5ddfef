"""Columns are alike until rows say otherwise: what length scales cost that differ.

A hundred rows know little of ten length scales, nor do five hundred of thirty: their evidence finds
columns relevant that are not. So where few rows decide on kernel and transforms, the logarithms of
length scales, one a column, are taken for normal about their mean, whatever that is. Asked for
however many rows there are, it made concrete a tenth worse.
"""

import numpy as np

from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.hyperparameters.length_scales import length_scales_in

__all__ = ["ENOUGH_ROWS", "penalty"]

#: Rows for each length scale that are enough.
ENOUGH_ROWS = 30

# Deviation of the logarithms of length scales.
SPREAD = 0.5


def penalty(kernel: Kernel, n: float) -> tuple[float, Vector]:
    """Return what the length scales cost that n rows judge, and its gradient (p,).

    >>> from sparsegp.kernels import RBF
    >>> kernel = RBF((1.0, 4.0))
    >>> penalty(kernel, 50)[0].__round__(2), penalty(kernel, 60)[0]
    (1.92, 0.0)
    """
    theta = kernel.theta
    cost, gradient = 0.0, np.zeros(len(theta))
    for places in map(list, length_scales_in(kernel)):
        if n >= ENOUGH_ROWS * len(places):
            continue
        off = (theta[places] - np.mean(theta[places])) / SPREAD
        cost += 0.5 * float(off @ off)
        gradient[places] = off / SPREAD
    return cost, gradient
