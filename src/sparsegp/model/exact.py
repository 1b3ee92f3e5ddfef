"""The exact Gaussian process of a small set of rows: its evidence and gradient.

With C = K + diag(λ/s), a = C⁻¹y: log N(y | 0, C) and ∂/∂C = ½(aaᵀ − C⁻¹). The noise λ of a row is
σ², times a factor r of its own if rows differ in noise. A row of weight s stands for s equal rows,
which adds −½(s−1) log 2πλ − ½ log s. The derivative by y is −a, and
that by the inputs comes with the pullback of the kernel block.
"""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
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

__all__ = [
    "ExactEvidence",
    "exact_evidence",
    "exact_evidence_and_gradient",
    "exact_log_evidence",
]

# Below these sizes threads cost more than they bring: for the kernel blocks, and for LAPACK,
# whose threads wait for each other by spinning.
ROWS_FOR_THREADS = 400
ROWS_FOR_THREADED_LAPACK = 1500


@dataclass(frozen=True)
class ExactEvidence:
    """A log evidence and its derivatives."""

    value: float
    theta: Array  # (q,)
    log_noise: float
    y: Array  # (n, p)
    X: Array | None  # (n, D), if asked for


def exact_evidence_and_gradient(
    kernel: Kernel, rows: Rows, variance: float
) -> tuple[float, Array, float]:
    """Return the log evidence, its gradient by theta and its derivative by log σ²."""
    found = exact_evidence(kernel, rows, variance)
    return found.value, found.theta, found.log_noise


def exact_evidence(
    kernel: Kernel, rows: Rows, variance: float, *, by_inputs: bool = False
) -> ExactEvidence:
    """Return the log evidence with its derivatives, by the inputs if asked for."""
    with _blas_threads(rows):
        return _evidence(kernel, rows, variance, by_inputs)


def exact_log_evidence(kernel: Kernel, rows: Rows, variance: float) -> float:
    """Return the log evidence alone, for a quarter of the time."""
    with _blas_threads(rows):
        parts = _parts(rows)
        K = namespace(rows.X).concat(
            in_shares(lambda part: kernel(rows.X[part, :], rows.X), parts)
        )  # (n, n)
        return _solve(K, rows, variance).value


def _blas_threads(rows: Rows) -> AbstractContextManager[object]:
    return one_blas_thread() if len(rows) < ROWS_FOR_THREADED_LAPACK else nullcontext()


def _parts(rows: Rows) -> list[slice]:
    """Cut the rows into one part a thread."""
    n, many = len(rows), is_numpy(rows.X) and len(rows) >= ROWS_FOR_THREADS
    size = -(-n // (n_threads() if many else 1))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


@dataclass(frozen=True)
class _Solved:
    """C = K + diag(λ/s), factorised."""

    value: float
    L: Array  # (n, n)
    a: Array  # (n, p), C⁻¹y
    scaled: Array  # (n,), s/r
    repeats: float  # Σ (s − 1)


def _solve(K: Array, rows: Rows, variance: float) -> _Solved:
    """Factorise, for a kernel matrix (n, n) that is overwritten."""
    xp = namespace(rows.X)
    n, n_outputs = rows.y.shape
    count = rows.weight
    if count is None:
        count = xp.ones((n,), dtype=rows.X.dtype, device=rows.X.device)
    scaled = count if rows.spread is None else count / rows.spread
    L = safe_cholesky(add_to_diagonal(K, variance / scaled)).L
    a = solve_lower_transposed(L, solve_lower(L, rows.y))  # (n, p)
    log_det = 2.0 * float(xp.sum(xp.log(xp.linalg.diagonal(L))))
    repeats = float(xp.sum(count)) - n
    value = -0.5 * (
        float(xp.sum(a * rows.y))
        + n_outputs * (log_det + n * log(2.0 * pi) + repeats * log(2.0 * pi * variance))
        + n_outputs * float(xp.sum(xp.log(count)))
    )
    if rows.spread is not None:
        value -= 0.5 * n_outputs * float(xp.sum((count - 1.0) * xp.log(rows.spread)))
    return _Solved(value, L, a, scaled, repeats)


def _evidence(kernel: Kernel, rows: Rows, variance: float, by_inputs: bool) -> ExactEvidence:
    xp, n_outputs, parts = namespace(rows.X), rows.y.shape[1], _parts(rows)
    blocks = in_shares(lambda part: kernel.linearise(rows.X[part, :], rows.X), parts)
    solved = _solve(xp.concat([K for K, _ in blocks]), rows, variance)
    value, a = solved.value, solved.a
    # ∂/∂C up to a skew part, which a symmetric change of C does not see
    C_bar = add_product(-n_outputs * half_inverse_from_lower(solved.L), 0.5 * a, a.T)  # (n, n)
    log_noise_bar = variance * float(xp.sum(xp.linalg.diagonal(C_bar) / solved.scaled))
    log_noise_bar -= 0.5 * n_outputs * solved.repeats
    if by_inputs:
        # an input moves a row and a column of C: through the second argument alone, both come
        # from the symmetric part of ∂/∂C, twice
        C_bar = C_bar + C_bar.T
    tasks = [(pullback, part) for (_, pullback), part in zip(blocks, parts, strict=True)]
    pulled = in_shares(lambda task: task[0](C_bar[task[1], :]), tasks)
    theta = sum((by_theta for by_theta, _ in pulled[1:]), pulled[0][0])
    if not by_inputs:
        return ExactEvidence(value, theta, log_noise_bar, -a, None)
    X_bar = sum((by_X for _, by_X in pulled[1:]), pulled[0][1])
    return ExactEvidence(value, 0.5 * theta, log_noise_bar, -a, X_bar)
