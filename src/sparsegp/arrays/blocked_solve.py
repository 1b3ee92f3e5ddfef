"""Blocked triangular solves outside NumPy: K L⁻ᵀ by recursive halving, as matrix products.

With L = [[L₁, 0], [L₂₁, L₂]] and K = [K₁, K₂] the solution K L⁻ᵀ is [Q₁, (K₂ − Q₁L₂₁ᵀ)L₂⁻ᵀ] with
Q₁ = K₁L₁⁻ᵀ: two smaller solves and one large product, down to blocks that are multiplied by their
inverse, or solved by the library's own routine where the inverse would lose precision. It takes
half the operations of a product with the whole inverse.
"""

from dataclasses import dataclass

import array_api_compat

from sparsegp.arrays.linalg import add_product, solve_lower
from sparsegp.arrays.namespace import Array, namespace
from sparsegp.arrays.policy import DEVICE_BLOCK, WELL_CONDITIONED
from sparsegp.arrays.single import in_single

__all__ = ["BlockedSolve"]


@dataclass(frozen=True)
class BlockedSolve:
    """A lower triangular factor with the inverses of its diagonal blocks."""

    L: Array  # (m, m)
    inverses: tuple[Array | None, ...]  # of diagonal blocks; None if badly conditioned

    @classmethod
    def of(cls, L: Array) -> "BlockedSolve | None":
        """Prepare a factor; None if arrays of its library cannot be written to."""
        m = L.shape[0]
        if not m or not array_api_compat.is_writeable_array(L):
            return None
        return cls(L, tuple(_good_inverse(_block(L, a)) for a in range(0, m, DEVICE_BLOCK)))

    def in_single(self) -> "BlockedSolve":
        """Return the factor for rows in single precision."""
        inverses = (None if each is None else in_single(each) for each in self.inverses)
        return BlockedSolve(in_single(self.L), tuple(inverses))

    def divide(self, K: Array) -> Array:
        """Return K L⁻ᵀ for K (n, m), which is overwritten."""
        self._divide(K, 0, len(self.inverses))
        return K

    def _divide(self, K: Array, first: int, last: int) -> None:
        """Solve for the columns of K in the blocks from first to last."""
        a, b = first * DEVICE_BLOCK, min(last * DEVICE_BLOCK, K.shape[1])
        if last - first == 1:
            K[:, a:b] = self._divided_by_block(K[:, a:b], first)
            return
        middle = (first + last) // 2
        c = middle * DEVICE_BLOCK
        self._divide(K, first, middle)
        right = K[:, c:b]
        less = add_product(right, K[:, a:c], self.L[c:b, a:c].T, -1.0)
        if less is not right:
            K[:, c:b] = less
        self._divide(K, middle, last)

    def _divided_by_block(self, K: Array, number: int) -> Array:
        inverse = self.inverses[number]
        if inverse is not None:
            return K @ inverse.T
        return solve_lower(_block(self.L, number * DEVICE_BLOCK), K.T).T


def _block(L: Array, start: int) -> Array:
    stop = min(start + DEVICE_BLOCK, L.shape[0])
    return L[start:stop, start:stop]


def _good_inverse(L: Array) -> Array | None:
    xp = namespace(L)
    inverse = solve_lower(L, xp.eye(L.shape[0], dtype=L.dtype, device=L.device))
    good = _largest_row(L) * _largest_row(inverse) < WELL_CONDITIONED
    return inverse if bool(good) else None


def _largest_row(A: Array) -> Array:
    """Return the ∞-norm, which bounds the spectral norm up to √m."""
    xp = namespace(A)
    return xp.max(xp.sum(xp.abs(A), axis=1))
