"""Squared distances between rows, by one matrix product."""

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from sparsegp.arrays.linalg import row_sums_of_squares
from sparsegp.arrays.namespace import Array, is_ndarray, is_numpy, is_single, namespace
from sparsegp.arrays.policy import (
    CLOSE,
    FURTHEST,
    LARGEST_HALF_NORM,
    MOST_COLUMNS_ONE_BY_ONE,
    SMALL_SIZE,
)
from sparsegp.arrays.single import in_double

__all__ = [
    "batched_minus_half_squared_distances",
    "minus_half_squared_distances",
    "minus_half_squared_distances_to",
]


def minus_half_squared_distances(
    X: Array, Z: Array, *, exact: bool = False, lowest: float | None = None
) -> Array:
    """Return −½‖x_i − z_j‖² for all pairs of rows, never positive.

    Writing −½‖x−z‖² = [x, −½‖x‖², 1]·[z, 1, −½‖z‖²] makes it one matrix product with D + 2
    columns. Rows are centred on the mean of Z first, so that a common offset costs no
    precision. ``exact`` sums the differences column by column instead: for kernels that are
    not smooth at distance 0. ``lowest`` clips the values from below in the same pass. The product
    of rows in single precision is computed in double, as two large numbers cancel in it.

    >>> import numpy as np
    >>> minus_half_squared_distances(np.array([[0.0], [2.0]]), np.array([[2.0]]))
    array([[-2.],
           [ 0.]])
    """
    return minus_half_squared_distances_to(Z, exact=exact, lowest=lowest)(X)


def minus_half_squared_distances_to(
    Z: Array,
    *,
    exact: bool = False,
    lowest: float | None = None,
    clips: bool = True,
    plus: float = 0.0,
) -> Callable[[Array], Array]:
    """Return X ↦ −½‖x_i − z_j‖², with the part that depends on Z alone computed once.

    Without ``clips`` other libraries than NumPy save a pass: rounding may leave values of close
    rows just above zero, and none is clipped from below; ``plus`` is then added to all of them. One
    row beside a small Z, as in a stream, costs less by differences, which need no such part.
    """
    few = Z.shape[1] <= MOST_COLUMNS_ONE_BY_ONE or not is_ndarray(Z)
    small = is_numpy(Z) and Z.size <= SMALL_SIZE

    @cache
    def measure() -> Callable[[Array], Array]:
        if exact and few:
            return partial(_by_columns, Z=Z)
        return _by_product_to(Z, exact=exact, plus=plus)

    def measured(X: Array) -> Array:
        if small and len(X) == 1 and is_numpy(X):
            return _from_one_row(X, Z, lowest)
        E = measure()(X)  # (n, m)
        if is_ndarray(E):
            E = E.clip(lowest, 0.0, out=E)
            return E.astype(np.float32, copy=False) if is_single(X) else E
        xp = namespace(E)
        E = xp.clip(E, lowest, 0.0) if clips else E
        return E if E.dtype == X.dtype else xp.astype(E, X.dtype)

    return measured


def _by_product_to(Z: Array, *, exact: bool = False, plus: float = 0.0) -> Callable[[Array], Array]:
    """Expand the square; fall back on differences where that would lose precision.

    ``exact`` also does so for pairs of rows that are close together.
    """
    xp = namespace(Z)
    Z = in_double(Z)
    centre = xp.mean(Z, axis=0, keepdims=True)  # (1, D)
    Z_centred = Z - centre
    z_half = -0.5 * row_sums_of_squares(Z_centred)[:, None]  # (m, 1)
    far = bool(xp.any(z_half < -LARGEST_HALF_NORM))
    looks = is_ndarray(Z)  # of a device a look is a wait; one side close to the centre is enough
    right = xp.concat((Z_centred, xp.ones_like(z_half), z_half + plus), axis=1).T  # (D+2, m)
    if is_numpy(right):  # products of a few rows are three times as fast in this order
        right = np.ascontiguousarray(right)

    def product(X: Array) -> Array:
        X = in_double(X)
        X_centred = X - centre
        if not looks:
            X_centred = xp.clip(X_centred, -FURTHEST, FURTHEST)
        x_half = -0.5 * row_sums_of_squares(X_centred)[:, None]  # (n, 1)
        if far or (looks and bool(xp.any(x_half < -LARGEST_HALF_NORM))):
            return _by_columns(X, Z) + plus if plus else _by_columns(X, Z)
        left = xp.concat((X_centred, x_half, xp.ones_like(x_half)), axis=1)  # (n, D+2)
        E = left @ right
        if exact:
            i, j = np.nonzero(CLOSE * (x_half + z_half.T) < E)
            E[i, j] = -0.5 * row_sums_of_squares(X_centred[i] - Z_centred[j])
        return E

    return product


def _from_one_row(x: Array, Z: Array, lowest: float | None) -> Array:
    """Return −½‖x − z_j‖² for one row x (1, D), clipped from below."""
    E = row_sums_of_squares(Z - x)
    E *= -0.5
    if lowest is not None:
        np.maximum(E, lowest, out=E)
    return E[None]


def _by_columns(X: Array, Z: Array) -> Array:
    """Sum the squared differences column by column."""
    xp = namespace(X, Z)
    E = xp.zeros((X.shape[0], Z.shape[0]), dtype=X.dtype, device=X.device)  # (n, m)
    with np.errstate(over="ignore"):  # rows that are infinitely far apart have distance infinity
        for column in range(X.shape[1]):
            difference = X[:, column][:, None] - Z[:, column][None, :]  # (n, m)
            difference *= difference
            E -= difference
    E *= 0.5
    return E


def batched_minus_half_squared_distances(X: Array, Z: Array, *, exact: bool = False) -> Array:
    """Return −½‖x − z‖² (b, p, q) between the rows of X (b, p, D) and Z (b, q, D) of each block.

    The square is expanded, and blocks should be centred. ``exact`` forms the differences of rows
    that are close together, for kernels that are not smooth at distance 0.

    >>> import numpy as np
    >>> batched_minus_half_squared_distances(np.array([[[0.0], [2.0]]]), np.array([[[2.0]]]))
    array([[[-2.],
            [ 0.]]])
    """
    xp = namespace(X)
    if exact and not is_numpy(X):
        return -0.5 * xp.sum((X[:, :, None, :] - Z[:, None, :, :]) ** 2, axis=3)
    x_half = -0.5 * xp.sum(X * X, axis=2)[:, :, None]  # (b, p, 1)
    z_half = -0.5 * xp.sum(Z * Z, axis=2)[:, :, None]  # (b, q, 1)
    left = xp.concat((X, x_half, xp.ones_like(x_half)), axis=2)  # (b, p, D+2)
    right = xp.concat((Z, xp.ones_like(z_half), z_half), axis=2)  # (b, q, D+2)
    E = left @ xp.matrix_transpose(right)
    if exact:
        block, i, j = np.nonzero(CLOSE * (x_half + xp.matrix_transpose(z_half)) < E)
        E[block, i, j] = -0.5 * row_sums_of_squares(X[block, i] - Z[block, j])
    return np.minimum(E, 0.0, out=E) if is_ndarray(E) else xp.clip(E, None, 0.0)
