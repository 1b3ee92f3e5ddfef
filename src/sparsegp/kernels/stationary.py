"""Stationary kernels of the scaled distance: RBF, Matérn, rational quadratic.

All are functions k = g(e) of e = −½ Σ_l (x_l − z_l)²/ℓ_l². With W = K̄ ∘ g′(e) (n, m) and
scaled inputs x̃ = x/ℓ,

    ∂/∂log ℓ_l = Σ_ij W_ij (x̃_il − z̃_jl)²,      ∂/∂z_jl = Σ_i W_ij (x̃_il − z̃_jl)/ℓ_l,

which expand into WᵀX̃ and the row and column sums of W.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import ClassVar

from sparsegp.arrays import (
    Array,
    batched_minus_half_squared_distances,
    chunked_map,
    exp_in_place,
    is_ndarray,
    lowest_exponent,
    minus_half_squared_distances_to,
    namespace,
    sum_of_product,
)
from sparsegp.kernels.base import (
    BatchedPullback,
    Bounds,
    Pullback,
    UnitDiagonalKernel,
    check_scalar,
)
from sparsegp.kernels.policy import ALPHA_BOUNDS, LENGTH_SCALE_BOUNDS

__all__ = ["RBF", "Matern", "RationalQuadratic", "pull_scaled_distances"]

#: K̄ ↦ K̄ ∘ g′(e), which may overwrite K̄.
TimesSlope = Callable[[Array], Array]


def pull_scaled_distances(X: Array, Z: Array, W: Array) -> tuple[Array, Array]:
    """Pull W = ∂/∂e (n, m) back through e = −½‖x−z‖².

    Returns Σ_ij W_ij (x_il − z_jl)² by column (D,), and ∂/∂Z (m, D), both for scaled inputs.
    """
    xp = namespace(X)
    centre = xp.mean(Z, axis=0, keepdims=True)  # a common offset costs no precision
    X, Z = X - centre, Z - centre
    w_x = xp.sum(W, axis=1)  # (n,)
    w_z = xp.sum(W, axis=0)[:, None]  # (m, 1)
    WtX = (X.T @ W).T  # (m, D): for few columns twice as fast as Wᵀ X
    Z_bar = WtX - w_z * Z
    squares = w_x @ (X * X) - xp.sum(Z * (WtX + Z_bar), axis=0)  # (D,)
    return squares, Z_bar


def pull_batched_distances(X: Array, Z: Array, W: Array) -> Array:
    """Pull W = ∂/∂e (b, p, q) back through e = −½‖x−z‖²: Σ W (x_l − z_l)² by column (D,)."""
    xp = namespace(X)
    WZ1 = W @ xp.concat((Z, xp.ones_like(Z[:, :, :1])), axis=2)  # (b, p, D+1)
    WZ, w_x = WZ1[:, :, :-1], WZ1[:, :, -1:]  # (b, p, D), (b, p, 1)
    w_z = xp.sum(W, axis=1)[:, :, None]  # (b, q, 1)
    return xp.sum(X * (w_x * X - 2.0 * WZ), axis=(0, 1)) + xp.sum(w_z * Z * Z, axis=(0, 1))


@dataclass(frozen=True, repr=False)
class _Stationary(UnitDiagonalKernel):
    """A kernel g(e) of the scaled distance; subclasses define g and its slope."""

    length_scale: float | tuple[float, ...] = 1.0
    length_scale_bounds: Bounds = LENGTH_SCALE_BOUNDS

    _positive: ClassVar[tuple[str, ...]] = ("length_scale",)

    @abstractmethod
    def _value(self, E: Array) -> Array:
        """Return g(E); may overwrite E."""

    @abstractmethod
    def _value_and_slope(self, E: Array) -> tuple[Array, TimesSlope]:
        """Return g(E) and the product with g′(E); may overwrite E."""

    def _exponents_to(self, Z: Array) -> Callable[[Array], Array]:
        """Return −½ r² to rows of Z/ℓ, as a function of X/ℓ."""
        return minus_half_squared_distances_to(Z)

    def _scaled(self, X: Array, Z: Array) -> tuple[Array, Array, Array]:
        """Return X/ℓ, Z/ℓ and ℓ, (D,) or (1,)."""
        scale = self._columns("length_scale", X)
        return X / scale, Z / scale, scale

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return k(x_i, z_j)."""
        return self._values_at(Z)(X)

    def bind_Z(self, Z: Array) -> Callable[[Array], Array]:
        """Return the kernel as a function of X, with Z scaled and squared once."""
        overridden = type(self).__call__ is not _Stationary.__call__  # by a user's subclass
        return super().bind_Z(Z) if overridden else self._values_at(Z)

    def _values_at(self, Z: Array) -> Callable[[Array], Array]:
        of_Z = self._columns("length_scale", Z)
        exponents = self._exponents_to(Z / of_Z)

        def values(X: Array) -> Array:
            same = X.dtype == Z.dtype and X.shape[1] == Z.shape[1]
            scale = of_Z if same else self._columns("length_scale", X)
            return chunked_map(self._value, exponents(X / scale))

        return values

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K and its pullback."""
        X, Z, scale = self._scaled(X, Z)
        K, times_slope = self._value_and_slope(self._exponents_to(Z)(X))

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            squares, Z_bar = pull_scaled_distances(X, Z, times_slope(K_bar))
            return self._gradient(namespace(X), length_scale=squares), Z_bar / scale

        return K, pullback

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return the blocks of a batch and their pullback: three batched products."""
        X, Z = self._scaled_blocks(X, Z)
        K, times_slope = self._value_and_slope(self._batched_exponents(X, Z))

        def pullback(K_bar: Array) -> Array:
            squares = pull_batched_distances(X, Z, times_slope(K_bar))
            return self._gradient(namespace(X), length_scale=squares)

        return K, pullback

    def _scaled_blocks(self, X: Array, Z: Array) -> tuple[Array, Array]:
        """Return X/ℓ (b, p, D) and Z/ℓ (b, q, D), each block centred on one of its rows.

        Rows of a block lie close together, so squares may be expanded without loss of precision.
        """
        X, Z, _ = self._scaled(X, Z)
        centre = (Z if Z.shape[1] else X)[:, :1, :]
        return X - centre, Z - centre

    def _batched_exponents(self, X: Array, Z: Array) -> Array:
        """Return −½ r² (b, p, q) of scaled inputs."""
        return batched_minus_half_squared_distances(X, Z)

    def embedding(self, X: Array, among: Array) -> Array:
        """Return X/ℓ, times the root of g′(0): (n, D)."""
        return X / self._columns("length_scale", X)


@dataclass(frozen=True, repr=False)
class RBF(_Stationary):
    """Squared exponential kernel exp(−½ Σ_l (x_l − z_l)²/ℓ_l²).

    Parameters
    ----------
    length_scale : float or sequence
        One number for all columns, or one for each (ARD).
    length_scale_bounds : (float, float) or "fixed"

    Examples
    --------
    >>> import numpy as np
    >>> RBF(2.0)(np.array([[0.0]]), np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.6065]])
    """

    def _exponents_to(self, Z: Array) -> Callable[[Array], Array]:
        # a device needs no clipping: subnormal numbers cost it nothing, and exp(10⁻¹⁶) is one
        return minus_half_squared_distances_to(Z, lowest=lowest_exponent(Z), clips=False)

    def bind_scaled(self, Z: Array, factor: float) -> Callable[[Array], Array]:
        """Return factor·K; on a device as exp(e + log factor), which saves a pass."""
        if is_ndarray(Z) or type(self) is not RBF:
            return super().bind_scaled(Z, factor)
        scale = self._columns("length_scale", Z)
        exponents = minus_half_squared_distances_to(Z / scale, clips=False, plus=log(factor))
        return lambda X: self._value(exponents(X / self._columns("length_scale", X)))

    def _value(self, E: Array) -> Array:
        return exp_in_place(E, cut=False)

    def _value_and_slope(self, E: Array) -> tuple[Array, TimesSlope]:
        K = self._value(E)

        def times_slope(K_bar: Array) -> Array:  # g′ = g
            K_bar *= K
            return K_bar

        return K, times_slope


@dataclass(frozen=True, repr=False)
class Matern(_Stationary):
    """Matérn kernel with smoothness ν = ½, 3/2 or 5/2; r² = Σ_l (x_l − z_l)²/ℓ_l².

    - ν = ½: exp(−r)
    - ν = 3/2: (1 + √3 r) exp(−√3 r)
    - ν = 5/2: (1 + √5 r + 5r²/3) exp(−√5 r)

    Parameters
    ----------
    length_scale : float or sequence
    length_scale_bounds : (float, float) or "fixed"
    nu : 0.5, 1.5 or 2.5

    Examples
    --------
    >>> import numpy as np
    >>> Matern(1.0, nu=0.5)(np.array([[0.0]]), np.array([[1.0]])).round(4)
    array([[0.3679]])
    """

    nu: float = 1.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nu not in (0.5, 1.5, 2.5):
            raise ValueError(f"nu of Matern must be 0.5, 1.5 or 2.5, got {self.nu!r}")

    def _exponents_to(self, Z: Array) -> Callable[[Array], Array]:
        exact = self.nu == 0.5  # exp(−r) has a kink at r = 0
        lowest = -(lowest_exponent(Z) ** 2) / (4.0 * self.nu)  # s² = −4ν e
        return minus_half_squared_distances_to(Z, exact=exact, lowest=lowest)

    def _batched_exponents(self, X: Array, Z: Array) -> Array:
        return batched_minus_half_squared_distances(X, Z, exact=self.nu == 0.5)

    def _value(self, E: Array) -> Array:
        return self._value_and_decay(E)[0]

    def _value_and_decay(self, E: Array) -> tuple[Array, Array, Array]:
        """Return K, s = √(2ν) r and exp(−s)."""
        E *= -4.0 * self.nu  # r² = −2e
        S = namespace(E).sqrt(E)
        decay = exp_in_place(-S, cut=False)
        if self.nu == 0.5:
            return decay, S, decay
        K = 1.0 + S if self.nu == 1.5 else (1.0 + S / 3.0) * S + 1.0
        K *= decay
        return K, S, decay

    def _value_and_slope(self, E: Array) -> tuple[Array, TimesSlope]:
        K, S, decay = self._value_and_decay(E)
        xp = namespace(K)

        def times_slope(K_bar: Array) -> Array:
            if self.nu == 0.5:  # at s = 0 the slope multiplies a difference that is zero
                slope = decay / xp.where(S > 0.0, S, xp.full_like(S, xp.inf))
            elif self.nu == 1.5:  # dk/ds · ds/de = (−s·decay)(−3/s)
                slope = 3.0 * decay
            else:  # dk/ds = −s(1+s)·decay/3, ds/de = −5/s
                slope = (5.0 / 3.0) * (1.0 + S) * decay
            K_bar *= slope
            return K_bar

        return K, times_slope


@dataclass(frozen=True, repr=False)
class RationalQuadratic(_Stationary):
    """Rational quadratic kernel (1 + r²/(2α))^−α, r² = Σ_l (x_l − z_l)²/ℓ_l².

    Parameters
    ----------
    length_scale : float or sequence
    length_scale_bounds : (float, float) or "fixed"
    alpha : float
        Small for a wide mixture of length scales; RBF as it grows.
    alpha_bounds : (float, float) or "fixed"

    Examples
    --------
    >>> import numpy as np
    >>> RationalQuadratic(1.0, alpha=1.0)(np.array([[0.0]]), np.array([[1.0]])).round(4)
    array([[0.6667]])
    """

    alpha: float = 1.0
    alpha_bounds: Bounds = ALPHA_BOUNDS

    _positive: ClassVar[tuple[str, ...]] = ("length_scale", "alpha")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_scalar("RationalQuadratic", "alpha", self.alpha)

    def _value(self, E: Array) -> Array:
        E /= -self.alpha
        E = namespace(E).log1p(E)
        E *= -self.alpha
        return exp_in_place(E)

    def _value_and_base(self, E: Array) -> tuple[Array, Array, Array]:
        """Return K, 1/b and log b, with b = 1 − e/α."""
        E /= -self.alpha
        log_base = namespace(E).log1p(E)
        E += 1.0
        return exp_in_place(-self.alpha * log_base), 1.0 / E, log_base

    def _value_and_slope(self, E: Array) -> tuple[Array, TimesSlope]:
        K, inverse_base, _ = self._value_and_base(E)
        return K, lambda K_bar: K_bar * K * inverse_base  # g′ = g/b

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K and its pullback."""
        xp = namespace(X)
        X, Z, scale = self._scaled(X, Z)
        K, inverse_base, log_base = self._value_and_base(self._exponents_to(Z)(X))
        by_alpha = 1.0 - inverse_base  # elementwise, as the difference of the sums would cancel
        by_alpha -= log_base

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            # ∂g/∂log α = g·[−e/b − α log b], where −e = α(b − 1)
            K_bar *= K
            alpha_bar = self.alpha * sum_of_product(K_bar, by_alpha)
            K_bar *= inverse_base
            squares, Z_bar = pull_scaled_distances(X, Z, K_bar)
            return self._gradient(xp, length_scale=squares, alpha=alpha_bar), Z_bar / scale

        return K, pullback

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return the blocks of a batch and their pullback."""
        xp = namespace(X)
        X, Z = self._scaled_blocks(X, Z)
        K, inverse_base, log_base = self._value_and_base(self._batched_exponents(X, Z))
        by_alpha = 1.0 - inverse_base - log_base

        def pullback(K_bar: Array) -> Array:
            K_bar = K_bar * K
            alpha_bar = self.alpha * xp.sum(K_bar * by_alpha)
            squares = pull_batched_distances(X, Z, K_bar * inverse_base)
            return self._gradient(xp, length_scale=squares, alpha=alpha_bar)

        return K, pullback
