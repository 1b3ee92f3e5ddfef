"""Length scales that a search can leave again: where a basis begins to move.

Hyperparameters begin with a search on some hundred rows, and the evidence of few rows may find a
column irrelevant that is not, or want a length scale near nothing. All rows would take that back,
but from there the evidence has no slope by which a search could come back.
"""

import numpy as np

from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.hyperparameters.length_scales import length_scales_in

__all__ = ["reachable"]

# Of the gap between two values, and how many rows show it. On splice, partitions 1 to 3,
# a half had an NLP of 0.098 to 0.108, a third 0.099 to 0.109, a fifth 0.110 to 0.119.
SHARE_OF_GAP, ROWS_TO_SEE_GAPS = 0.5, 5_000
# Times the median of the length scales. Ringnorm, five partitions, all 20 columns relevant: NLP
# 0.050 without a limit, 0.047 with 6, 0.046 with 4 and 3; image, where some are not: 0.070, 0.072,
# 0.071 and 0.073.
TIMES_LONGER = 4.0
TINY = 1e-300


def reachable(kernel: Kernel, X: Vector) -> Kernel:
    """Return the kernel with no length scale far above the others, or far below the column's gaps.

    To columns of zeros and ones a length scale near nothing is like any other short one, and a
    search may end there. But once a basis input is a thousandth off, it is like no row.

    >>> from sparsegp.kernels import RBF
    >>> X = np.array([[0.0, 0.3, 0.1], [1.0, 0.4, 0.2]])
    >>> np.round(reachable(RBF((0.001, 2.0, 800.0)), X).length_scale, 6)
    array([0.5, 2. , 8. ])
    """
    theta, bounds = kernel.theta.copy(), kernel.bounds
    for places in map(list, length_scales_in(kernel)):
        shortest = np.log(SHARE_OF_GAP * _gaps(X)) if len(places) == X.shape[1] else -np.inf
        raised = np.maximum(theta[places], shortest)
        longest = np.maximum(np.median(raised) + np.log(TIMES_LONGER), shortest)
        theta[places] = np.minimum(raised, longest)
    return kernel.with_theta(np.clip(theta, bounds[:, 0], bounds[:, 1]))


def _gaps(X: Vector) -> Vector:
    """Return the smallest difference of two values in each column, next to nothing if all agree."""
    some = X[:: 1 + len(X) // ROWS_TO_SEE_GAPS]
    differences = np.diff(np.sort(some, axis=0), axis=0)  # (n − 1, D)
    smallest = np.min(np.where(differences > 0.0, differences, np.inf), axis=0, initial=np.inf)
    return np.where(np.isfinite(smallest), smallest, TINY)
