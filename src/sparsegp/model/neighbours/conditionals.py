"""The density of rows given their nearest neighbours, and its gradient.

For row i with neighbours N, kernel k and noise λ = r σ²/s of each row (r σ² of row i itself),

    S = K_NN + diag(λ_N),   a = S⁻¹ k_Ni,   d = k_ii + λ_i − aᵀ k_Ni,   e = y_i − aᵀ y_N,

    log p(y_i | y_N) = −½ [log 2πd + e²/d].

With neighbours among all other rows the mean over rows is a leave-one-out density at the resolution
of the whole table; a random sample of rows estimates it. With c = S⁻¹ y_N and the derivatives
g_d, g_e of the log density by d and e,

    k̄ = −g_e c − 2 g_d a,   S̄ = g_e a cᵀ + g_d a aᵀ,   k̄_ii = λ̄_i = g_d,   λ̄_N = diag S̄.

Several outputs share kernel and noise; their densities add up.
"""

from dataclasses import dataclass
from functools import reduce
from math import log, pi
from operator import add

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, n_threads, namespace, parallel_map, take
from sparsegp.kernels.base import Kernel
from sparsegp.model.neighbours.policy import BATCH_VALUES
from sparsegp.tables.rows import Rows

__all__ = ["ConditionalDensity", "conditional_density", "noise_ratio"]

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class ConditionalDensity:
    """Σ_i s_i log p(y_i | y_N(i)) over some rows, its derivatives, and what it is made of."""

    value: float
    theta: Array  # (t,), derivative by the kernel's theta
    log_noise: float  # derivative by log σ²
    error: Array  # (b, p), e
    variance: Array  # (b,), d

    def __add__(self, other: "ConditionalDensity") -> "ConditionalDensity":
        """Return that of both sets of rows, the other ones after these."""
        xp = namespace(self.error)
        return ConditionalDensity(
            self.value + other.value,
            self.theta + other.theta,
            self.log_noise + other.log_noise,
            xp.concat((self.error, other.error)),
            xp.concat((self.variance, other.variance)),
        )


def conditional_density(
    kernel: Kernel, rows: Rows, chosen: Indices, neighbours: Indices, variance: float
) -> ConditionalDensity:
    """Return the density of ``chosen`` rows (b,) given their ``neighbours`` (b, k).

    ``variance`` is the noise variance σ². Blocks of rows run on all cores; how rows are cut into
    blocks changes the result by rounding alone.
    """
    k = neighbours.shape[1]
    size = max(1, BATCH_VALUES // ((k + 1) * (k + rows.X.shape[1])))
    batches = [slice(start, start + size) for start in range(0, len(chosen), size)]

    def of_batch(batch: slice) -> ConditionalDensity:
        return _of_batch(kernel, rows, chosen[batch], neighbours[batch], variance)

    return reduce(add, parallel_map(of_batch, batches, n_threads()))


def _of_batch(
    kernel: Kernel, rows: Rows, chosen: Indices, neighbours: Indices, variance: float
) -> ConditionalDensity:
    xp = namespace(rows.X)
    b, k = neighbours.shape
    block = np.concatenate((neighbours, chosen[:, None]), axis=1)  # (b, k + 1), the row itself last
    X = xp.reshape(take(rows.X, block.ravel()), (b, k + 1, rows.X.shape[1]))
    y = xp.reshape(take(rows.y, block.ravel()), (b, k + 1, rows.y.shape[1]))  # (b, k + 1, p)
    noise = variance * xp.reshape(noise_ratio(rows, block.ravel()), (b, k + 1))  # λ
    weight = xp.ones((b,), dtype=X.dtype, device=X.device)
    if rows.weight is not None:
        weight = take(rows.weight, chosen)
        noise[:, k] *= weight  # the density of one observation, counted s times
    K, pullback = kernel.batched_vjp(X, X[:, :k, :])  # (b, k + 1, k)
    k_ni = K[:, k, :, None]  # (b, k, 1)
    S = xp.reshape(xp.asarray(K[:, :k, :], copy=True), (b, k * k))
    S[:, :: k + 1] += noise[:, :k]  # the diagonals
    S = xp.reshape(S, (b, k, k))
    solved = xp.linalg.solve(S, xp.concat((k_ni, y[:, :k, :]), axis=2))  # (b, k, 1 + p)
    a, c = solved[:, :, :1], solved[:, :, 1:]
    own = xp.reshape(kernel.diagonal(X[:, k, :]), (b,)) + noise[:, k]
    d = own - xp.sum(a * k_ni, axis=(1, 2))  # (b,)
    d = xp.maximum(d, noise[:, k])  # rounding must not take the noise itself
    e = y[:, k, :] - xp.sum(k_ni * c, axis=1)  # (b, p)
    p = e.shape[1]
    square = xp.sum(e * e, axis=1)
    value = -0.5 * (p * (xp.log(d) + log(2.0 * pi)) + square / d)  # (b,)
    g_d = 0.5 * weight * (square / d - p) / d  # (b,)
    g_e = -weight[:, None] * e / d[:, None]  # (b, p)
    k_bar = -xp.sum(g_e[:, None, :] * c, axis=2) - 2.0 * g_d[:, None] * a[:, :, 0]  # (b, k)
    along = xp.sum(g_e[:, None, :] * c, axis=2) + g_d[:, None] * a[:, :, 0]  # (b, k)
    K_bar = xp.empty_like(K)  # (b, k + 1, k): S̄, k̄
    K_bar[:, :k, :] = a * along[:, None, :]
    K_bar[:, k, :] = k_bar
    by_noise = g_d * noise[:, k] + xp.sum(a[:, :, 0] * along * noise[:, :k], axis=1)  # (b,)
    theta = pullback(K_bar) + kernel.pull_diagonal(X[:, k, :], g_d)
    return ConditionalDensity(float(xp.sum(weight * value)), theta, float(xp.sum(by_noise)), e, d)


def noise_ratio(rows: Rows, indices: Indices) -> Array:
    """Return r/s (b,): the noise variance of rows over σ²; a row of weight s is the mean of s."""
    xp = namespace(rows.X)
    ratio = xp.ones((len(indices),), dtype=rows.X.dtype, device=rows.X.device)
    if rows.noise_factor is not None:
        ratio = take(rows.noise_factor, indices)
    if rows.weight is not None:
        ratio = ratio / take(rows.weight, indices)
    return ratio
