"""The kernel interface.

A kernel is an immutable value. A kernel of your own needs two methods: the cross-covariance
``k(X, Z)`` and the diagonal. A kernel with parameters to learn also has

- ``theta``: the logarithms of its free parameters, with ``bounds`` and ``parameter_names``,
- ``with_theta``: the same kernel at other parameters,
- ``vjp(X, Z)``: the block K together with its *pullback*, which takes the derivative K̄ of any
  scalar by K to the derivatives by theta and by Z (a vector-Jacobian product),
- ``pull_diagonal``: the same for the diagonal.

Pullbacks cost a few passes over the n×m block and products with D columns: no n×m×p array
is formed.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, namespace
from sparsegp.kernels.expressions import format_call

__all__ = [
    "FIXED",
    "BatchedPullback",
    "Bounds",
    "Kernel",
    "ParametricKernel",
    "Pullback",
    "UnitDiagonalKernel",
    "Vector",
    "check_scalar",
    "checked_positive",
]

Vector: TypeAlias = npt.NDArray[np.float64]

#: ∂/∂K (n, m) ↦ ∂/∂theta (p,) and ∂/∂Z (m, D); it may overwrite its argument.
Pullback: TypeAlias = Callable[[Array], tuple[Array, Array]]

#: ∂/∂K (b, p, q) of a batch of blocks ↦ ∂/∂theta (t,); it may overwrite its argument.
BatchedPullback: TypeAlias = Callable[[Array], Array]

#: Lower and upper limit of a parameter, or "fixed" to keep it as given.
Bounds: TypeAlias = tuple[float, float] | str

FIXED = "fixed"


class Kernel(ABC):
    """A covariance function; subclass it with ``__call__`` and ``diagonal`` for your own."""

    @abstractmethod
    def __call__(self, X: Array, Z: Array) -> Array:
        """Return k(x_i, z_j) for all pairs of rows: (n, m).

        A new array of the inputs' type each time: the caller may overwrite it.
        """

    def bind_Z(self, Z: Array) -> Callable[[Array], Array]:
        """Return X ↦ K(X, Z), for repeated calls with few rows X and the same Z."""
        return lambda X: self(X, Z)

    def bind_scaled(self, Z: Array, factor: float) -> Callable[[Array], Array]:
        """Return X ↦ factor·K(X, Z), the same."""
        values = self.bind_Z(Z)

        def scaled(X: Array) -> Array:
            K = values(X)
            K *= factor
            return K

        return scaled

    @abstractmethod
    def diagonal(self, X: Array) -> Array:
        """Return k(x_i, x_i): (n,)."""

    @property
    def theta(self) -> Vector:
        """Logarithms of the free parameters: (p,)."""
        return np.empty(0)

    @property
    def bounds(self) -> Vector:
        """Limits of theta, on the same natural logarithmic scale: (p, 2)."""
        return np.empty((0, 2))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """One name for each element of theta."""
        return ()

    @property
    def length_scale_positions(self) -> tuple[tuple[int, ...], ...]:
        """Positions in theta of the length scales, for each part that has one a column (ARD).

        >>> from sparsegp.kernels import RBF, Constant
        >>> (Constant(2.0) * RBF((1.0, 3.0)) + RBF(4.0)).length_scale_positions
        ((1, 2),)
        """
        return ()

    @property
    def moves_inputs(self) -> bool:
        """Whether the kernel is differentiable in its inputs, so that Z can be optimised."""
        return False

    def with_theta(self, theta: Sequence[float] | Vector) -> "Kernel":
        """Return this kernel with other free parameters."""
        if len(theta) != 0:
            raise ValueError(f"{type(self).__name__} has no free parameters, got {len(theta)}")
        return self

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K(X, Z) and its pullback."""
        xp = namespace(X)
        no_theta = xp.zeros((0,), dtype=X.dtype, device=X.device)
        return self(X, Z), lambda _: (no_theta, xp.zeros_like(Z))

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return the blocks K(X_b, Z_b) (b, p, q) of a batch of small inputs, and their pullback.

        ``X`` (b, p, D) and ``Z`` (b, q, D) are the inputs of b blocks. The pullback takes the
        derivative K̄ (b, p, q) to that by theta alone. One block after the other here; kernels
        that can do all of them in one product say so.
        """
        xp = namespace(X)
        blocks = [self.vjp(X[i, ...], Z[i, ...]) for i in range(X.shape[0])]

        def pullback(K_bar: Array) -> Array:
            total = xp.zeros((len(self.theta),), dtype=X.dtype, device=X.device)
            for i, (_, pull) in enumerate(blocks):
                total = total + pull(K_bar[i, ...])[0]
            return total

        return xp.stack([K for K, _ in blocks]), pullback

    def embedding(self, X: Array, among: Array) -> Array | None:
        """Return coordinates (n, F) in which rows close together are the correlated ones.

        For rows close to each other 1 − k(x, z)/k(x, x) is half the squared distance of their
        coordinates. ``among`` (N, D) are the rows that are searched: their categories and variances
        define the coordinates. None: the kernel does not decay, so no row is nearer than another.
        """
        return None

    def pull_diagonal(self, X: Array, d_bar: Array) -> Array:
        """Return the derivative by theta (p,) from that by the diagonal, d_bar (n,)."""
        return namespace(X).zeros((0,), dtype=X.dtype, device=X.device)

    def bind(self, feature_names: Sequence[str] | None, n_features: int) -> "Kernel":
        """Return this kernel with column names turned into indices and widths checked."""
        return self

    def coded_columns(self, n_features: int) -> frozenset[int]:
        """Return the columns, of n_features, that hold category codes and not quantities."""
        return frozenset()

    def periodic_columns(self, n_features: int) -> frozenset[int]:
        """Return the columns, of n_features, that have a period: they are not to be warped."""
        return frozenset()

    def with_input_scale(self, scale: Vector) -> "Kernel":
        """Return the kernel for inputs that are divided by ``scale`` (D,).

        Parameters in the units of the data, which are periods, keep their values; all others refer
        to the inputs that reach the kernel.
        """
        return self

    # How + and * build kernels. composite.py, which defines sums and products, sets these: that
    # avoids a circular import.
    _sum: ClassVar[Callable[[Any, Any], "Kernel"]]
    _product: ClassVar[Callable[[Any, Any], "Kernel"]]
    __array_ufunc__ = None  # a NumPy scalar times a kernel is a kernel

    def __add__(self, other: "Kernel | float") -> "Kernel":
        return Kernel._sum(self, other)

    def __radd__(self, other: "Kernel | float") -> "Kernel":
        return Kernel._sum(other, self)

    def __mul__(self, other: "Kernel | float") -> "Kernel":
        return Kernel._product(self, other)

    def __rmul__(self, other: "Kernel | float") -> "Kernel":
        return Kernel._product(other, self)


class ParametricKernel(Kernel):
    """A frozen dataclass whose positive parameters are learned as logarithms.

    ``_positive`` names the fields, in the order of theta; the field ``<name>_bounds`` holds
    their limits. A field may be a number or a tuple with one number for each column.
    """

    _positive: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        """Turn sequences into tuples, so that kernels compare and hash, and check values."""
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if field.name in self._positive:
                value = checked_positive(type(self).__name__, field.name, value)
            elif field.name.endswith("_bounds"):
                value = _checked_bounds(type(self).__name__, field.name, value)
            object.__setattr__(self, field.name, value)

    def __repr__(self) -> str:
        return format_call(self)

    def _free(self) -> list[str]:
        return [name for name in self._positive if getattr(self, name + "_bounds") != FIXED]

    @property
    def theta(self) -> Vector:
        """Logarithms of the free parameters."""
        values = [np.log(np.atleast_1d(getattr(self, name))) for name in self._free()]
        return np.concatenate(values) if values else np.empty(0)

    @property
    def bounds(self) -> Vector:
        """Limits of theta."""
        limits = [
            np.tile(np.log(getattr(self, name + "_bounds")), (np.size(getattr(self, name)), 1))
            for name in self._free()
        ]
        return np.concatenate(limits) if limits else np.empty((0, 2))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """One name for each element of theta."""
        names: list[str] = []
        for name in self._free():
            value = getattr(self, name)
            names += [f"{name}[{i}]" for i in range(len(value))] if np.ndim(value) else [name]
        return tuple(names)

    @property
    def length_scale_positions(self) -> tuple[tuple[int, ...], ...]:
        """Positions of the free length scales in theta, if there is one for each column."""
        start = 0
        for name in self._free():
            value = getattr(self, name)
            if name == "length_scale" and np.ndim(value):
                return (tuple(range(start, start + len(value))),)
            start += np.size(value)
        return ()

    @property
    def moves_inputs(self) -> bool:
        """True: the library's kernels are differentiable in their inputs but for Categorical."""
        return True

    def with_theta(self, theta: Sequence[float] | Vector) -> Self:
        """Return this kernel with other free parameters."""
        if len(theta) != len(self.theta):
            raise ValueError(
                f"theta of {type(self).__name__} has {len(self.theta)} elements, got {len(theta)}"
            )
        values, changed, start = np.exp(np.asarray(theta, dtype=np.float64)), {}, 0
        for name in self._free():
            old = getattr(self, name)
            stop = start + np.size(old)
            new = values[start:stop]
            changed[name] = tuple(map(float, new)) if np.ndim(old) else float(new[0])
            start = stop
        return replace(self, **changed)  # type: ignore[type-var]

    def _gradient(self, xp: Any, **derivatives: Array) -> Array:
        """Concatenate derivatives by the log-parameters, each (k,), in the order of theta.

        A parameter shared by all columns gets the sum over the columns.
        """
        parts = []
        for name in self._free():
            derivative = xp.reshape(derivatives[name], (-1,))
            shared = np.size(getattr(self, name)) == 1
            parts.append(xp.reshape(xp.sum(derivative), (1,)) if shared else derivative)
        if not parts:
            # a number of NumPy 2.0 has no device, an array has
            any_array = xp.reshape(next(iter(derivatives.values())), (-1,))
            return xp.zeros((0,), dtype=any_array.dtype, device=any_array.device)
        return xp.concat(parts)

    def _columns(self, name: str, X: Array) -> Array:
        """Return a parameter as an array that divides or scales the columns of X: (D,) or (1,)."""
        value = np.array(getattr(self, name), ndmin=1)
        if value.size not in (1, X.shape[-1]):
            raise ValueError(
                f"{name} of {type(self).__name__} has {value.size} elements, but the inputs have "
                f"{X.shape[-1]} columns: give one number, or one for each column"
            )
        if type(X) is np.ndarray:  # once for each row of a stream
            return value if X.dtype == value.dtype else value.astype(X.dtype)
        return namespace(X).asarray(value, dtype=X.dtype, device=X.device)

    def bind(self, feature_names: Sequence[str] | None, n_features: int) -> Kernel:
        """Check that parameters given by column fit the table."""
        for name in self._positive:
            self._columns(name, np.empty((0, n_features)))
        return self


class UnitDiagonalKernel(ParametricKernel):
    """A kernel with k(x, x) = 1 for all parameters."""

    def diagonal(self, X: Array) -> Array:
        """Return ones."""
        if type(X) is np.ndarray:
            return np.ones(len(X), dtype=X.dtype)
        return namespace(X).ones((X.shape[0],), dtype=X.dtype, device=X.device)

    def pull_diagonal(self, X: Array, d_bar: Array) -> Array:
        """Return zeros: the diagonal does not depend on the parameters."""
        return namespace(X).zeros((len(self.theta),), dtype=X.dtype, device=X.device)


def check_scalar(kernel: str, name: str, value: Any) -> None:
    """Raise a ValueError if a scalar parameter was given as a sequence."""
    if np.ndim(value):
        raise ValueError(f"{name} of {kernel} must be one number, got {value!r}")


def checked_positive(kernel: str, name: str, value: Any) -> float | tuple[float, ...]:
    """Return a positive number or a tuple of them; raise a ValueError for anything else."""
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.asarray(np.nan)
    if array.ndim > 1 or array.size == 0 or not np.all(np.isfinite(array) & (array > 0)):
        raise ValueError(f"{name} of {kernel} must be positive and finite, got {value!r}")
    return tuple(map(float, array)) if array.ndim else float(array)


def _checked_bounds(kernel: str, name: str, value: Any) -> Bounds:
    if isinstance(value, str) and value == FIXED:
        return FIXED
    try:
        limits = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        limits = np.empty(0)
    if limits.shape != (2,) or not 0 < limits[0] <= limits[1] < np.inf:
        raise ValueError(
            f"{name} of {kernel} must be 'fixed' or two positive numbers (low, high), got {value!r}"
        )
    return float(limits[0]), float(limits[1])
