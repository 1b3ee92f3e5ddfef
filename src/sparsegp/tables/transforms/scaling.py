"""Affine scaling of columns: to mean 0 and deviation 1, by one common scale, or not at all."""

from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import Array, is_ndarray, is_of_other_library, namespace, to_numpy
from sparsegp.arrays.placement import beside
from sparsegp.tables.policy import CONSTANT_COLUMN
from sparsegp.tables.transforms.summation import column_sums

__all__ = ["Scaling", "fit_scaling"]


@dataclass(frozen=True)
class Scaling:
    """x ↦ (x − offset)/scale, column by column."""

    offset: Array  # (D,)
    scale: Array  # (D,), positive

    def apply(self, X: Array) -> Array:
        """Scale, where X is."""
        if is_ndarray(X) and is_ndarray(self.offset):  # once for each row of a stream
            return (X - self.offset) / self.scale
        return _divided(X - beside(self.offset, like=X), beside(self.scale, like=X))

    def invert(self, X: Array) -> Array:
        """Undo the scaling."""
        return X * beside(self.scale, like=X) + beside(self.offset, like=X)

    def log_slope(self, X: Array) -> Array:
        """Return the logarithm of the derivative, −log scale, in the shape of X."""
        xp = namespace(X)
        return xp.zeros_like(X) - xp.log(beside(self.scale, like=X))

    def to_host(self) -> "Scaling":
        """Return the same scaling in NumPy arrays."""
        return Scaling(to_numpy(self.offset), to_numpy(self.scale))


def fit_scaling(X: Array, weight: Array | None, kind: str) -> Scaling:
    """Learn the scaling of a table; constant columns are centred only.

    "standard" gives every column a standard deviation of 1, "common" that to their mean square:
    columns in the same units, such as pixels, keep their proportions.

    >>> import numpy as np
    >>> fit_scaling(np.array([[1.0], [3.0]]), None, "standard").apply(np.array([[5.0]]))
    array([[3.]])
    """
    xp = namespace(X)
    ones = xp.ones((X.shape[1],), dtype=X.dtype, device=X.device)
    if kind == "none":
        return Scaling(xp.zeros_like(ones), ones)
    if weight is None:
        weight = xp.ones((X.shape[0],), dtype=X.dtype, device=X.device)
    total = beside(np.sum(to_numpy(weight)), like=X)
    share = _divided(weight, total)[:, None]  # (n, 1)
    # the first row is subtracted before summing: an offset of 10⁹ costs no precision
    first = X[0, :]
    offset = first + beside(column_sums(share * (X - first)), like=X)  # (D,)
    largest = xp.max(xp.abs(X), axis=0)
    # divided by its range before squaring: columns of 10±¹⁶⁰ neither overflow nor vanish
    extent = xp.max(xp.abs(X - offset), axis=0)
    varies = extent > CONSTANT_COLUMN * largest
    extent = xp.where(varies, extent, ones)
    relative = _divided(X - offset, extent)
    deviation = extent * xp.sqrt(beside(column_sums(share * (relative * relative)), like=X))
    varies = varies & (deviation > float(np.finfo(np.float64).tiny))
    if kind == "common" and bool(xp.any(varies)):
        deviation = _root_mean_square(xp.where(varies, deviation, 0.0 * ones), varies) * ones
    return Scaling(offset, xp.where(varies, deviation, ones))


def _divided(A: Array, by: Array) -> Array:
    """Return A / by, rounded alike in every library.

    Where the divisor has fewer elements, XLA multiplies by its inverse.
    """
    return A / namespace(A).broadcast_to(by, A.shape) if is_of_other_library(A) else A / by


def _root_mean_square(deviation: Array, counts: Array) -> Array:
    """Return the root of the mean square of those that count; the others are zero."""
    xp = namespace(deviation)
    largest = xp.max(deviation)
    count = xp.sum(xp.astype(counts, deviation.dtype))
    return largest * xp.sqrt(xp.sum((deviation / largest) ** 2) / count)
