"""Which rows of a covariance matrix are linearly independent, in operations of the array API."""

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import Array, namespace, to_numpy

__all__ = ["independent_rows"]


def independent_rows(C: Array, tolerance: float) -> NDArray[np.intp]:
    """Return positions, in order, of linearly independent rows of C (b, b).

    A pivoted Cholesky factorisation, until no diagonal element is above the tolerance.
    """
    xp, size = namespace(C), C.shape[0]
    d, places = xp.linalg.diagonal(C) + 0.0, xp.arange(size, device=C.device)  # (b,) each
    F = xp.zeros_like(C)  # (b, b), rows of the factor
    chosen: list[int] = []
    while len(chosen) < size:
        at = xp.reshape(xp.argmax(d), (1,))
        place, pivot = to_numpy(xp.concat((xp.astype(at, d.dtype), xp.take(d, at))))
        if not pivot > tolerance:
            break
        j = int(place)
        column = (C[j, :] - F[:, j] @ F) / float(pivot) ** 0.5  # (b,)
        F = xp.where(places[:, None] == len(chosen), column[None, :], F)
        d = xp.where(places != j, d - column * column, xp.zeros_like(d))
        chosen.append(j)
    return np.sort(np.array(chosen, dtype=np.intp))
