"""Predictions of a sparse posterior, corrected by the nearest training rows.

The basis explains Φw of f; r = f − Φw has the covariance R = K − ΦΦᵀ. FITC takes r to be
independent from row to row. At a new input x with neighbours N among the training rows and
S = R_NN + diag(λ_N),

    a = S⁻¹ R_Nx,
    mean f = φᵀβ + aᵀ(y_N − Φ_N β),
    variance f = (R_xx − aᵀR_Nx) + (φ − Φ_Nᵀa)ᵀ B⁻¹ (φ − Φ_Nᵀa),

with β, B those of FITC's posterior. Without neighbours this is FITC; with every row in the basis R
vanishes and it is the exact process. (Full-scale approximation with inducing points and Vecchia:
Sang & Huang 2012; Gyger, Furrer & Sigrist 2024.)
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, n_threads, namespace, parallel_map, row_sums_of_squares, take
from sparsegp.model.neighbours.conditionals import noise_ratio
from sparsegp.model.neighbours.policy import BATCH_VALUES, FEATURE_VALUES
from sparsegp.model.neighbours.search import NeighbourSearch
from sparsegp.model.posterior import Posterior
from sparsegp.tables.rows import Rows, block_size_for

__all__ = ["NeighbourPosterior"]

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class NeighbourPosterior:
    """A sparse posterior and the training rows that correct it."""

    posterior: Posterior
    rows: Rows  # training rows, transformed as the posterior's were
    variance: float  # of the noise, σ²
    search: NeighbourSearch
    k: int

    def mean_and_variance(self, X: Array) -> tuple[Array, Array]:
        """Return E f (n, p) and Var f (n,)."""
        near = self.search.nearest(X, self.k)  # (n, k)
        xp, groups = namespace(X), _groups(near, self.posterior.Z.shape[0])
        found = [self._of_group(X[group, :], near[group]) for group in groups]
        return xp.concat([mean for mean, _ in found]), xp.concat([v for _, v in found])

    def _of_group(self, X: Array, near: Indices) -> tuple[Array, Array]:
        """Predict rows whose neighbours' features fit into memory: each is whitened once."""
        used, place = np.unique(near, return_inverse=True)
        place = place.reshape(near.shape)
        rows = self.rows.take(used)
        neighbours = _Neighbours.of(rows, self.posterior, self.variance)
        (b, k), m = near.shape, self.posterior.Z.shape[0]
        batches = _slices(b, max(1, BATCH_VALUES // max((k + 1) * (m + k), 1)))

        def of_batch(batch: slice) -> tuple[Array, Array]:
            return self._of_batch(X[batch, :], neighbours, place[batch])

        found = parallel_map(of_batch, batches, n_threads())
        xp = namespace(X)
        return xp.concat([mean for mean, _ in found]), xp.concat([v for _, v in found])

    def _of_batch(self, X: Array, others: "_Neighbours", place: Indices) -> tuple[Array, Array]:
        xp, posterior, basis = namespace(X), self.posterior, self.posterior.basis
        Phi, Phi_near = basis.features(X), _gather(others.Phi, place)  # (b, m), (b, k, m)
        X_near = _gather(others.X, place)  # (b, k, D)
        R_nn = basis.kernel.batched_vjp(X_near, X_near)[0]
        R_nn = R_nn - Phi_near @ xp.matrix_transpose(Phi_near)  # (b, k, k)
        R_nx = basis.kernel.batched_vjp(X_near, X[:, None, :])[0] - Phi_near @ Phi[:, :, None]
        eye = xp.eye(place.shape[1], dtype=X.dtype, device=X.device)
        a = xp.linalg.solve(R_nn + _gather(others.noise, place) * eye, R_nx)  # (b, k, 1)
        mean = Phi @ posterior.beta + xp.sum(a * _gather(others.residual, place), axis=1)  # (b, p)
        own = basis.kernel.diagonal(X) - row_sums_of_squares(Phi)  # (b,), R_xx
        left = xp.clip(own - xp.sum(a * R_nx, axis=(1, 2)), 0.0, None)
        Phi = Phi - (xp.matrix_transpose(a) @ Phi_near)[:, 0, :]  # (b, m)
        return mean, left + row_sums_of_squares(posterior.precision.divide(Phi))


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
            lambda block: posterior.basis.features(rows.X[block, :]), blocks, n_threads()
        )
        Phi = xp.concat(features) if features else xp.zeros((0, m), dtype=rows.X.dtype)
        noise = variance * noise_ratio(rows, np.arange(len(rows)))
        return cls(rows.X, Phi, rows.y - Phi @ posterior.beta, noise[:, None])


def _groups(near: Indices, m: int) -> list[slice]:
    """Cut rows into groups whose different neighbours, with m features each, fit into memory."""

    def cut(start: int, stop: int) -> list[slice]:
        if stop - start < 2 or len(np.unique(near[start:stop])) * m <= FEATURE_VALUES:
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
