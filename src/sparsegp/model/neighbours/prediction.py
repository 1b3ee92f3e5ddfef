"""Predictions of a sparse posterior, corrected by the nearest training rows.

The basis explains Φw of f; r = f − Φw has the covariance R = K − ΦΦᵀ. FITC takes r to be
independent from row to row. At a new input x with neighbours N among the training rows and
S = R_NN + diag(λ_N),

    a = S⁻¹ R_Nx,   φ̃ = φ − Φ_Nᵀa,   d = R_xx − aᵀR_Nx,
    mean f = φᵀβ + aᵀ(y_N − Φ_N β),
    variance f = d + φ̃ᵀB⁻¹φ̃,

with β, B those of FITC's posterior. Without neighbours this is FITC; with every row in the basis R
vanishes and it is the exact process. (Full-scale approximation with inducing points and Vecchia:
Sang & Huang 2012; Gyger, Furrer & Sigrist 2024.)

The errors of the corrections at two inputs x and x′ have the covariance

    E = R_xx′ − aᵀR_Nx′ − R_xN′ a′ + aᵀ(R_NN′ + λ) a′,

with λ where N and N′ share a row: with φ̃ᵀB⁻¹φ̃′ it is that of f and f′, and d on its diagonal.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import (
    Array,
    add_to_diagonals,
    is_numpy,
    n_threads,
    namespace,
    parallel_map,
    row_sums_of_squares,
    take,
    to_numpy,
)
from sparsegp.arrays.placement import beside
from sparsegp.kernels.base import Kernel
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import Basis
from sparsegp.model.neighbours.conditionals import noise_ratio
from sparsegp.model.neighbours.policy import (
    BATCH_VALUES,
    BATCH_VALUES_ON_DEVICE,
    FEATURE_VALUES,
    FEATURE_VALUES_ON_DEVICE,
)
from sparsegp.model.neighbours.search import NeighbourSearch
from sparsegp.model.posterior import Posterior, positive_part
from sparsegp.tables.rows import Rows, block_size_for

__all__ = ["Correction", "NeighbourPosterior"]

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Correction:
    """What the neighbours make of the prediction of some rows by the basis."""

    mean: Array  # (n, p), of f
    left: Array  # (n,), d ≥ 0: the variance that neither basis nor neighbours explain
    Phi: Array  # (n, m), φ
    rest: Array  # (n, m), φ̃: what the neighbours leave to the weights
    a: Array  # (n, k)


@dataclass(frozen=True)
class NeighbourPosterior:
    """A sparse posterior and the training rows that correct it."""

    posterior: Posterior  # of FITC, with factors on both parts of the variance
    rows: Rows  # training rows, transformed as the posterior's were
    variance: float  # of the noise, σ²
    k: int

    @property
    def basis(self) -> Basis:
        """The basis of the posterior."""
        return self.posterior.basis

    @property
    def rule(self) -> Approximation:
        """The approximation of the posterior."""
        return self.posterior.rule

    @property
    def Z(self) -> Array:
        """The basis inputs: (m, D)."""
        return self.posterior.Z

    @property
    def alpha(self) -> Array:
        """Weights of the kernel columns: (m, p)."""
        return self.posterior.alpha

    @cached_property
    def search(self) -> NeighbourSearch:
        """The search for neighbours, prepared at the first prediction."""
        return NeighbourSearch(self.basis.kernel, self.rows.X)

    def mean(self, X: Array) -> Array:
        """Return E f: (n, p)."""
        return self.mean_and_variance(X)[0]

    def mean_and_variance(self, X: Array) -> tuple[Array, Array]:
        """Return E f (n, p) and Var f (n,)."""
        posterior = self.posterior

        def of_part(found: Correction) -> tuple[Array, Array]:
            explained = row_sums_of_squares(posterior.precision.divide(found.rest))
            return found.mean, posterior.sum_of_parts(found.left, explained)

        parts = [of_part(part) for part in self.corrections(X, self.search.nearest(X, self.k))]
        xp = namespace(X)
        return xp.concat([mean for mean, _ in parts]), xp.concat([v for _, v in parts])

    def mean_and_covariance(self, X: Array) -> tuple[Array, Array]:
        """Return the mean (n, p) and the covariance (n, n) of f."""
        xp, near = namespace(X), self.search.nearest(X, self.k)
        parts = list(self.corrections(X, near))
        rest = self.posterior.precision.divide(xp.concat([part.rest for part in parts]))
        left = self._error_covariance(
            X,
            near,
            xp.concat([part.Phi for part in parts]),
            xp.concat([part.a for part in parts]),
        )
        covariance = self.posterior.weight_scale * (rest @ rest.T)
        covariance = covariance + self.posterior.residual_scale * positive_part(left)
        return xp.concat([part.mean for part in parts]), 0.5 * (covariance + covariance.T)

    def corrections(self, X: Array, near: Indices) -> Iterator[Correction]:
        """Yield the corrections of rows by their neighbours (n, k), some rows at a time."""
        values = FEATURE_VALUES if is_numpy(X) else FEATURE_VALUES_ON_DEVICE
        groups = _groups(near, values // max(self.Z.shape[0], 1))
        for group in groups:
            yield from self._of_group(X[group, :], near[group])

    def _of_group(self, X: Array, near: Indices) -> list[Correction]:
        """Correct rows whose neighbours' features fit into memory: each is whitened once."""
        used, place = _different(near)
        own = len(used) + np.arange(len(near))  # the rows themselves come after the neighbours
        place = np.concatenate((place, own[:, None]), axis=1)  # (b, k + 1)
        both = _Whitened.of(self.rows.take(used), X, self.posterior, self.variance)
        m, n_places = self.Z.shape[0], place.shape[1]
        values = BATCH_VALUES if is_numpy(X) else BATCH_VALUES_ON_DEVICE
        batches = _slices(len(near), max(1, values // max(n_places * (m + n_places), 1)))

        def of_batch(batch: slice) -> Correction:
            return _correct(self.posterior, both, place[batch])

        return parallel_map(of_batch, batches, n_threads() if is_numpy(X) else 1)

    def _error_covariance(self, X: Array, near: Indices, Phi: Array, a: Array) -> Array:
        """Return E (n, n), in blocks of the neighbours."""
        kernel = self.basis.kernel
        used, place = _different(near)
        others = _Whitened.of(self.rows.take(used), X[:0, :], self.posterior, self.variance)
        A = np.zeros((len(near), len(used)))  # (n, u), sparse
        np.put_along_axis(A, place, to_numpy(a), axis=1)
        A = beside(A, like=X)
        E = kernel(X, X) - Phi @ Phi.T
        for block in _slices(len(used), block_size_for(X, len(used))):
            R_nx = kernel(others.X[block, :], X) - others.Phi[block, :] @ Phi.T  # (b, n)
            R_nn = kernel(others.X[block, :], others.X) - others.Phi[block, :] @ others.Phi.T
            E = E - A[:, block] @ R_nx - (A[:, block] @ R_nx).T
            E = E + A[:, block] @ (R_nn @ A.T + others.noise[block, :] * A[:, block].T)
        return E


@dataclass(frozen=True)
class _Whitened:
    """What a prediction needs of some training rows and, after them, of rows to be predicted."""

    X: Array  # (u + b, D)
    Phi: Array  # (u + b, m), whitened features
    residual: Array  # (u, p), y − Φβ
    noise: Array  # (u, 1), λ

    @classmethod
    def of(cls, rows: Rows, X: Array, posterior: Posterior, variance: float) -> "_Whitened":
        xp, m, u = namespace(rows.X), posterior.Z.shape[0], len(rows)
        X = xp.concat((rows.X, X))
        features = parallel_map(
            lambda block: posterior.basis.features(X[block, :]),
            _slices(X.shape[0], block_size_for(X, m)),
            n_threads() if rows.on_host else 1,
        )
        Phi = xp.concat(features) if features else xp.zeros((0, m), dtype=X.dtype, device=X.device)
        noise = variance * noise_ratio(rows, np.arange(u))
        return cls(X, Phi, rows.y - Phi[:u, :] @ posterior.beta, noise[:, None])


def _correct(posterior: Posterior, both: _Whitened, place: Indices) -> Correction:
    """Correct the prediction of a few rows: places (b, k + 1) of their neighbours and their own."""
    xp, k, kernel = namespace(both.X), place.shape[1] - 1, posterior.basis.kernel
    X, Phi_near = _gather(both.X, place), _gather(both.Phi, place)  # (b, k + 1, D), (b, k + 1, m)
    R = _batched(kernel, X, X[:, :k, :])  # (b, k + 1, k), R_NN over R_xN
    R -= Phi_near @ xp.matrix_transpose(Phi_near[:, :k, :])
    R_nx = R[:, k, :, None]  # (b, k, 1)
    noise = _gather(both.noise, place[:, :k])  # (b, k, 1)
    a = xp.linalg.solve(add_to_diagonals(R[:, :k, :], noise[:, :, 0]), R_nx)  # (b, k, 1)
    Phi = xp.asarray(Phi_near[:, k, :], copy=True)  # (b, m), a view would keep all of Phi_near
    residual = _gather(both.residual, place[:, :k])  # (b, k, p)
    mean = Phi @ posterior.beta + xp.sum(a * residual, axis=1)  # (b, p)
    own = kernel.diagonal(X[:, k, :]) - row_sums_of_squares(Phi)  # (b,), R_xx
    left = xp.clip(own - xp.sum(a * R_nx, axis=(1, 2)), 0.0, None)
    rest = Phi - (xp.matrix_transpose(a) @ Phi_near[:, :k, :])[:, 0, :]  # (b, m)
    return Correction(mean, left, Phi, rest, a[:, :, 0])


def _batched(kernel: Kernel, X: Array, Z: Array) -> Array:
    return kernel.batched_vjp(X, Z)[0]


def _groups(near: Indices, most: int) -> list[slice]:
    """Cut rows into groups of at most this number of rows, their different neighbours included."""
    k = near.shape[1]

    def cut(start: int, stop: int) -> list[slice]:
        n = stop - start
        if n < 2 or n * (k + 1) <= most or n + np.count_nonzero(_marked(near[start:stop])) <= most:
            return [slice(start, stop)]
        middle = (start + stop) // 2
        return cut(start, middle) + cut(middle, stop)

    return cut(0, len(near))


def _marked(near: Indices) -> Array:
    """Return which rows are among some, up to the last of them."""
    marked = np.zeros(int(np.max(near, initial=-1)) + 1, dtype=bool)
    marked[near] = True
    return marked


def _different(near: Indices) -> tuple[Indices, Indices]:
    """Return the different ones of some rows (b, k), in order, and the place of each among them.

    As by ``np.unique``, without sorting.
    """
    marked = _marked(near)
    used = np.flatnonzero(marked)
    place = np.empty(len(marked), dtype=np.intp)
    place[used] = np.arange(len(used))
    return used, place[near]


def _slices(n: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _gather(values: Array, place: Indices) -> Array:
    """Return the lines of values (u, F) at places (b, k): (b, k, F)."""
    xp = namespace(values)
    return xp.reshape(take(values, place.ravel()), (*place.shape, values.shape[1]))
