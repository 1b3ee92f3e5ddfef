"""A kernel for columns that hold category codes."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import Array, exp_in_place, namespace, to_numpy
from sparsegp.kernels.base import BatchedPullback, Bounds, Pullback, UnitDiagonalKernel
from sparsegp.kernels.policy import (
    CATEGORICAL_LENGTH_SCALE_BOUNDS,
    MOST_CODES_APART,
    MOST_CODES_COUNTED,
)

__all__ = ["Categorical"]


@dataclass(frozen=True, repr=False)
class Categorical(UnitDiagonalKernel):
    """k(x, z) = exp(−Σ_l [x_l ≠ z_l]/ℓ_l): every mismatch costs 1/ℓ_l.

    Any two different codes are equally far apart. A long length scale makes a column
    irrelevant. Codes may be any numbers; a code that no basis vector has is a mismatch with all.

    Parameters
    ----------
    length_scale : float or sequence
        One number for all columns, or one for each.
    length_scale_bounds : (float, float) or "fixed"

    Examples
    --------
    >>> import numpy as np
    >>> Categorical()(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0], [0.0, 2.0]])).round(4)
    array([[1.    , 0.3679]])
    """

    length_scale: float | tuple[float, ...] = 1.0
    length_scale_bounds: Bounds = CATEGORICAL_LENGTH_SCALE_BOUNDS

    _positive: ClassVar[tuple[str, ...]] = ("length_scale",)

    @property
    def moves_inputs(self) -> bool:
        """False: a kernel of category codes has no gradient."""
        return False

    def coded_columns(self, n_features: int) -> frozenset[int]:
        """Return all columns."""
        return frozenset(range(n_features))

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return k(x_i, z_j)."""
        return self.vjp(X, Z)[0]

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K and its pullback."""
        xp = namespace(X)
        codes = [xp.unique_values(Z[:, column]) for column in range(X.shape[1])]
        if sum(int(each.shape[0]) for each in codes) > MOST_CODES_COUNTED * X.shape[1]:
            return self._vjp_by_column(X, Z)
        return self._vjp_by_product(X, Z, codes)

    def _vjp_by_column(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Compare the codes column by column, however many there are."""
        xp, columns = namespace(X), range(X.shape[1])
        one = xp.ones((X.shape[1],), dtype=X.dtype, device=X.device)
        cost = one / self._columns("length_scale", X)  # (D,)
        same = [X[:, i][:, None] == Z[:, i][None, :] for i in columns]  # (n, m) each
        E = xp.zeros((X.shape[0], Z.shape[0]), dtype=X.dtype, device=X.device)
        for i in columns:
            E = E - xp.astype(xp.logical_not(same[i]), X.dtype) * cost[i]
        K = exp_in_place(E)

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            W = K_bar * K  # ∂/∂(−Σ mismatch·cost)
            by_column = [xp.sum(xp.where(same[i], xp.zeros_like(W), W)) for i in columns]
            theta_bar = self._gradient(xp, length_scale=xp.stack(by_column) * cost)
            return theta_bar, xp.zeros_like(Z)

        return K, pullback

    def _vjp_by_product(self, X: Array, Z: Array, codes: list[Array]) -> tuple[Array, Pullback]:
        """Count the matches by one product of one-hot codes."""
        xp = namespace(X)
        n_columns = X.shape[1]
        cost = xp.ones((n_columns,), dtype=X.dtype, device=X.device)
        cost = cost / self._columns("length_scale", X)  # (D,)
        hot_x, hot_z, owner = _one_hot(X, Z, codes)
        column_of = xp.asarray(
            np.eye(n_columns)[owner], dtype=X.dtype, device=X.device
        )  # (F, D): 1 where feature f belongs to column l
        matched = (hot_x * (column_of @ cost)) @ hot_z.T  # (n, m): Σ_l [x_l = z_l]/ℓ_l
        K = exp_in_place(xp.clip(matched - xp.sum(cost), None, 0.0))

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            W = K_bar * K  # ∂/∂(−Σ mismatch·cost)
            by_feature = xp.sum((W.T @ hot_x) * hot_z, axis=0)  # (F,)
            matches = by_feature @ column_of  # (D,): Σ_ij W_ij [x_l = z_l]
            theta_bar = self._gradient(xp, length_scale=(xp.sum(W) - matches) * cost)
            return theta_bar, xp.zeros_like(Z)

        return K, pullback

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return the blocks of a batch and their pullback; mismatches are compared by column."""
        xp = namespace(X)
        one = xp.ones((X.shape[-1],), dtype=X.dtype, device=X.device)
        cost = one / self._columns("length_scale", X)  # (D,)
        differs = X[:, :, None, :] != Z[:, None, :, :]  # (b, p, q, D)
        mismatch = xp.astype(differs, X.dtype)
        K = exp_in_place(-(mismatch @ cost))  # (b, p, q)

        def pullback(K_bar: Array) -> Array:
            W = xp.reshape(K_bar * K, (1, -1))
            by_column = xp.reshape(W @ xp.reshape(mismatch, (-1, X.shape[-1])), (-1,))  # (D,)
            return self._gradient(xp, length_scale=by_column * cost)

        return K, pullback

    def embedding(self, X: Array, among: Array) -> Array:
        """Return coordinates of the codes, each column's over the root of its length scale."""
        xp = namespace(X)
        one = xp.ones((X.shape[1],), dtype=X.dtype, device=X.device)
        root = xp.sqrt(one / self._columns("length_scale", X))
        parts = [root[i] * _apart(X[:, i], among[:, i]) for i in range(X.shape[1])]
        return xp.concat(parts, axis=1)


def _one_hot(X: Array, Z: Array, codes: list[Array]) -> tuple[Array, Array, NDArray[np.intp]]:
    """Return one-hot codes of X (n, F) and Z (m, F), and the column of each code (F,)."""
    xp, columns = namespace(X), range(X.shape[1])
    hot_x = xp.concat([X[:, i][:, None] == codes[i][None, :] for i in columns], axis=1)
    hot_z = xp.concat([Z[:, i][:, None] == codes[i][None, :] for i in columns], axis=1)
    owner = np.repeat(np.arange(len(codes)), [code.shape[0] for code in codes])
    return xp.astype(hot_x, X.dtype), xp.astype(hot_z, X.dtype), owner


def _apart(x: Array, among: Array) -> Array:
    """Return coordinates (n, F) of codes (n,), any two of the codes ``among`` equally far apart.

    They are one-hot. Of many codes they are random directions, which are that far apart but for a
    part of 1/√F: a search for close rows needs no more.
    """
    xp = namespace(x)
    codes = xp.unique_values(among)
    n_codes = int(codes.shape[0])
    if n_codes <= MOST_CODES_APART:
        return xp.astype(x[:, None] == codes[None, :], x.dtype)
    drawn = np.random.default_rng(0).standard_normal((n_codes + 1, MOST_CODES_APART))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    place = np.searchsorted(to_numpy(codes), to_numpy(x))
    known = to_numpy(codes)[np.minimum(place, n_codes - 1)] == to_numpy(x)
    found = drawn[np.where(known, place, n_codes)]
    return xp.asarray(found, dtype=x.dtype, device=x.device)
