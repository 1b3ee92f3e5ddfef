"""Whitened features of a basis (of inducing points).

With K_zz = L Lᵀ the features Φ = K_xz L⁻ᵀ have the prior weights N(0, I), so that the
posterior precision I + ΦᵀWΦ has eigenvalues of at least one and always factorises.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sparsegp.arrays import (
    Array,
    Triangle,
    first_of_equal_rows,
    in_single,
    is_ndarray,
    moved,
    row_sums_of_squares,
    safe_cholesky,
    threads_for,
    to_numpy,
)
from sparsegp.kernels.base import Kernel
from sparsegp.model.policy import ROWS_TO_LOOK_FOR_COPIES

__all__ = ["Basis", "make_basis", "residual_variances"]


@dataclass(frozen=True)
class Basis:
    """A kernel, the basis inputs, and the Cholesky factor that whitens."""

    kernel: Kernel
    Z: Array  # (m, D)
    factor: Triangle  # L (m, m), lower: K_zz + jitter·I = L Lᵀ
    jitter: float

    @property
    def L(self) -> Array:
        """The lower factor of K_zz: (m, m)."""
        return self.factor.L

    def features(self, X: Array) -> Array:
        """Return Φ = K_xz L⁻ᵀ: (n, m)."""
        return self.feature_map()(X)

    def feature_map(self) -> Callable[[Array], Array]:
        """Return X ↦ Φ, for many blocks of rows: what depends on Z alone is computed once."""
        values = self.kernel.bind_Z(self.Z)

        def features(X: Array) -> Array:
            K = values(X)  # (n, m)
            if K.dtype != self.Z.dtype:  # a user's kernel may know double precision alone
                K = in_single(K)
            return self.factor.divide(K, overwrite=True)

        return features

    def beside(self, X: Array) -> "Basis":
        """Return the basis in the library and on the device of X; on the host as it is."""
        if is_ndarray(X):
            return self
        factor = Triangle.of(moved(self.L, like=X))
        return Basis(self.kernel, moved(self.Z, like=X), factor, self.jitter)

    def in_single(self) -> "Basis":
        """Return the basis for inputs in single precision, factorised in double."""
        return Basis(self.kernel, in_single(self.Z), self.factor.in_single(), self.jitter)


def make_basis(kernel: Kernel, Z: Array) -> Basis:
    """Factorise K_zz, which is singular if two basis vectors are equal."""
    with threads_for(Z.shape[0]):
        singular = Z.shape[0] >= ROWS_TO_LOOK_FOR_COPIES and _has_copies(Z)
        L, jitter = safe_cholesky(kernel(Z, Z), singular=singular)
        return Basis(kernel, Z, Triangle.of(L), jitter)


def _has_copies(Z: Array) -> bool:
    return len(first_of_equal_rows(to_numpy(Z))) < Z.shape[0]


def residual_variances(kernel: Kernel, X: Array, Phi: Array) -> Array:
    """Return d_i = k_ii − ‖φ_i‖²: (n,). Rounding may leave it just below zero."""
    return kernel.diagonal(X) - row_sums_of_squares(Phi)
