"""Sums and products of kernels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsegp.arrays import Array, namespace
from sparsegp.kernels.base import BatchedPullback, Kernel, Pullback, Vector
from sparsegp.kernels.constant import Constant
from sparsegp.kernels.expressions import format_number

__all__ = ["Product", "Sum", "as_kernel"]


def as_kernel(value: Any) -> Kernel:
    """Return a kernel unchanged, a positive number as a Constant."""
    if isinstance(value, Kernel):
        return value
    if isinstance(value, int | float | np.number) and not isinstance(value, bool):
        return Constant(float(value))
    raise TypeError(f"a kernel is combined with kernels and numbers, got {type(value).__name__}")


@dataclass(frozen=True, repr=False)
class _Pair(Kernel):
    """Two kernels; theta is that of the left followed by that of the right."""

    left: Kernel
    right: Kernel

    def _terms(self) -> tuple[str, str]:
        """Return both sides as text; a Constant beside another kernel is a number."""
        sides = (self.left, self.right)
        shown = [
            format_number(side.value) if isinstance(side, Constant) else repr(side)
            for side in sides
        ]
        if all(isinstance(side, Constant) for side in sides):
            shown[0] = repr(self.left)  # two numbers would be added up
        if isinstance(self.right, type(self)):
            shown[1] = f"({shown[1]})"  # operators associate to the left
        return shown[0], shown[1]

    @property
    def theta(self) -> Vector:
        """Logarithms of the free parameters of both."""
        return np.concatenate((self.left.theta, self.right.theta))

    @property
    def bounds(self) -> Vector:
        """Limits of theta."""
        return np.concatenate((self.left.bounds, self.right.bounds))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of both, prefixed by the side."""
        left = tuple(f"left.{name}" for name in self.left.parameter_names)
        return left + tuple(f"right.{name}" for name in self.right.parameter_names)

    @property
    def length_scale_positions(self) -> tuple[tuple[int, ...], ...]:
        """Those of the left, then those of the right."""
        start = len(self.left.theta)
        right = self.right.length_scale_positions
        shifted = tuple(tuple(start + place for place in part) for part in right)
        return self.left.length_scale_positions + shifted

    @property
    def moves_inputs(self) -> bool:
        """Whether both are differentiable in their inputs."""
        return self.left.moves_inputs and self.right.moves_inputs

    def with_theta(self, theta: Sequence[float] | Vector) -> Kernel:
        """Return the same expression with other free parameters."""
        split = len(self.left.theta)
        return type(self)(self.left.with_theta(theta[:split]), self.right.with_theta(theta[split:]))

    def bind(self, feature_names: Sequence[str] | None, n_features: int) -> Kernel:
        """Bind both."""
        bound = (side.bind(feature_names, n_features) for side in (self.left, self.right))
        return type(self)(*bound)

    def coded_columns(self, n_features: int) -> frozenset[int]:
        """Return those of both."""
        return self.left.coded_columns(n_features) | self.right.coded_columns(n_features)

    def periodic_columns(self, n_features: int) -> frozenset[int]:
        """Return those of both."""
        return self.left.periodic_columns(n_features) | self.right.periodic_columns(n_features)

    def with_input_scale(self, scale: Vector) -> Kernel:
        """Hand on the scale to both."""
        return type(self)(self.left.with_input_scale(scale), self.right.with_input_scale(scale))


@dataclass(frozen=True, repr=False)
class Sum(_Pair):
    """k₁ + k₂.

    >>> import numpy as np
    >>> from sparsegp.kernels import RBF
    >>> (RBF() + 0.5).diagonal(np.zeros((1, 2)))
    array([1.5])
    """

    def __repr__(self) -> str:
        return " + ".join(self._terms())

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return the sum of the blocks."""
        return self.bind_Z(Z)(X)

    def bind_Z(self, Z: Array) -> Callable[[Array], Array]:
        """Return the sum of both, each bound to Z."""
        left, right = self.left.bind_Z(Z), self.right.bind_Z(Z)

        def total(X: Array) -> Array:
            K = left(X)
            K += right(X)
            return K

        return total

    def diagonal(self, X: Array) -> Array:
        """Return the sum of the diagonals."""
        return self.left.diagonal(X) + self.right.diagonal(X)

    def pull_diagonal(self, X: Array, d_bar: Array) -> Array:
        """Return both derivatives."""
        parts = (self.left.pull_diagonal(X, d_bar), self.right.pull_diagonal(X, d_bar))
        return namespace(X).concat(parts)

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K and its pullback."""
        xp = namespace(X)
        K_left, pull_left = self.left.vjp(X, Z)
        K_right, pull_right = self.right.vjp(X, Z)

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            theta_right, Z_right = pull_right(xp.asarray(K_bar, copy=True))
            theta_left, Z_left = pull_left(K_bar)
            return xp.concat((theta_left, theta_right)), Z_left + Z_right

        return K_left + K_right, pullback

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return the sums of the blocks and their pullback."""
        xp = namespace(X)
        K_left, pull_left = self.left.batched_vjp(X, Z)
        K_right, pull_right = self.right.batched_vjp(X, Z)

        def pullback(K_bar: Array) -> Array:
            return xp.concat((pull_left(xp.asarray(K_bar, copy=True)), pull_right(K_bar)))

        return K_left + K_right, pullback

    def embedding(self, X: Array, among: Array) -> Array | None:
        """Return the coordinates of both, each by its share of the variance."""
        sides = [(side, side.embedding(X, among)) for side in (self.left, self.right)]
        xp = namespace(X)
        near = [(xp.mean(side.diagonal(among)), u) for side, u in sides if u is not None]
        if not near:
            return None
        total = sum(variance for variance, _ in near)
        return xp.concat([xp.sqrt(variance / total) * u for variance, u in near], axis=1)


@dataclass(frozen=True, repr=False)
class Product(_Pair):
    """k₁ · k₂; a Constant factor costs one multiplication by a scalar.

    >>> import numpy as np
    >>> from sparsegp.kernels import RBF
    >>> (4.0 * RBF()).diagonal(np.zeros((1, 2)))
    array([4.])
    >>> 4.0 * (RBF([1.0, 3.0]) + 0.1)
    4.0 * (RBF([1.0, 3.0]) + 0.1)
    """

    def __repr__(self) -> str:
        sides = zip((self.left, self.right), self._terms(), strict=True)
        return " * ".join(f"({t})" if isinstance(side, Sum) else t for side, t in sides)

    def _scaled(self) -> tuple[Constant, Kernel, bool] | None:
        """Return (factor, kernel, factor is on the left) if one side is a Constant."""
        if isinstance(self.left, Constant):
            return self.left, self.right, True
        if isinstance(self.right, Constant):
            return self.right, self.left, False
        return None

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return the product of the blocks."""
        return self.bind_Z(Z)(X)

    def bind_Z(self, Z: Array) -> Callable[[Array], Array]:
        """Return the product of both, each bound to Z."""
        scaled = self._scaled()
        if scaled is not None:
            return scaled[1].bind_scaled(Z, scaled[0].value)
        values, factor = self.left.bind_Z(Z), self.right.bind_Z(Z)

        def product(X: Array) -> Array:
            K = values(X)
            K *= factor(X)
            return K

        return product

    def diagonal(self, X: Array) -> Array:
        """Return the product of the diagonals."""
        scaled = self._scaled()
        if scaled is not None:
            return scaled[0].value * scaled[1].diagonal(X)
        return self.left.diagonal(X) * self.right.diagonal(X)

    def pull_diagonal(self, X: Array, d_bar: Array) -> Array:
        """Return both derivatives."""
        d_left, d_right = self.left.diagonal(X), self.right.diagonal(X)
        parts = (
            self.left.pull_diagonal(X, d_bar * d_right),
            self.right.pull_diagonal(X, d_bar * d_left),
        )
        return namespace(X).concat(parts)

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K and its pullback."""
        scaled = self._scaled()
        if scaled is not None:
            return _vjp_scaled(*scaled, X, Z)
        xp = namespace(X)
        K_left, pull_left = self.left.vjp(X, Z)
        K_right, pull_right = self.right.vjp(X, Z)

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            theta_left, Z_left = pull_left(K_bar * K_right)
            theta_right, Z_right = pull_right(K_bar * K_left)
            return xp.concat((theta_left, theta_right)), Z_left + Z_right

        return K_left * K_right, pullback

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return the products of the blocks and their pullback."""
        scaled = self._scaled()
        if scaled is not None:
            return _batched_vjp_scaled(*scaled, X, Z)
        xp = namespace(X)
        K_left, pull_left = self.left.batched_vjp(X, Z)
        K_right, pull_right = self.right.batched_vjp(X, Z)

        def pullback(K_bar: Array) -> Array:
            return xp.concat((pull_left(K_bar * K_right), pull_right(K_bar * K_left)))

        return K_left * K_right, pullback

    def embedding(self, X: Array, among: Array) -> Array | None:
        """Return the coordinates of both: of a product squared distances add up."""
        both = (self.left.embedding(X, among), self.right.embedding(X, among))
        near = [u for u in both if u is not None]
        return namespace(X).concat(near, axis=1) if near else None


def _vjp_scaled(
    factor: Constant, kernel: Kernel, factor_on_left: bool, X: Array, Z: Array
) -> tuple[Array, Pullback]:
    K, pull = kernel.vjp(X, Z)

    def pullback(K_bar: Array) -> tuple[Array, Array]:
        factor_bar = _factor_bar(factor, K, K_bar)
        theta_bar, Z_bar = pull(K_bar)
        return _scaled_theta(factor, factor_bar, theta_bar, factor_on_left), factor.value * Z_bar

    return K * factor.value, pullback


def _batched_vjp_scaled(
    factor: Constant, kernel: Kernel, factor_on_left: bool, X: Array, Z: Array
) -> tuple[Array, BatchedPullback]:
    K, pull = kernel.batched_vjp(X, Z)

    def pullback(K_bar: Array) -> Array:
        factor_bar = _factor_bar(factor, K, K_bar)
        return _scaled_theta(factor, factor_bar, pull(K_bar), factor_on_left)

    return K * factor.value, pullback


def _factor_bar(factor: Constant, K: Array, K_bar: Array) -> Array:
    """Return the derivative by the theta of a factor of K: (1,), or (0,) if it is fixed."""
    xp = namespace(K)
    if not len(factor.theta):
        return xp.zeros((0,), dtype=K.dtype, device=K.device)
    product = xp.vecdot(xp.reshape(K_bar, (-1,)), xp.reshape(K, (-1,)))
    return xp.reshape(factor.value * product, (1,))


def _scaled_theta(
    factor: Constant, factor_bar: Array, theta_bar: Array, factor_on_left: bool
) -> Array:
    """Return the derivative by the theta of both; scaling it is cheaper than scaling K̄."""
    theta_bar = factor.value * theta_bar
    return namespace(theta_bar).concat(
        (factor_bar, theta_bar) if factor_on_left else (theta_bar, factor_bar)
    )


Kernel._sum = staticmethod(lambda a, b: Sum(as_kernel(a), as_kernel(b)))
Kernel._product = staticmethod(lambda a, b: Product(as_kernel(a), as_kernel(b)))
