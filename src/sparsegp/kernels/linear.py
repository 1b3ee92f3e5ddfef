"""The linear kernel: Bayesian linear regression as a Gaussian process."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from sparsegp.arrays import Array, is_ndarray, namespace
from sparsegp.kernels.base import BatchedPullback, Bounds, ParametricKernel, Pullback
from sparsegp.kernels.policy import LINEAR_VARIANCE_BOUNDS

__all__ = ["Linear"]


@dataclass(frozen=True, repr=False)
class Linear(ParametricKernel):
    """k(x, z) = Σ_l v_l x_l z_l.

    Parameters
    ----------
    variance : float or sequence
        Prior variance of the slopes: one for all columns, or one for each.
    variance_bounds : (float, float) or "fixed"

    Examples
    --------
    >>> import numpy as np
    >>> Linear(0.5)(np.array([[2.0]]), np.array([[3.0]]))
    array([[3.]])
    """

    variance: float | tuple[float, ...] = 1.0
    variance_bounds: Bounds = LINEAR_VARIANCE_BOUNDS

    _positive: ClassVar[tuple[str, ...]] = ("variance",)

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return X V Zᵀ."""
        return self._values_at(Z)(X)

    def bind_Z(self, Z: Array) -> Callable[[Array], Array]:
        """Return the kernel as a function of X, with Z scaled once."""
        overridden = type(self).__call__ is not Linear.__call__  # by a user's subclass
        return super().bind_Z(Z) if overridden else self._values_at(Z)

    def _values_at(self, Z: Array) -> Callable[[Array], Array]:
        VZ = (Z * self._columns("variance", Z)).T

        def values(X: Array) -> Array:
            if X.shape[1] != Z.shape[1]:
                self._columns("variance", X)  # raises the error, if there is one for each column
            return X @ VZ

        return values

    def diagonal(self, X: Array) -> Array:
        """Return Σ_l v_l x_l²."""
        squares = X * X * self._columns("variance", X)
        return squares.sum(axis=1) if is_ndarray(X) else namespace(X).sum(squares, axis=1)

    def pull_diagonal(self, X: Array, d_bar: Array) -> Array:
        """Return v_l Σ_i d̄_i x_il²."""
        return self._gradient(
            namespace(X), variance=(d_bar @ (X * X)) * self._columns("variance", X)
        )

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K and its pullback."""
        xp = namespace(X)
        V = self._columns("variance", X)

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            Z_bar = (K_bar.T @ X) * V  # (m, D)
            return self._gradient(xp, variance=xp.sum(Z_bar * Z, axis=0)), Z_bar

        return self(X, Z), pullback

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return the blocks of a batch and their pullback."""
        xp, V = namespace(X), self._columns("variance", X)

        def pullback(K_bar: Array) -> Array:
            return self._gradient(xp, variance=V * xp.sum(X * (K_bar @ Z), axis=(0, 1)))

        return (X * V) @ xp.matrix_transpose(Z), pullback
