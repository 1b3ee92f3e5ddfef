"""The constant kernel: a bias as a summand, a signal variance as a factor."""

from dataclasses import dataclass
from typing import ClassVar

from sparsegp.arrays import Array, namespace
from sparsegp.kernels.base import BatchedPullback, Bounds, ParametricKernel, Pullback, check_scalar
from sparsegp.kernels.policy import VALUE_BOUNDS

__all__ = ["Constant"]


@dataclass(frozen=True, repr=False)
class Constant(ParametricKernel):
    """k(x, z) = v for all x and z.

    Parameters
    ----------
    value : float
    value_bounds : (float, float) or "fixed"

    Examples
    --------
    >>> import numpy as np
    >>> Constant(2.0)(np.zeros((1, 3)), np.zeros((2, 3)))
    array([[2., 2.]])
    """

    value: float = 1.0
    value_bounds: Bounds = VALUE_BOUNDS

    _positive: ClassVar[tuple[str, ...]] = ("value",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_scalar("Constant", "value", self.value)

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return a block filled with the value."""
        shape = (X.shape[0], Z.shape[0])
        return namespace(X).full(shape, self.value, dtype=X.dtype, device=X.device)

    def diagonal(self, X: Array) -> Array:
        """Return a vector filled with the value."""
        return namespace(X).full((X.shape[0],), self.value, dtype=X.dtype, device=X.device)

    def pull_diagonal(self, X: Array, d_bar: Array) -> Array:
        """Return ∂/∂log v."""
        xp = namespace(X)
        return self._gradient(xp, value=self.value * xp.sum(d_bar))

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K and its pullback."""
        xp = namespace(X)

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            return self._gradient(xp, value=self.value * xp.sum(K_bar)), xp.zeros_like(Z)

        return self(X, Z), pullback

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return blocks filled with the value, and their pullback."""
        xp, shape = namespace(X), (*X.shape[:2], Z.shape[1])
        K = xp.full(shape, self.value, dtype=X.dtype, device=X.device)
        return K, lambda K_bar: self._gradient(xp, value=self.value * xp.sum(K_bar))
