"""The periodic kernel, computed as an RBF on points of circles."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import pi
from typing import Any, ClassVar

import numpy as np

from sparsegp.arrays import Array, exp_in_place, minus_half_squared_distances, namespace
from sparsegp.kernels.base import (
    BatchedPullback,
    Bounds,
    Kernel,
    Pullback,
    UnitDiagonalKernel,
    Vector,
    checked_positive,
)
from sparsegp.kernels.policy import LENGTH_SCALE_BOUNDS, PERIOD_BOUNDS

__all__ = ["Periodic"]


@dataclass(frozen=True, repr=False)
class Periodic(UnitDiagonalKernel):
    """k(x, z) = exp(−2 Σ_l sin²(π (x_l − z_l)/p_l)/ℓ_l²).

    With ω = 2π/p and u(x) = (cos ωx, sin ωx)/ℓ it is exp(−½‖u(x) − u(z)‖²): a matrix
    product of twice the columns, like the other kernels of a distance.

    Parameters
    ----------
    length_scale : float or sequence
        One for all columns, or one for each. It has no unit: at 1 rows half a period apart have the
        correlation exp(−2), and at 0.3 only rows near the same phase are correlated.
    period : float or sequence
        One for all columns, or one for each, in the units of the column: an estimator that divides
        the column by its standard deviation keeps it so. Columns that have a period are scaled, but
        never warped.
    length_scale_bounds, period_bounds : (float, float) or "fixed"
    input_scale : float or sequence
        What inputs were divided by before they reach the kernel, a number a column; estimators
        set it.

    Examples
    --------
    >>> import numpy as np
    >>> Periodic(period=2.0)(np.array([[0.0]]), np.array([[2.0], [4.0]])).round(6)
    array([[1., 1.]])
    >>> of_scaled_hours = Periodic(period=24.0).with_input_scale(np.array([6.0]))
    >>> of_scaled_hours(np.array([[0.0]]), np.array([[4.0]]))
    array([[1.]])
    """

    length_scale: float | tuple[float, ...] = 1.0
    period: float | tuple[float, ...] = 1.0
    length_scale_bounds: Bounds = LENGTH_SCALE_BOUNDS
    period_bounds: Bounds = PERIOD_BOUNDS
    input_scale: float | tuple[float, ...] = field(default=1.0, repr=False)

    _positive: ClassVar[tuple[str, ...]] = ("length_scale", "period")

    def __post_init__(self) -> None:
        """Check values, the scale of inputs too."""
        super().__post_init__()
        scale = checked_positive(type(self).__name__, "input_scale", self.input_scale)
        object.__setattr__(self, "input_scale", scale)

    def bind(self, feature_names: Sequence[str] | None, n_features: int) -> Kernel:
        """Check the widths; a new table has its own scale."""
        super().bind(feature_names, n_features)
        return replace(self, input_scale=1.0)

    def periodic_columns(self, n_features: int) -> frozenset[int]:
        """Return all columns."""
        return frozenset(range(n_features))

    def with_input_scale(self, scale: Vector) -> Kernel:
        """Return the same function of inputs that are divided by ``scale`` (D,)."""
        product: Any = np.asarray(self.input_scale) * scale  # (D,)
        if np.all(product == product[0]):
            return replace(self, input_scale=float(product[0]))
        return replace(self, input_scale=tuple(map(float, product)))

    def _omega(self, X: Array) -> Array:
        """Return 2π/p in the units of the inputs that reach the kernel: (D,) or (1,)."""
        return 2.0 * pi * self._columns("input_scale", X) / self._columns("period", X)

    def _on_circles(self, X: Array) -> tuple[Array, Array, Array]:
        """Return ω (D,) or (1,), cos ωx/ℓ and sin ωx/ℓ, each (n, D)."""
        xp = namespace(X)
        omega = self._omega(X)
        scale = self._columns("length_scale", X)
        return omega, xp.cos(X * omega) / scale, xp.sin(X * omega) / scale

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return k(x_i, z_j)."""
        return self.vjp(X, Z)[0]

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K and its pullback."""
        xp = namespace(X)
        omega, cx, sx = self._on_circles(X)  # (n, D)
        _, cz, sz = self._on_circles(Z)  # (m, D)
        E = minus_half_squared_distances(xp.concat((cx, sx), axis=1), xp.concat((cz, sz), axis=1))
        K = exp_in_place(E)

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            W = -K_bar * K  # ∂/∂h, h = Σ_l [1 − cos ω(x−z)]/ℓ²
            Wc, Ws = W.T @ cx, W.T @ sx  # (m, D)
            # Σ_ij W [1 − cos ω(x−z)]/ℓ²: the first term is Σ W/ℓ²
            inverse_square = self._columns("length_scale", X) ** -2
            h_sums = xp.sum(W) * inverse_square - xp.sum(cz * Wc + sz * Ws, axis=0)  # (D,)
            # ∂h/∂z_j = −ω sin ω(x−z)/ℓ² = −ω (s_x c_z − c_x s_z)
            Z_bar = -omega * (cz * Ws - sz * Wc)  # (m, D)
            # ∂h/∂log p = −ω(x−z) sin ω(x−z)/ℓ²: the part with z is −z·∂h/∂z
            x_part = xp.sum(cz * (W.T @ (X * sx)) - sz * (W.T @ (X * cx)), axis=0)  # (D,)
            period_bar = -omega * x_part - xp.sum(Z * Z_bar, axis=0)
            theta_bar = self._gradient(xp, length_scale=-2.0 * h_sums, period=period_bar)
            return theta_bar, Z_bar

        return K, pullback

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return the blocks of a batch and their pullback."""
        xp = namespace(X)
        omega, scale = self._omega(X), self._columns("length_scale", X)
        angle = omega * (X[:, :, None, :] - Z[:, None, :, :])  # (b, p, q, D)
        h = (1.0 - xp.cos(angle)) / scale**2
        K = exp_in_place(-xp.sum(h, axis=-1))  # (b, p, q)

        def pullback(K_bar: Array) -> Array:
            W = -(K_bar * K)[..., None]  # ∂/∂h
            by_scale = -2.0 * xp.sum(W * h, axis=(0, 1, 2))
            by_period = -xp.sum(W * angle * xp.sin(angle) / scale**2, axis=(0, 1, 2))
            return self._gradient(xp, length_scale=by_scale, period=by_period)

        return K, pullback

    def embedding(self, X: Array, among: Array) -> Array:
        """Return the inputs on circles: (n, 2 D)."""
        _, cosine, sine = self._on_circles(X)
        return namespace(X).concat((cosine, sine), axis=1)
