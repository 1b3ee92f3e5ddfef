"""The exact Gaussian process of a small set of rows: its evidence and gradient.

With C = K + diag(σ²/s), a = C⁻¹y: log N(y | 0, C) and ∂/∂C = ½(aaᵀ − C⁻¹). A row of weight s
stands for s equal rows, which adds −½(s−1) log 2πσ² − ½ log s.
"""

from math import log, pi

from sparsegp.arrays import (
    Array,
    add_to_diagonal,
    inverse_from_lower,
    namespace,
    safe_cholesky,
    solve_lower,
    solve_lower_transposed,
)
from sparsegp.data.rows import Rows
from sparsegp.kernels.base import Kernel

__all__ = ["exact_evidence_and_gradient"]


def exact_evidence_and_gradient(
    kernel: Kernel, rows: Rows, variance: float
) -> tuple[float, Array, float]:
    """Return the log evidence, its gradient by theta and its derivative by log σ²."""
    xp = namespace(rows.X)
    n, n_outputs = rows.y.shape
    count = xp.ones((n,), dtype=rows.X.dtype) if rows.weight is None else rows.weight
    K, pullback = kernel.linearise(rows.X, rows.X)
    C = add_to_diagonal(xp.asarray(K, copy=True), variance / count)
    L = safe_cholesky(C).L
    a = solve_lower_transposed(L, solve_lower(L, rows.y))  # (n, p)
    log_det = 2.0 * float(xp.sum(xp.log(xp.linalg.diagonal(L))))
    repeats = float(xp.sum(count)) - n
    value = -0.5 * (
        float(xp.sum(a * rows.y))
        + n_outputs * (log_det + n * log(2.0 * pi) + repeats * log(2.0 * pi * variance))
        + n_outputs * float(xp.sum(xp.log(count)))
    )
    C_bar = 0.5 * (a @ a.T - n_outputs * inverse_from_lower(L))
    log_noise_bar = variance * float(xp.sum(xp.linalg.diagonal(C_bar) / count))
    log_noise_bar -= 0.5 * n_outputs * repeats
    theta_bar, _ = pullback(C_bar)
    return value, theta_bar, log_noise_bar
