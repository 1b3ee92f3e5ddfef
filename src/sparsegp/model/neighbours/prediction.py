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

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import (
    Array,
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

    def corrections(self, X: Array, near: Indices) -> "list[Correction]":
        """Return the corrections of rows by their neighbours (n, k), a group of rows each."""
        values = FEATURE_VALUES if is_numpy(X) else FEATURE_VALUES_ON_DEVICE
        groups = _groups(near, values // max(self.Z.shape[0], 1))
        return [part for group in groups for part in self._of_group(X[group, :], near[group])]

    def _of_group(self, X: Array, near: Indices) -> list[Correction]:
        """Correct rows whose neighbours' features fit into memory: each is whitened once."""
        used, place = np.unique(near, return_inverse=True)
        place = place.reshape(near.shape)
        neighbours = _Neighbours.of(self.rows.take(used), self.posterior, self.variance)
        (b, k), m = near.shape, self.Z.shape[0]
        values = BATCH_VALUES if is_numpy(X) else BATCH_VALUES_ON_DEVICE
        batches = _slices(b, max(1, values // max((k + 1) * (m + k), 1)))

        def of_batch(batch: slice) -> Correction:
            return _correct(self.posterior, X[batch, :], neighbours, place[batch])

        return parallel_map(of_batch, batches, n_threads() if is_numpy(X) else 1)

    def _error_covariance(self, X: Array, near: Indices, Phi: Array, a: Array) -> Array:
        """Return E (n, n), in blocks of the neighbours."""
        kernel = self.basis.kernel
        used, place = np.unique(near, return_inverse=True)
        others = _Neighbours.of(self.rows.take(used), self.posterior, self.variance)
        A = np.zeros((len(near), len(used)))  # (n, u), sparse
        np.put_along_axis(A, place.reshape(near.shape), to_numpy(a), axis=1)
        A = beside(A, like=X)
        E = kernel(X, X) - Phi @ Phi.T
        for block in _slices(len(used), block_size_for(X, len(used))):
            R_nx = kernel(others.X[block, :], X) - others.Phi[block, :] @ Phi.T  # (b, n)
            R_nn = kernel(others.X[block, :], others.X) - others.Phi[block, :] @ others.Phi.T
            E = E - A[:, block] @ R_nx - (A[:, block] @ R_nx).T
            E = E + A[:, block] @ (R_nn @ A.T + others.noise[block, :] * A[:, block].T)
        return E


@dataclass(frozen=True)
class _Neighbours:
    """What a prediction needs of the training rows that are neighbours of some row."""

    X: Array  # (u, D)
    Phi: Array  # (u, m), whitened features
    residual: Array  # (u, p), y − Φβ
    noise: Array  # (u, 1), λ

    @classmethod
    def of(cls, rows: Rows, posterior: Posterior, variance: float) -> "_Neighbours":
        xp, m = namespace(rows.X), posterior.Z.shape[0]
        blocks = _slices(len(rows), block_size_for(rows.X, m))
        features = parallel_map(
            lambda block: posterior.basis.features(rows.X[block, :]),
            blocks,
            n_threads() if rows.on_host else 1,
        )
        nothing = xp.zeros((0, m), dtype=rows.X.dtype, device=rows.X.device)
        Phi = xp.concat(features) if features else nothing
        noise = variance * noise_ratio(rows, np.arange(len(rows)))
        return cls(rows.X, Phi, rows.y - Phi @ posterior.beta, noise[:, None])


def _correct(posterior: Posterior, X: Array, others: _Neighbours, place: Indices) -> Correction:
    """Correct the prediction of a few rows by the neighbours at these places: (b, k)."""
    xp, basis = namespace(X), posterior.basis
    Phi, Phi_near = basis.features(X), _gather(others.Phi, place)  # (b, m), (b, k, m)
    X_near = _gather(others.X, place)  # (b, k, D)
    S = _batched(basis.kernel, X_near, X_near)  # (b, k, k)
    S -= Phi_near @ xp.matrix_transpose(Phi_near)
    S += _gather(others.noise, place) * xp.eye(place.shape[1], dtype=X.dtype, device=X.device)
    R_nx = _batched(basis.kernel, X_near, X[:, None, :]) - Phi_near @ Phi[:, :, None]
    a = xp.linalg.solve(S, R_nx)  # (b, k, 1)
    mean = Phi @ posterior.beta + xp.sum(a * _gather(others.residual, place), axis=1)  # (b, p)
    own = basis.kernel.diagonal(X) - row_sums_of_squares(Phi)  # (b,), R_xx
    left = xp.clip(own - xp.sum(a * R_nx, axis=(1, 2)), 0.0, None)
    rest = Phi - (xp.matrix_transpose(a) @ Phi_near)[:, 0, :]  # (b, m)
    return Correction(mean, left, Phi, rest, a[:, :, 0])


def _batched(kernel: Kernel, X: Array, Z: Array) -> Array:
    return kernel.batched_vjp(X, Z)[0]


def _groups(near: Indices, most: int) -> list[slice]:
    """Cut rows into groups that have this number of different neighbours at most."""
    k = near.shape[1]

    def cut(start: int, stop: int) -> list[slice]:
        few = stop - start < 2 or (stop - start) * k <= most
        if few or len(np.unique(near[start:stop])) <= most:
            return [slice(start, stop)]
        middle = (start + stop) // 2
        return cut(start, middle) + cut(middle, stop)

    return cut(0, len(near))


def _slices(n: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def _gather(values: Array, place: Indices) -> Array:
    """Return the lines of values (u, F) at places (b, k): (b, k, F)."""
    xp = namespace(values)
    return xp.reshape(take(values, place.ravel()), (*place.shape, values.shape[1]))
