"""Blocked triangular solves outside NumPy: K L⁻ᵀ by recursive halving, as matrix products.

Columns are multiplied by the inverse of their diagonal block where that is well conditioned, panel
by panel, so that zeros below the diagonal of L⁻ᵀ are left out. Where it is not, or is too large,

    L = [[L₁, 0], [L₂₁, L₂]],   K = [K₁, K₂],   K L⁻ᵀ = [Q₁, (K₂ − Q₁L₂₁ᵀ)L₂⁻ᵀ],   Q₁ = K₁L₁⁻ᵀ:

two smaller solves and one large product, down to blocks that are solved by the library's own
routine. All take half the operations of a product with a whole square matrix.
"""

from dataclasses import dataclass, replace

import array_api_compat

from sparsegp.arrays.alignment import aligned, empty_aligned
from sparsegp.arrays.linalg import add_product, put_product, solve_lower
from sparsegp.arrays.namespace import Array, is_torch, namespace
from sparsegp.arrays.policy import DEVICE_BLOCK, LARGEST_DEVICE_INVERSE, WELL_CONDITIONED
from sparsegp.arrays.single import in_single

__all__ = ["BlockedSolve"]


@dataclass(frozen=True)
class BlockedSolve:
    """A lower triangular factor L, or a diagonal block of one, with its inverse or two halves."""

    L: Array  # (m, m)
    inverse: Array | None = None  # (m, m), L⁻ᵀ
    halves: tuple["BlockedSolve", ...] = ()

    @classmethod
    def of(cls, L: Array) -> "BlockedSolve | None":
        """Prepare a factor; None if arrays of its library cannot be written to."""
        if not L.shape[0] or not array_api_compat.is_writeable_array(L):
            return None
        return cls._of(L)

    @classmethod
    def _of(cls, L: Array) -> "BlockedSolve":
        m = L.shape[0]
        inverse = _good_inverse(L) if m <= LARGEST_DEVICE_INVERSE else None
        if inverse is not None or m <= DEVICE_BLOCK:
            return cls(L, inverse)
        middle = -(-m // (2 * DEVICE_BLOCK)) * DEVICE_BLOCK
        return cls(L, None, (cls._of(L[:middle, :middle]), cls._of(L[middle:, middle:])))

    def in_single(self) -> "BlockedSolve":
        """Return the factor for rows in single precision."""
        inverse = None if self.inverse is None else in_single(self.inverse)
        halves = tuple(half.in_single() for half in self.halves)
        return replace(self, L=in_single(self.L), inverse=inverse, halves=halves)

    def divide(self, K: Array, *, overwrite: bool = False) -> Array:
        """Return K L⁻ᵀ for K (n, m); ``overwrite`` allows K to be used for the result."""
        own = aligned(K)
        if self.inverse is not None:
            return _times_upper(own, self.inverse)
        if not self.halves:
            return solve_lower(self.L, own.T).T
        if own is K and not overwrite:
            own = namespace(K).asarray(K, copy=True)
        first, second = self.halves
        middle = first.L.shape[0]
        own[:, :middle] = first.divide(own[:, :middle], overwrite=True)
        right = own[:, middle:]
        less = add_product(right, own[:, :middle], self.L[middle:, :middle].T, -1.0)
        own[:, middle:] = second.divide(less, overwrite=True)
        return own


def _times_upper(K: Array, U: Array) -> Array:
    """Return K U for K (n, m) and upper triangular U (m, m), panel by panel."""
    n, m = K.shape
    if m <= DEVICE_BLOCK or n < DEVICE_BLOCK:
        return K @ U
    panels = [(start, min(start + DEVICE_BLOCK, m)) for start in range(0, m, DEVICE_BLOCK)]
    if not is_torch(K):
        return namespace(K).concat([K[:, :b] @ U[:b, a:b] for a, b in panels], axis=1)
    product = empty_aligned(K, n, m)
    for a, b in panels:
        put_product(product[:, a:b], K[:, :b], U[:b, a:b])
    return product


def _good_inverse(L: Array) -> Array | None:
    """Return L⁻ᵀ, or None if it is badly conditioned."""
    xp = namespace(L)
    inverse = solve_lower(L, xp.eye(L.shape[0], dtype=L.dtype, device=L.device))
    if not bool(_largest_row(L) * _largest_row(inverse) < WELL_CONDITIONED):
        return None
    return aligned(inverse.T)


def _largest_row(A: Array) -> Array:
    """Return the ∞-norm, which bounds the spectral norm up to √m."""
    xp = namespace(A)
    return xp.max(xp.sum(xp.abs(A), axis=1))
