"""The exact Gaussian process of a small set of rows: log marginal likelihood and gradient.

With C = K + diag(λ/s), a = C⁻¹y: log N(y | 0, C) and ∂/∂C = ½(aaᵀ − C⁻¹). The noise λ of a row is
σ², times a factor r of its own if noise differs between rows. A row of weight s stands for s equal
rows, which adds −½(s−1) log 2πλ − ½ log s. The derivative by y is −a; that by the inputs follows
from the pullback of the kernel block.

With ``quick=True``, for hyperparameter searches, kernel values, the factor of C and the pullback
are in single precision if the noise is large enough, in half of the time. Distances and a stay in
double precision (a by iterative refinement).
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from math import log, pi
from typing import TypeVar

import numpy as np

from sparsegp.arrays import (
    Array,
    add_product,
    add_to_diagonal,
    factorise_lower,
    inverse_from_lower,
    invert_factor,
    invert_triangle,
    is_ndarray,
    is_numpy,
    n_threads,
    namespace,
    one_blas_thread,
    parallel_map,
    safe_cholesky,
    solve_by_factor,
    solve_by_inverse,
    solve_lower,
    solve_lower_transposed,
    square_inverse,
)
from sparsegp.kernels.base import Kernel, Pullback
from sparsegp.model.policy import (
    LEAST_NOISE_FOR_SINGLE,
    LEAST_NOISE_TO_INVERT,
    ROWS_FOR_SINGLE,
    ROWS_FOR_THREADS,
    ROWS_OF_BLOCK,
    SIZE_OF_BLOCK,
)
from sparsegp.tables.rows import Rows

__all__ = [
    "ExactEvidence",
    "exact_evidence",
    "exact_evidence_and_gradient",
    "exact_log_evidence",
]

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class ExactEvidence:
    """A log evidence and its derivatives."""

    value: float
    theta: Array  # (q,)
    log_noise: float
    y: Array  # (n, p)
    X: Array | None  # (n, D), with ``by_inputs``


def exact_evidence_and_gradient(
    kernel: Kernel, rows: Rows, variance: float, *, quick: bool = False
) -> tuple[float, Array, float]:
    """Return the log evidence, its gradient by theta and its derivative by log σ²."""
    found = exact_evidence(kernel, rows, variance, quick=quick)
    return found.value, found.theta, found.log_noise


def exact_evidence(
    kernel: Kernel, rows: Rows, variance: float, *, by_inputs: bool = False, quick: bool = False
) -> ExactEvidence:
    """Return the log evidence and its derivatives; by the inputs if ``by_inputs``."""
    precision = _precision(kernel, rows, variance, quick)
    with _threads(rows):
        return _evidence(kernel, rows, variance, by_inputs, precision)


def exact_log_evidence(
    kernel: Kernel, rows: Rows, variance: float, *, quick: bool = False
) -> float:
    """Return the log evidence alone, in less than half of the time."""
    precision = _precision(kernel, rows, variance, quick)
    with _threads(rows):
        blocks, X = _blocks(rows, whole=False), _inputs(rows, precision)
        K = _Values(blocks, _map_blocks(lambda b: kernel(*b.of(X)), blocks))
        return _solve(K, kernel, rows, variance, precision, invert=False).value


def _threads(rows: Rows) -> AbstractContextManager[object]:
    return one_blas_thread() if len(rows) < ROWS_FOR_THREADS else nullcontext()


@dataclass(frozen=True)
class _Block:
    """Rows and columns of a symmetric matrix."""

    rows: slice
    columns: slice

    def of(self, X: Array) -> tuple[Array, Array]:
        """Return the inputs of both."""
        return X[self.rows, :], X[self.columns, :]


def _blocks(rows: Rows, *, whole: bool) -> list[_Block]:
    """Cut the whole matrix, or its lower triangle, into blocks of rows."""
    n = len(rows)
    height = max(ROWS_OF_BLOCK, SIZE_OF_BLOCK // n) if is_numpy(rows.X) else n
    ends = [(start, min(start + height, n)) for start in range(0, n, height)]
    return [_Block(slice(a, b), slice(0, n if whole else b)) for a, b in ends]


def _map_blocks(work: Callable[[Item], Result], blocks: Sequence[Item]) -> list[Result]:
    """Apply ``work`` to all blocks in threads, longest blocks first."""
    return parallel_map(work, blocks[::-1], n_threads())[::-1]


def _count(rows: Rows) -> Array:
    """Return the weights s: (n,)."""
    X = rows.X
    if rows.weight is not None:
        return rows.weight
    return namespace(X).ones((len(rows),), dtype=X.dtype, device=X.device)


def _precision(kernel: Kernel, rows: Rows, variance: float, quick: bool) -> type:
    """Return the precision that C is factorised in."""
    if not quick or len(rows) < ROWS_FOR_SINGLE or not is_numpy(rows.X):
        return np.float64
    ratio = (1.0 if rows.noise_factor is None else rows.noise_factor) / _count(rows)  # (n,), r/s
    prior = float(np.mean(kernel.diagonal(rows.X)))
    enough = variance * float(np.min(ratio)) > LEAST_NOISE_FOR_SINGLE * prior
    return np.float32 if enough else np.float64


def _inputs(rows: Rows, precision: type) -> Array:
    """Return the inputs in the precision that C is factorised in."""
    return rows.X.astype(np.float32) if precision is np.float32 else rows.X


@dataclass(frozen=True)
class _Values:
    """K (n, n) in blocks of rows; with NumPy only its lower triangle is valid."""

    blocks: Sequence[_Block]
    parts: Sequence[Array]

    def assembled(self, precision: type) -> Array:
        """Return the matrix, a copy."""
        if not is_ndarray(self.parts[0]):
            return namespace(self.parts[0]).concat(self.parts)
        n = self.blocks[-1].rows.stop
        K: Array = np.zeros((n, n), dtype=precision)
        for block, part in zip(self.blocks, self.parts, strict=True):
            end = block.rows.stop
            K[block.rows, :end] = part[:, :end]
        return K

    def times(self, a: Array) -> Array:
        """Return K a for a (n, p), in double precision even if K is stored in single."""
        total = np.zeros_like(a)
        for block, part in zip(self.blocks, self.parts, strict=True):
            start, end = block.rows.start, block.rows.stop
            total[block.rows] += part[:, :end] @ a[:end]
            total[:start] += part[:, :start].T @ a[block.rows]
        return total


@dataclass(frozen=True)
class _Solved:
    """C = K + diag(λ/s), factorised."""

    value: float
    factor: "_Factor"
    a: Array  # (n, p), C⁻¹y
    scaled: Array  # (n,), s/r
    repeats: float  # Σ (s − 1)


@dataclass(frozen=True)
class _Factor:
    """C = L Lᵀ by its factor L, or by L⁻¹; elements above the diagonal are ignored."""

    triangle: Array  # (n, n)
    inverted: bool
    in_place: bool  # by BLAS, in NumPy; else by the library of the rows

    @property
    def log_det(self) -> float:
        """Of C."""
        xp = namespace(self.triangle)
        half = float(xp.sum(xp.log(xp.linalg.diagonal(self.triangle)), dtype=xp.float64))
        return -2.0 * half if self.inverted else 2.0 * half

    def solve(self, y: Array) -> Array:
        """Return C⁻¹y for y (n, p)."""
        if not self.in_place:
            return solve_lower_transposed(self.triangle, solve_lower(self.triangle, y))
        solve = solve_by_inverse if self.inverted else solve_by_factor
        return np.asarray(solve(self.triangle, y), dtype=np.float64)

    def inverse(self) -> Array:
        """Return C⁻¹ (n, n), with NumPy its lower triangle; overwrites the factor."""
        if not self.in_place:
            return inverse_from_lower(self.triangle)
        if not self.inverted:
            invert_triangle(self.triangle)
        square_inverse(self.triangle)
        return self.triangle


def _solve(
    K: _Values, kernel: Kernel, rows: Rows, variance: float, precision: type, *, invert: bool
) -> _Solved:
    """Factorise C and solve for the targets, with one refinement step in single precision."""
    xp = namespace(rows.X)
    n, n_outputs = rows.y.shape
    count = _count(rows)
    scaled = count if rows.noise_factor is None else count / rows.noise_factor
    noise = variance / scaled  # (n,)
    factor = _factorised(K.assembled(precision), kernel, rows, noise, invert=invert)
    a = factor.solve(rows.y)  # (n, p)
    if precision is np.float32:
        a = a + factor.solve(rows.y - K.times(a) - noise[:, None] * a)
    repeats = float(xp.sum(count)) - n
    value = -0.5 * (
        float(xp.sum(a * rows.y))
        + n_outputs * (factor.log_det + n * log(2.0 * pi) + repeats * log(2.0 * pi * variance))
        + n_outputs * float(xp.sum(xp.log(count)))
    )
    if rows.noise_factor is not None:
        value -= 0.5 * n_outputs * float(xp.sum((count - 1.0) * xp.log(rows.noise_factor)))
    return _Solved(value, factor, a, scaled, repeats)


def _factorised(K: Array, kernel: Kernel, rows: Rows, noise: Array, *, invert: bool) -> _Factor:
    """Factorise K + diag(noise), in place if it needs no jitter."""
    if not is_numpy(rows.X):
        L = safe_cholesky(add_to_diagonal(K, noise)).L
        return _Factor(L, inverted=False, in_place=False)
    K[np.diag_indices_from(K)] += noise  # in the precision of K
    invert = invert and float(np.min(noise)) > LEAST_NOISE_TO_INVERT * float(K.trace()) / len(K)
    if (invert_factor if invert else factorise_lower)(K):
        return _Factor(K, inverted=invert, in_place=True)
    again = add_to_diagonal(kernel(rows.X, rows.X), noise)
    L = np.ascontiguousarray(safe_cholesky(again).L)
    return _Factor(L, inverted=False, in_place=True)


def _evidence(
    kernel: Kernel, rows: Rows, variance: float, by_inputs: bool, precision: type
) -> ExactEvidence:
    """Compute value and gradient.

    With W = aaᵀ − p·C⁻¹ the derivative by C is W/2. W is symmetric, so that one triangle is enough
    for all but the inputs, each of which changes a row and a column of C: the pullback through the
    second argument gives the derivative by both from the whole of W.
    """
    xp, n_outputs = namespace(rows.X), rows.y.shape[1]
    whole = by_inputs or not is_numpy(rows.X)
    blocks, X = _blocks(rows, whole=whole), _inputs(rows, precision)
    linear = _map_blocks(lambda block: kernel.vjp(*block.of(X)), blocks)
    K = _Values(blocks, [part for part, _ in linear])
    solved = _solve(K, kernel, rows, variance, precision, invert=True)
    value, a, inverse = solved.value, solved.a, solved.factor.inverse()
    squares = xp.sum(a * a, axis=1) - n_outputs * xp.linalg.diagonal(inverse)  # (n,)
    log_noise_bar = 0.5 * variance * float(xp.sum(squares / solved.scaled))
    log_noise_bar -= 0.5 * n_outputs * solved.repeats
    factor = xp.astype(a, inverse.dtype, copy=False)  # (n, p), of the outer product
    from_lower = by_inputs and is_numpy(rows.X)  # complete rows of a matrix stored as a triangle

    def pulled_back(task: tuple[_Block, Pullback]) -> tuple[Array, Array]:
        block, pullback = task
        W = _complete_rows(inverse, block) if from_lower else inverse[block.rows, block.columns]
        W = add_product(-float(n_outputs) * W, factor[block.rows, :], factor[block.columns, :].T)
        if not whole:
            _keep_lower(W)
        by_theta, by_Z = pullback(W)
        return xp.astype(by_theta, a.dtype, copy=False), xp.astype(by_Z, a.dtype, copy=False)

    tasks = [(block, pullback) for block, (_, pullback) in zip(blocks, linear, strict=True)]
    gradients = _map_blocks(pulled_back, tasks)
    theta = sum((by_theta for by_theta, _ in gradients[1:]), gradients[0][0])
    theta = 0.5 * theta if whole else theta
    X_bar = sum((by_X for _, by_X in gradients[1:]), gradients[0][1]) if by_inputs else None
    return ExactEvidence(value, theta, log_noise_bar, -a, X_bar)


def _complete_rows(lower: Array, block: _Block) -> Array:
    """Return rows of a symmetric matrix of which the lower triangle is stored: (b, n)."""
    start, stop = block.rows.start, block.rows.stop
    before, own, after = lower[block.rows, :start], lower[block.rows, block.rows], lower[stop:]
    half = own * _lower_half(stop - start, own.dtype)
    return np.concatenate((before, half + half.T, after[:, block.rows].T), axis=1)


def _keep_lower(W: Array) -> None:
    """Halve the diagonal of rows of a triangle, and zero the elements above it."""
    height, width = W.shape
    W[:, width - height :] *= _lower_half(height, W.dtype)


@cache
def _lower_half(size: int, dtype: type) -> Array:
    """Return ones below the diagonal, halves on it and zeros above: (size, size)."""
    return (np.tri(size) - 0.5 * np.eye(size)).astype(dtype)
