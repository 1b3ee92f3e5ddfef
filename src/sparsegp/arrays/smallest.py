"""The smallest elements of each line, by the call that a library has for it.

Of long lines the least elements of stretches are compared first: the k smallest elements lie in the
k stretches whose least elements are smallest.
"""

from importlib import import_module
from typing import Any, cast

import array_api_compat

from sparsegp.arrays.namespace import Array, is_torch, namespace
from sparsegp.arrays.policy import STRETCH

__all__ = ["smallest"]


def smallest(A: Array, k: int) -> tuple[Array, Array]:
    """Return the k smallest elements of each line of A (n, m), in order, and their places.

    >>> import numpy as np
    >>> smallest(np.array([[3.0, 1.0, 2.0]]), 2)
    (array([[1., 2.]]), array([[1, 2]]))
    """
    n_stretches, rest = divmod(int(A.shape[1]), STRETCH)
    if rest or n_stretches < 2 * k:
        return _smallest(A, k)
    xp, n = namespace(A), int(A.shape[0])
    stretches = xp.reshape(A, (n, n_stretches, STRETCH))
    _, which = _smallest(xp.min(stretches, axis=2), k)  # (n, k)
    first = n_stretches * xp.arange(n, dtype=which.dtype, device=A.device)[:, None]  # (n, 1)
    flat = xp.reshape(A, (n * n_stretches, STRETCH))
    some = xp.take(flat, xp.reshape(first + which, (-1,)), axis=0)  # (n·k, STRETCH)
    values, inside = _smallest(xp.reshape(some, (n, k * STRETCH)), k)
    stretch = xp.take_along_axis(which, inside // STRETCH, axis=1)
    return values, stretch * STRETCH + inside % STRETCH


def _smallest(A: Array, k: int) -> tuple[Array, Array]:
    xp = namespace(A)
    if is_torch(A):
        values, places = cast(Any, A).topk(k, dim=1, largest=False, sorted=True)
        return values, places
    if array_api_compat.is_jax_array(A):
        values, places = import_module("jax.lax").top_k(-A, k)
        return -values, places
    if array_api_compat.is_cupy_array(A) and k < A.shape[1]:
        some = xp.argpartition(A, k - 1, axis=1)[:, :k]
        order = xp.argsort(xp.take_along_axis(A, some, axis=1), axis=1)
        places = xp.take_along_axis(some, order, axis=1)
    else:
        places = xp.argsort(A, axis=1)[:, :k]
    return xp.take_along_axis(A, places, axis=1), places
