"""The exact Gaussian process of a small set of rows: its evidence and gradient.

With C = K + diag(σ²/s), a = C⁻¹y: log N(y | 0, C) and ∂/∂C = ½(aaᵀ − C⁻¹). A row of weight s
stands for s equal rows, which adds −½(s−1) log 2πσ² − ½ log s.
"""

from contextlib import nullcontext
from math import log, pi

from sparsegp.arrays import (
    Array,
    add_product,
    add_to_diagonal,
    half_inverse_from_lower,
    in_shares,
    is_numpy,
    n_threads,
    namespace,
    one_blas_thread,
    safe_cholesky,
    solve_lower,
    solve_lower_transposed,
)
from sparsegp.data.rows import Rows
from sparsegp.kernels.base import Kernel

__all__ = ["exact_evidence_and_gradient"]

# Below these sizes threads cost more than they bring: for the kernel blocks, and for LAPACK,
# whose threads wait for each other by spinning.
ROWS_FOR_THREADS = 400
ROWS_FOR_THREADED_LAPACK = 1500


def exact_evidence_and_gradient(
    kernel: Kernel, rows: Rows, variance: float
) -> tuple[float, Array, float]:
    """Return the log evidence, its gradient by theta and its derivative by log σ²."""
    many = is_numpy(rows.X) and len(rows) >= ROWS_FOR_THREADS
    threads = n_threads() if many else 1
    alone = one_blas_thread() if len(rows) < ROWS_FOR_THREADED_LAPACK else nullcontext()
    with alone:
        return _evidence_and_gradient(kernel, rows, variance, threads)


def _evidence_and_gradient(
    kernel: Kernel, rows: Rows, variance: float, threads: int
) -> tuple[float, Array, float]:
    xp = namespace(rows.X)
    n, n_outputs = rows.y.shape
    count = rows.weight
    if count is None:
        count = xp.ones((n,), dtype=rows.X.dtype, device=rows.X.device)
    size = -(-n // threads)
    parts = [slice(start, min(start + size, n)) for start in range(0, n, size)]
    blocks = in_shares(lambda part: kernel.linearise(rows.X[part, :], rows.X), parts)
    C = add_to_diagonal(xp.concat([K for K, _ in blocks]), variance / count)  # (n, n)
    L = safe_cholesky(C).L
    a = solve_lower_transposed(L, solve_lower(L, rows.y))  # (n, p)
    log_det = 2.0 * float(xp.sum(xp.log(xp.linalg.diagonal(L))))
    repeats = float(xp.sum(count)) - n
    value = -0.5 * (
        float(xp.sum(a * rows.y))
        + n_outputs * (log_det + n * log(2.0 * pi) + repeats * log(2.0 * pi * variance))
        + n_outputs * float(xp.sum(xp.log(count)))
    )
    # ∂/∂C up to a skew part, which a symmetric change of C does not see
    C_bar = add_product(-n_outputs * half_inverse_from_lower(L), 0.5 * a, a.T)  # (n, n)
    log_noise_bar = variance * float(xp.sum(xp.linalg.diagonal(C_bar) / count))
    log_noise_bar -= 0.5 * n_outputs * repeats
    tasks = [(pullback, part) for (_, pullback), part in zip(blocks, parts, strict=True)]
    pulled = in_shares(lambda task: task[0](C_bar[task[1], :])[0], tasks)
    return value, sum(pulled[1:], pulled[0]), log_noise_bar
