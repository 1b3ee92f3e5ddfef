"""A function of every number of a large matrix, piece by piece.

What is made in between then stays in the cache of a core. All at once it would go through memory
several times: a Matérn kernel of a large block took twice as long.
"""

from collections.abc import Callable

import numpy as np

from sparsegp.arrays.namespace import Array

__all__ = ["chunked_map"]

# Numbers of a piece: a quarter of a megabyte.
SIZE = 2**15


def chunked_map(function: Callable[[Array], Array], A: Array) -> Array:
    """Return the function of A (n, m), which may be overwritten; every number has its own value.

    >>> import numpy as np
    >>> chunked_map(lambda A: A + 1.0, np.zeros((2, 1)))
    array([[1.],
           [1.]])
    """
    if not isinstance(A, np.ndarray) or A.size <= SIZE:
        return function(A)
    n_lines = max(1, SIZE // A.shape[1])
    for start in range(0, len(A), n_lines):
        piece = A[start : start + n_lines]
        found = function(piece)
        if found is not piece:
            piece[...] = found
    return A
