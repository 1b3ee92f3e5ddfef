"""The sums over rows (moments) that determine the posterior and the evidence.

A row has features φ, a target y, a weight s (a row of weight s counts s times) and the noise
λ = r σ², or r σ² + d for FITC, with a factor r of its own (one, unless noise differs between rows:
``Rows.noise_factor``); its precision is w = s/λ. The moments are additive over any split of the
rows into blocks, threads and workers.

Features are whitened kernel values, Φ = K L⁻ᵀ, and whitening takes as long as summing. But for FITC
the residual variance of a single row is not needed, so kernel values may be summed first and the
sums whitened once: ΦᵀWΦ = L⁻¹(KᵀWK)L⁻ᵀ. The rounding error is then the largest element of KᵀWK
times ε‖L⁻¹‖², to be compared with the identity that the prior adds. Where it would be too large, as
predicted from some rows or measured afterwards, rows are whitened first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from math import inf, log, pi
from operator import add
from typing import TypeVar

import array_api_compat
import numpy as np

from sparsegp.arrays import (
    Array,
    add_gram,
    full_single,
    in_single,
    in_smaller_parts,
    is_numpy,
    map_shares,
    mirror_lower,
    n_threads,
    namespace,
    or_on_host,
    thread_shares,
    to_numpy,
    zeros_aligned,
)
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import Basis, residual_variances
from sparsegp.model.policy import (
    EPSILON,
    MOST_ROUNDING,
    PREDICTED_ROUNDING,
    ROWS_PER_BASIS_VECTOR,
    ROWS_TO_PREDICT_ROUNDING,
    WIDE_BASIS,
)
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.policy import SMALLEST_BLOCK
from sparsegp.tables.rows import Rows, block_size_for

__all__ = [
    "MomentSum",
    "Moments",
    "RowNoise",
    "at_other_noise",
    "can_whiten_late",
    "collect_moments",
    "least_noise",
    "map_blocks",
    "map_rows",
    "row_noise",
    "row_shares",
    "sum_moments",
    "weighted_targets",
]


Result = TypeVar("Result")


@dataclass(frozen=True)
class RowNoise:
    """Noise of some rows under an approximation."""

    count: Array  # (n,), s
    noise: Array  # (n,), λ
    residual: Array  # (n,), d
    same: float | None  # w, if it is the same for all rows
    noise_factor: Array | None = None  # (n,), r; None means one

    @property
    def precision(self) -> Array:
        """W = s/λ: (n,)."""
        return self.count / self.noise


def row_noise(
    basis: Basis, rows: Rows, Phi: Array, variance: float, rule: Approximation
) -> RowNoise:
    """Return the noise of rows with features Phi under an approximation."""
    residual = residual_variances(basis.kernel, rows.X, Phi)  # (n,)
    return _noise_of(rows, residual, variance, rule)


def _noise_of(rows: Rows, residual: Array, variance: float, rule: Approximation) -> RowNoise:
    xp = namespace(residual)
    ones = xp.ones_like(residual)
    count = ones if rows.weight is None else rows.weight
    own = variance * (ones if rows.noise_factor is None else rows.noise_factor)  # (n,), r σ²
    if rule.in_noise:
        noise = own + xp.clip(residual, 0.0, None)
        return RowNoise(count, noise, residual, None, rows.noise_factor)
    same = 1.0 / variance if rows.weight is None and rows.noise_factor is None else None
    return RowNoise(count, own, residual, same, rows.noise_factor)


@dataclass(frozen=True)
class Moments:
    """Additive statistics of rows; ``a + b`` are those of the union."""

    gram: Array  # (m, m), ΦᵀWΦ
    target: Array  # (m, p), ΦᵀWy
    y_square: float  # Σ w y², over the outputs too
    log_noise: float  # Σ s log(2πλ)
    residual: float  # Σ s d/r; rounding may leave it just below zero
    count: float  # Σ s
    rounding: float = 0.0  # of the Gram matrix, if it was whitened after summation

    def __add__(self, other: "Moments") -> "Moments":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Moments(*(a + b for a, b in pairs))

    def to_host(self) -> "Moments":
        """Return the moments with NumPy arrays, to be sent and added."""
        return replace(self, gram=to_numpy(self.gram), target=to_numpy(self.target))


class MomentSum:
    """Accumulates the moments of blocks in place, in one m×m matrix."""

    def __init__(self, basis: Basis, n_outputs: int) -> None:
        xp = namespace(basis.Z)
        m = basis.Z.shape[0]
        self._gram = zeros_aligned(basis.Z, m, m)  # lower triangle
        self._target = xp.zeros((m, n_outputs), dtype=basis.Z.dtype, device=basis.Z.device)
        # on the device too: a number that the host looks at is a wait
        self._scalars = xp.zeros(4, dtype=basis.Z.dtype, device=basis.Z.device)

    def add(self, rows: Rows, Phi: Array, noise: RowNoise) -> None:
        """Add the rows whose features are Phi (n, k); beyond the first k they are zero."""
        xp, k = namespace(Phi), Phi.shape[1]
        w = noise.precision[:, None]  # (n, 1)
        d = (
            noise.residual if noise.noise_factor is None else noise.residual / noise.noise_factor
        )  # (n,)
        scale = 1.0 if noise.same is None else noise.same
        rooted = Phi if noise.same is not None else Phi * xp.astype(xp.sqrt(w), Phi.dtype)
        target = Phi.T @ xp.astype(w * rows.y, Phi.dtype)  # (k, p)
        if Phi.dtype != self._gram.dtype:  # products in single precision, sums in double
            zeros = xp.zeros((k, k), dtype=Phi.dtype, device=Phi.device)
            self._gram = self._gram + add_gram(zeros, rooted, scale)
            self._target = self._target + target
        elif k == self._gram.shape[0]:
            self._gram = add_gram(self._gram, rooted, scale)
            self._target = self._target + target
        else:
            self._add_leading(rooted, scale, target)
        self._scalars = self._scalars + xp.stack(
            [
                xp.sum(w * rows.y * rows.y),
                xp.sum(noise.count * xp.log(2.0 * pi * noise.noise)),
                xp.sum(noise.count * d),
                xp.sum(noise.count),
            ]
        )

    def _add_leading(self, Phi: Array, scale: float, target: Array) -> None:
        """Add to the first columns, in place where the library allows it."""
        xp, k, m = namespace(Phi), Phi.shape[1], self._gram.shape[0]
        if array_api_compat.is_writeable_array(self._gram):
            part = self._gram[:k, :k]
            more = add_gram(part, Phi, scale)
            if more is not part:
                self._gram[:k, :k] = more
            self._target[:k, :] += target
            return
        like = {"dtype": Phi.dtype, "device": Phi.device}
        Phi = xp.concat((Phi, xp.zeros((Phi.shape[0], m - k), **like)), axis=1)
        target = xp.concat((target, xp.zeros((m - k, target.shape[1]), **like)))
        self._gram, self._target = add_gram(self._gram, Phi, scale), self._target + target

    def total(self) -> Moments:
        """Return the moments of all rows added."""
        return Moments(mirror_lower(self._gram), self._target, *to_numpy(self._scalars).tolist())


def collect_moments(
    basis: Basis,
    rows: AnyRows,
    variance: float,
    rule: Approximation,
    *,
    whiten_first: bool = False,
    single: bool = False,
) -> Moments:
    """Pass once over the rows, block by block; ``whiten_first`` keeps full precision.

    With ``single`` features and their products are in single precision and sums in double
    (``mixed_precision`` says when that is enough).
    """
    of_part = partial(_moments_of_part, variance, rule, whiten_first, len(rows))
    if single:
        of_part = partial(_single_moments, variance, rule)
    if rows.is_out_of_core:
        return rows.reduce(partial(_moments_on_device, of_part, basis), on_device=True)
    return of_part(basis, rows)


def _moments_on_device(
    of_part: Callable[[Basis, Rows], Moments], basis: Basis, rows: Rows
) -> Moments:
    """Collect the moments of a part where its rows are, for a basis on the host."""
    if rows.on_host:
        return of_part(basis, rows)
    return or_on_host(
        lambda: of_part(basis.beside(rows.X), rows).to_host(),
        lambda: of_part(basis, rows.to_host()),
        "a pass over a partition",
    )


def _single_moments(variance: float, rule: Approximation, basis: Basis, rows: Rows) -> Moments:
    """Collect the moments of a part by features in single precision."""
    features = basis.in_single().feature_map()

    def of_share(blocks: Sequence[Rows]) -> Moments:
        total = MomentSum(basis, rows.y.shape[1])
        for block in blocks:
            Phi = features(in_single(block.X))  # (b, m)
            total.add(block, Phi, row_noise(basis, block, Phi, variance, rule))
        return total.total()

    with full_single(rows.X):
        return sum_moments(map_blocks(of_share, rows, basis.Z.shape[0]))


def _moments_of_part(
    variance: float, rule: Approximation, whiten_first: bool, n_rows: int, basis: Basis, rows: Rows
) -> Moments:
    """Collect the moments of a part of ``n_rows``, whose rounding errors add up."""
    if basis.Z is rows.X:
        return _moments_of_basis(basis, rows, variance, rule)
    late = not whiten_first and not rule.in_noise
    if late and _predicted_rounding(basis, rows, variance) * n_rows <= PREDICTED_ROUNDING * len(
        rows
    ):
        total = _late_moments(basis, rows, variance, rule)
        if total.rounding <= MOST_ROUNDING:
            return total
    features = basis.feature_map()

    def of_share(blocks: Sequence[Rows]) -> Moments:
        total = MomentSum(basis, rows.y.shape[1])
        for block in blocks:
            Phi = features(block.X)  # (b, m)
            total.add(block, Phi, row_noise(basis, block, Phi, variance, rule))
        return total.total()

    return sum_moments(map_blocks(of_share, rows, basis.Z.shape[0]))


def _moments_of_basis(basis: Basis, rows: Rows, variance: float, rule: Approximation) -> Moments:
    """Return the moments of rows that are the basis, all of them in its order.

    Their kernel values are K_zz = L Lᵀ, so that Φ = L: neither kernel values nor triangular solves
    are needed, and the first rows have zeros in the last columns.
    """
    total = MomentSum(basis, rows.y.shape[1])
    size = block_size_for(rows.X, basis.Z.shape[0])
    for start in range(0, len(rows), size):
        stop = min(start + size, len(rows))
        block = rows[start:stop]
        Phi = basis.L[start:stop, :stop]  # (b, stop)
        if is_numpy(Phi):
            Phi = np.ascontiguousarray(Phi)
        total.add(block, Phi, row_noise(basis, block, Phi, variance, rule))
    return total.total()


def weighted_targets(basis: Basis, rows: Rows, variance: float, rule: Approximation) -> Array:
    """Return ΦᵀWy (m, p) alone, for targets that are predicted at a known precision.

    Unless the noise of a row depends on its features (FITC), kernel values are summed and whitened
    once.
    """
    values = basis.features if rule.in_noise else basis.kernel.bind_Z(basis.Z)

    def of_block(block: Rows) -> Array:
        V = values(block.X)  # (b, m)
        residual = namespace(V).zeros_like(V[:, 0])
        if rule.in_noise:
            residual = residual_variances(basis.kernel, block.X, V)
        w = _noise_of(block, residual, variance, rule).precision[:, None]
        return V.T @ (w * block.y)

    def of_share(blocks: Sequence[Rows]) -> Array:
        return reduce(add, map(of_block, blocks))

    total = reduce(add, map_blocks(of_share, rows, basis.Z.shape[0]))
    return total if rule.in_noise else basis.factor.divide(total.T).T


def can_whiten_late(
    basis: Basis, rows: AnyRows, variance: float, rule: Approximation, margin: float = 1.0
) -> bool:
    """Tell whether kernel values can be summed before whitening without losing precision."""
    if rule.in_noise or rows.is_out_of_core:
        return False
    return margin * _predicted_rounding(basis, rows, variance) <= PREDICTED_ROUNDING


def _predicted_rounding(basis: Basis, rows: Rows, variance: float) -> float:
    """Predict the rounding error of ΦᵀWΦ from some rows; infinite if no time would be saved."""
    xp, m = namespace(basis.Z), basis.Z.shape[0]
    if m < WIDE_BASIS or len(rows) < ROWS_PER_BASIS_VECTOR * m:
        return inf
    squares = basis.factor.squared_norm_of_inverse
    if squares == inf:
        return inf
    some = rows[:: -(-len(rows) // ROWS_TO_PREDICT_ROUNDING)].by_precision()
    K = basis.kernel(some.X, basis.Z)  # (b, m)
    w = 1.0 / variance if some.weight is None else some.weight[:, None] / variance
    largest = float(xp.max(xp.sum(w * K * K, axis=0)))
    return EPSILON * largest * squares * len(rows) / len(some)


def _late_moments(basis: Basis, rows: Rows, variance: float, rule: Approximation) -> Moments:
    """Sum kernel values, then whiten the sums."""
    values = basis.kernel.bind_Z(basis.Z)

    def of_share(blocks: Sequence[Rows]) -> Moments:
        total = MomentSum(basis, rows.y.shape[1])
        for block in blocks:
            k = basis.kernel.diagonal(block.X)  # (b,), none of it explained yet
            total.add(block, values(block.X), _noise_of(block, k, variance, rule))
        return total.total()

    total = sum_moments(map_blocks(of_share, rows, basis.Z.shape[0]))
    xp = namespace(basis.Z)
    half = basis.factor.divide(total.gram)  # (m, m), KᵀWK L⁻ᵀ
    gram = mirror_lower(basis.factor.divide(half.T))
    return replace(
        total,
        gram=gram,
        target=basis.factor.divide(total.target.T).T,  # (m, p)
        residual=total.residual - variance * float(xp.linalg.trace(gram)),  # less Σ s ‖φ‖²/r
        rounding=EPSILON
        * float(xp.max(xp.linalg.diagonal(total.gram)))
        * basis.factor.squared_norm_of_inverse,
    )


def map_rows(of_block: Callable[[Rows], tuple[Array, ...]], rows: Rows, width: int) -> list[Array]:
    """Apply a function to blocks on all cores; return its arrays in row order."""
    done = map_blocks(lambda blocks: [of_block(block) for block in blocks], rows, width)
    n_blocks = sum(map(len, done))
    in_order = [done[i % len(done)][i // len(done)] for i in range(n_blocks)]
    xp = namespace(rows.X)
    return [xp.concat(parts) for parts in zip(*in_order, strict=True)]


def map_blocks(
    of_share: Callable[[Sequence[Rows]], Result], rows: Rows, width: int
) -> list[Result]:
    """Apply a function to the blocks of each thread; to smaller ones if a device has no room."""
    return in_smaller_parts(lambda parts: map_shares(of_share, row_shares(rows, width, parts)))


def row_shares(rows: Rows, width: int, parts: int = 1) -> list[Sequence[Rows]]:
    """Cut rows into blocks of ``width`` kernel values and deal them to the threads.

    The blocks have one size, and their number is a multiple of the threads. With ``parts`` they are
    that many times smaller.
    """
    threads = n_threads() if is_numpy(rows.X) else 1
    usual = max(1, min(block_size_for(rows.X, width), len(rows)) // parts)
    per_thread = -(-len(rows) // (threads * usual))
    size = max(SMALLEST_BLOCK, -(-len(rows) // (threads * per_thread)))
    return thread_shares(list(rows.blocks(size)), threads)


def sum_moments(parts: Sequence[Moments]) -> Moments:
    """Return the moments of the union of several sets of rows."""
    return reduce(add, parts)


def at_other_noise(moments: Moments, old: float, new: float) -> Moments:
    """Return the moments at another noise variance, without a pass over the rows.

    Only for approximations whose noise is the same for every row (all but FITC).
    """
    ratio = old / new
    return Moments(
        moments.gram * ratio,
        moments.target * ratio,
        moments.y_square * ratio,
        moments.log_noise - moments.count * log(ratio),
        moments.residual,
        moments.count,
        moments.rounding * ratio,
    )


def least_noise(moments: Moments, variance: float) -> float:
    """Return the least noise variance at which ``at_other_noise`` is still precise."""
    return variance * moments.rounding / MOST_ROUNDING
