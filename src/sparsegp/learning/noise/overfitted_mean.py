"""Means that follow the noise are moved back towards the average of the target.

Hyperparameters of the highest evidence may take noise for structure: where its variance differs
from row to row and is skewed, as of counts that are mostly zero, a short length scale explains the
many quiet rows, and the mean follows the few loud ones. Then targets lie nearer to their average
than left-out predictions say: the slope c of targets over left-out means m,

    c = Σ s m y / Σ s m²,

is below one. (Targets are transformed, their average is zero.) Predictions are then multiplied by
it. For a model that fits, c is one but for chance, and nothing is changed.
"""

import numpy as np

from sparsegp.arrays import to_numpy
from sparsegp.learning.noise import policy
from sparsegp.model.leave_one_out.predictions import LeftOut

__all__ = ["mean_scale"]


def mean_scale(left_out: LeftOut) -> float:
    """Return the factor on the posterior mean: below one where the mean follows the noise.

    Errors may differ in size from row to row, and so the standard error of c is that of a sum of
    terms of any size. What lies within it is left: 1 − c is multiplied by t²/(t² + 1) if it is t
    standard errors.

    >>> mean, rng = np.random.default_rng(0).normal(size=(1000, 1)), np.random.default_rng(1)
    >>> own = np.ones(1000)
    >>> def after(slope):
    ...     error = slope * mean + rng.normal(size=(1000, 1)) - mean
    ...     return mean_scale(LeftOut(error, mean, own, own, own))
    >>> after(1.0), round(after(0.5), 1)
    (1.0, 0.5)
    """
    mean, error = to_numpy(left_out.mean), to_numpy(left_out.error)  # (n, p)
    count = to_numpy(left_out.count)[:, None]  # (n, 1)
    square = float(np.sum(count * mean**2))
    if not square > 0.0:
        return 1.0
    excess = -float(np.sum(count * mean * error)) / square  # 1 − c
    terms = mean * (error + excess * mean)
    standard_error = float(np.sum(count * terms**2)) ** 0.5 / square
    if not excess > policy.STANDARD_ERRORS_OF_MEAN_SCALE * standard_error:
        return 1.0
    t = excess / max(standard_error, np.finfo(float).tiny)
    return max(1.0 - excess / (1.0 + 1.0 / t**2), 0.0)
