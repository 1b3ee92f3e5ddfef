"""Heteroscedastic noise: σ²(x) = σ² exp g(x), with g a sparse Gaussian process.

Only the mean of g is kept, as weights of kernel columns (Kersting et al. 2007 use the most likely
noise likewise). It is clipped to its range at the training rows, and far from all of them it goes
back to their average.
"""

from dataclasses import dataclass

from sparsegp.arrays import Array, namespace
from sparsegp.arrays.placement import beside
from sparsegp.kernels.base import Kernel
from sparsegp.model.policy import VALUES_AT_ONCE

__all__ = ["LogNoiseGP"]


@dataclass(frozen=True)
class LogNoiseGP:
    """The factor exp g(x) on a noise variance."""

    kernel: Kernel
    Z: Array  # (m, D)
    alpha: Array  # (m, 1), weights of the kernel columns
    low: float  # the smallest and the largest g
    high: float

    def factor(self, X: Array) -> Array:
        """Return σ²(x)/σ²: (n,)."""
        xp, size = namespace(X), max(1, VALUES_AT_ONCE // self.Z.shape[0])
        Z, alpha = beside(self.Z, like=X), beside(self.alpha, like=X)
        n = X.shape[0]
        blocks = [X[start : min(start + size, n), :] for start in range(0, n, size)]
        g = xp.concat([(self.kernel(x, Z) @ alpha)[:, 0] for x in blocks])
        return xp.exp(xp.clip(g, self.low, self.high))
