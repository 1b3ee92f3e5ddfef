"""Columns are alike until rows say otherwise: what length scales cost that differ.

A hundred rows know little of ten length scales, nor do five hundred of thirty: their evidence finds
columns relevant that are not. So where few rows decide on kernel and transforms, the logarithms of
length scales, one a column, are taken for normal about their mean, whatever that is. Asked for
however many rows there are, it made concrete a tenth worse.
"""

from functools import lru_cache

import numpy as np

from sparsegp.kernels.base import Kernel, Vector

__all__ = ["ENOUGH_ROWS", "lifted", "unlikeness"]

#: Rows for each length scale that are enough.
ENOUGH_ROWS = 30

# Deviation of the logarithms of length scales.
SPREAD = 0.5

# Of the gap between two values, and how many rows show it. On splice, partitions 1 to 3,
# a half had an NLP of 0.098 to 0.108, a third 0.099 to 0.109, a fifth 0.110 to 0.119.
SHARE_OF_GAP, ROWS_TO_SEE_GAPS = 0.5, 5_000
TINY = 1e-300


def unlikeness(kernel: Kernel, n: float) -> tuple[float, Vector]:
    """Return what the length scales cost that n rows judge, and its gradient (p,).

    >>> from sparsegp.kernels import RBF
    >>> kernel = RBF((1.0, 4.0))
    >>> unlikeness(kernel, 50)[0].__round__(2), unlikeness(kernel, 60)[0]
    (1.92, 0.0)
    """
    theta, names = kernel.theta, tuple(kernel.parameter_names)
    cost, gradient = 0.0, np.zeros(len(theta))
    for places in _length_scales(names) if len(names) == len(theta) else ():
        if n >= ENOUGH_ROWS * len(places):
            continue
        off = (theta[places] - np.mean(theta[places])) / SPREAD
        cost += 0.5 * float(off @ off)
        gradient[places] = off / SPREAD
    return cost, gradient


def lifted(kernel: Kernel, X: Vector) -> Kernel:
    """Return the kernel without length scales far below the gaps between the values of a column.

    To columns of zeros and ones a length scale near nothing is like any other short one, and a
    search may end there. But once a basis input is a thousandth off, it is like no row.

    >>> from sparsegp.kernels import RBF
    >>> lifted(RBF((0.001, 2.0)), np.array([[0.0, 0.3], [1.0, 0.4]])).length_scale
    (0.5, 2.0)
    """
    theta, names = kernel.theta.copy(), tuple(kernel.parameter_names)
    for places in _length_scales(names) if len(names) == len(theta) else ():
        if len(places) == X.shape[1]:
            theta[places] = np.maximum(theta[places], np.log(SHARE_OF_GAP * _gaps(X)))
    return kernel.with_theta(theta)


def _gaps(X: Vector) -> Vector:
    """Return the smallest difference of two values in each column, next to nothing if all agree."""
    some = X[:: 1 + len(X) // ROWS_TO_SEE_GAPS]
    differences = np.diff(np.sort(some, axis=0), axis=0)  # (n − 1, D)
    smallest = np.min(np.where(differences > 0.0, differences, np.inf), axis=0, initial=np.inf)
    return np.where(np.isfinite(smallest), smallest, TINY)


@lru_cache(maxsize=64)
def _length_scales(names: tuple[str, ...]) -> list[list[int]]:
    """Return, for each part of a kernel with one length scale a column, where they are in theta."""
    parts: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        part, column, _ = name.partition("length_scale[")
        if column:
            parts.setdefault(part, []).append(place)
    return list(parts.values())
