"""Length scales from which a search can come back, before inducing inputs are optimised.

Hyperparameters start from a search on some hundred rows. The evidence of few rows may find a column
irrelevant that is not, or prefer a length scale near zero. All rows would correct that, but out
there the evidence has no gradient that leads back.
"""

import numpy as np

from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.hyperparameters import policy

__all__ = ["reachable"]

TINY = 1e-300  # the gap of a constant column


def reachable(kernel: Kernel, X: Vector) -> Kernel:
    """Return the kernel with no length scale far above the others or below its column's spacing.

    For columns of zeros and ones a length scale near zero is as good as any other short one, and a
    search may end there. But then an inducing input that moves by a thousandth correlates with no
    row any more.

    >>> from sparsegp.kernels import RBF
    >>> X = np.array([[0.0, 0.3, 0.1], [1.0, 0.4, 0.2]])
    >>> np.round(reachable(RBF((0.001, 2.0, 800.0)), X).length_scale, 6)
    array([0.5, 2. , 8. ])
    """
    theta, bounds = kernel.theta.copy(), kernel.bounds
    for places in map(list, kernel.length_scale_positions):
        ard = len(places) == X.shape[1]
        shortest = np.log(policy.MIN_SHARE_OF_GAP * _gaps(X)) if ard else -np.inf
        raised = np.maximum(theta[places], shortest)
        longest = np.maximum(np.median(raised) + np.log(policy.MAX_TIMES_MEDIAN), shortest)
        theta[places] = np.minimum(raised, longest)
    return kernel.with_theta(np.clip(theta, bounds[:, 0], bounds[:, 1]))


def _gaps(X: Vector) -> Vector:
    """Return the smallest difference of two values in each column, tiny if all are equal."""
    some = X[:: 1 + len(X) // policy.ROWS_FOR_GAPS]
    differences = np.diff(np.sort(some, axis=0), axis=0)  # (n − 1, D)
    smallest = np.min(np.where(differences > 0.0, differences, np.inf), axis=0, initial=np.inf)
    return np.where(np.isfinite(smallest), smallest, TINY)
