"""A kernel on some of the columns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsegp.arrays import Array, namespace
from sparsegp.kernels.base import BatchedPullback, Kernel, Pullback, Vector

__all__ = ["OnColumns"]


@dataclass(frozen=True, repr=False)
class OnColumns(Kernel):
    """A kernel that uses some of the columns.

    Parameters
    ----------
    kernel : Kernel
    columns : sequence of int or of str
        Positions, or names of the columns of the table given to ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegp.kernels import Linear
    >>> OnColumns(Linear(), [1])(np.array([[1.0, 2.0]]), np.array([[5.0, 3.0]]))
    array([[6.]])
    """

    kernel: Kernel
    columns: Any  # becomes a tuple of int or of str

    def __post_init__(self) -> None:
        given = self.columns
        columns = (given,) if isinstance(given, str | int | np.integer) else tuple(given)
        named = all(isinstance(c, str) for c in columns)
        numbered = all(isinstance(c, int | np.integer) and c >= 0 for c in columns)
        if not columns or not (named or numbered) or len(set(columns)) < len(columns):
            raise ValueError(
                "columns of OnColumns must be different names, or different positions counted "
                f"from 0, got {self.columns!r}"
            )
        plain = columns if named else tuple(int(c) for c in columns)
        object.__setattr__(self, "columns", plain)

    def __repr__(self) -> str:
        return f"OnColumns({self.kernel!r}, {list(self.columns)!r})"

    @property
    def theta(self) -> Vector:
        """Theta of the wrapped kernel."""
        return self.kernel.theta

    @property
    def bounds(self) -> Vector:
        """Bounds of the wrapped kernel."""
        return self.kernel.bounds

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the wrapped kernel."""
        return self.kernel.parameter_names

    @property
    def length_scale_positions(self) -> tuple[tuple[int, ...], ...]:
        """Those of the kernel inside."""
        return self.kernel.length_scale_positions

    @property
    def moves_inputs(self) -> bool:
        """Whether the wrapped kernel is differentiable in its inputs."""
        return self.kernel.moves_inputs

    def with_theta(self, theta: Sequence[float] | Vector) -> Kernel:
        """Return this kernel with other free parameters."""
        return OnColumns(self.kernel.with_theta(theta), self.columns)

    def bind(self, feature_names: Sequence[str] | None, n_features: int) -> Kernel:
        """Turn column names into positions."""
        columns = self.columns
        if isinstance(columns[0], str):
            if feature_names is None:
                raise ValueError(
                    f"the kernel names the columns {columns}, but X has no column names: "
                    "give a DataFrame, or positions in OnColumns"
                )
            names = list(feature_names)
            missing = [c for c in columns if c not in names]
            if missing:
                raise ValueError(f"the kernel names columns that X does not have: {missing}")
            columns = tuple(names.index(str(c)) for c in columns)
        elif max(columns) >= n_features:
            raise ValueError(
                f"the kernel uses column {max(columns)}, but X has {n_features} columns "
                "(positions count from 0)"
            )
        return OnColumns(self.kernel.bind(None, len(columns)), columns)

    def coded_columns(self, n_features: int) -> frozenset[int]:
        """Return those of the wrapped kernel, by their positions in the table."""
        inside = self.kernel.coded_columns(len(self.columns))
        return frozenset(self.columns[i] for i in inside)

    def periodic_columns(self, n_features: int) -> frozenset[int]:
        """Return those of the wrapped kernel, by their positions in the table."""
        inside = self.kernel.periodic_columns(len(self.columns))
        return frozenset(self.columns[i] for i in inside)

    def with_input_scale(self, scale: Vector) -> Kernel:
        """Hand on the scale of its columns."""
        return OnColumns(self.kernel.with_input_scale(scale[list(self.columns)]), self.columns)

    def _take(self, X: Array) -> Array:
        if isinstance(self.columns[0], str):
            raise ValueError(f"columns {self.columns} are names: bind the kernel to a table first")
        xp = namespace(X)
        return xp.take(X, xp.asarray(self.columns, device=X.device), axis=-1)

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return the block of the wrapped kernel."""
        return self.kernel(self._take(X), self._take(Z))

    def bind_Z(self, Z: Array) -> Callable[[Array], Array]:
        """Return the wrapped kernel bound to its columns of Z."""
        values = self.kernel.bind_Z(self._take(Z))
        return lambda X: values(self._take(X))

    def diagonal(self, X: Array) -> Array:
        """Return the diagonal of the wrapped kernel."""
        return self.kernel.diagonal(self._take(X))

    def pull_diagonal(self, X: Array, d_bar: Array) -> Array:
        """Return the derivative of the wrapped kernel."""
        return self.kernel.pull_diagonal(self._take(X), d_bar)

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K and its pullback; columns that are not used have derivative zero."""
        xp = namespace(X)
        K, pull = self.kernel.vjp(self._take(X), self._take(Z))

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            theta_bar, used = pull(K_bar)  # (p,), (m, number of columns)
            scatter = np.zeros((len(self.columns), Z.shape[1]))
            scatter[np.arange(len(self.columns)), list(self.columns)] = 1.0
            return theta_bar, used @ xp.asarray(scatter, dtype=Z.dtype, device=Z.device)

        return K, pullback

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return the blocks of the kernel inside, and their pullback."""
        return self.kernel.batched_vjp(self._take(X), self._take(Z))

    def embedding(self, X: Array, among: Array) -> Array | None:
        """Return that of the kernel inside."""
        return self.kernel.embedding(self._take(X), self._take(among))
