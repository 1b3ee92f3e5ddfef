"""Squared distances between rows, by one matrix product."""

from sparsegp.arrays.linalg import row_sums_of_squares
from sparsegp.arrays.namespace import Array, is_numpy, namespace

__all__ = ["minus_half_squared_distances"]


def minus_half_squared_distances(
    X: Array, Z: Array, *, exact: bool = False, lowest: float | None = None
) -> Array:
    """Return −½‖x_i − z_j‖² for all pairs of rows, never positive: what an RBF exponentiates.

    Writing −½‖x−z‖² = [x, −½‖x‖², 1]·[z, 1, −½‖z‖²] makes it one matrix product with D + 2
    columns. Rows are centred on the mean of Z first, so that a common offset costs no
    digits. ``exact`` sums the differences column by column instead: for kernels that are
    not smooth at distance 0. ``lowest`` cuts the values from below in the same pass.

    >>> import numpy as np
    >>> minus_half_squared_distances(np.array([[0.0], [2.0]]), np.array([[2.0]]))
    array([[-2.],
           [ 0.]])
    """
    xp = namespace(X, Z)
    if exact:
        E = xp.zeros((X.shape[0], Z.shape[0]), dtype=X.dtype, device=X.device)  # (n, m)
        for column in range(X.shape[1]):
            difference = X[:, column][:, None] - Z[:, column][None, :]  # (n, m)
            difference *= difference
            E -= difference
        E *= 0.5
        return E
    centre = xp.mean(Z, axis=0, keepdims=True)  # (1, D)
    X, Z = X - centre, Z - centre
    x_half = -0.5 * row_sums_of_squares(X)[:, None]  # (n, 1)
    z_half = -0.5 * row_sums_of_squares(Z)[:, None]  # (m, 1)
    left = xp.concat((X, x_half, xp.ones_like(x_half)), axis=1)  # (n, D+2)
    right = xp.concat((Z, xp.ones_like(z_half), z_half), axis=1)  # (m, D+2)
    E = left @ right.T  # (n, m)
    if is_numpy(E):
        return E.clip(lowest, 0.0, out=E)
    return xp.clip(E, lowest, 0.0)
