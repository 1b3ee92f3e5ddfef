"""The posterior over whitened weights, and its predictions.

With B = I + ΦᵀWΦ = L_B L_Bᵀ the weights have the posterior N(β, B⁻¹), β = B⁻¹ΦᵀWy. At new
inputs, φ = L⁻¹k_z and ψ = L_B⁻¹φ,

    mean f = φᵀβ,    variance f = (k − ‖φ‖²) + ‖ψ‖²,

a residual clipped at zero and a sum of squares: never negative. SoR drops the residual.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from sparsegp.arrays import (
    Array,
    Triangle,
    add_to_diagonal,
    in_smaller_parts,
    is_numpy,
    map_shares,
    moved,
    n_threads,
    namespace,
    or_on_host,
    row_sums_of_squares,
    safe_cholesky,
    solve_lower,
    solve_lower_transposed,
    thread_shares,
    to_numpy,
)
from sparsegp.kernels.base import Kernel
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import Basis, residual_variances
from sparsegp.model.moments import Moments
from sparsegp.model.noise.predictive import Noise
from sparsegp.tables.rows import block_size_for

__all__ = [
    "Posterior",
    "covariance_root",
    "draw_samples",
    "means",
    "means_and_variances",
    "positive_part",
    "prefix_evidences",
    "solve_posterior",
    "weighted_columns",
]


@dataclass(frozen=True)
class Posterior:
    """All that prediction needs; of the training rows only the basis vectors are kept."""

    basis: Basis
    rule: Approximation
    precision: Triangle  # L_B (m, m), lower: I + ΦᵀWΦ = L_B L_Bᵀ
    beta: Array  # (m, p), mean of the whitened weights
    alpha: Array  # (m, p), L⁻ᵀβ: weights of the kernel columns
    weight_scale: float = 1.0  # factors on both parts of the variance, set by calibration
    residual_scale: float = 1.0

    @property
    def Z(self) -> Array:
        """The basis inputs: (m, D)."""
        return self.basis.Z

    def beside(self, like: Array) -> "Posterior":
        """Return the posterior in the library and on the device of another array."""
        if namespace(like) is namespace(self.Z):
            return self
        L, L_B, Z, beta, alpha = (
            moved(each, like=like)
            for each in (self.basis.L, self.precision.L, self.Z, self.beta, self.alpha)
        )
        basis = replace(self.basis, Z=Z, factor=Triangle.of(L))
        return replace(self, basis=basis, precision=Triangle.of(L_B), beta=beta, alpha=alpha)

    def mean(self, X: Array) -> Array:
        """Return E f: (n, p)."""
        return weighted_columns(self.basis.kernel, self.Z, self.alpha, X)

    def mean_and_variance(self, X: Array) -> tuple[Array, Array]:
        """Return E f (n, p) and Var f (n,); on the host if a device has no room for them."""

        def on_host() -> tuple[Array, Array]:
            mean, variance = self.on_host().mean_and_variance(to_numpy(X))
            return moved(mean, like=X), moved(variance, like=X)

        return or_on_host(
            lambda: self._mean_and_variance(X), on_host, "the prediction", may=not is_numpy(X)
        )

    def on_host(self) -> "Posterior":
        """Return the posterior with all arrays as NumPy arrays."""
        factor, precision = (
            Triangle.of(to_numpy(each.L)) for each in (self.basis.factor, self.precision)
        )
        basis = replace(self.basis, Z=to_numpy(self.Z), factor=factor)
        beta, alpha = to_numpy(self.beta), to_numpy(self.alpha)
        return replace(self, basis=basis, precision=precision, beta=beta, alpha=alpha)

    def _mean_and_variance(self, X: Array) -> tuple[Array, Array]:
        def of_block(x: Array) -> tuple[Array, Array]:
            Phi = self.basis.features(x)  # (b, m)
            return Phi @ self.beta, self._variance(x, Phi)

        means, variances = zip(*_by_block(X, self.Z.shape[0], of_block), strict=True)
        return _join(means), _join(variances)

    def mean_and_covariance(self, X: Array) -> tuple[Array, Array]:
        """Return the mean (n, p) and the covariance (n, n) of f."""
        Phi = self.basis.features(X)  # (n, m)
        mean = Phi @ self.beta
        Psi = self.precision.divide(Phi)
        covariance = self.weight_scale * (Psi @ Psi.T)
        if self.rule.in_prediction:
            unexplained = positive_part(self.basis.kernel(X, X) - Phi @ Phi.T)
            covariance = covariance + self.residual_scale * unexplained
        return mean, 0.5 * (covariance + covariance.T)

    def prefix(self, n_basis: int) -> "Posterior":
        """Return the posterior with the first basis vectors only.

        Whitened features nest, so that factors and moments of the prefix are leading blocks: no
        pass over the rows is needed. For FITC the noise of every row is that of the whole basis.
        """
        m = n_basis
        c = self.precision.L.T @ self.beta  # (m, p), L_B⁻¹ΦᵀWy
        L, L_B = self.basis.L[:m, :m], self.precision.L[:m, :m]
        basis = Basis(self.basis.kernel, self.basis.Z[:m, :], Triangle.of(L), self.basis.jitter)
        beta = solve_lower_transposed(L_B, c[:m, :])
        alpha = solve_lower_transposed(L, beta)
        return replace(self, basis=basis, precision=Triangle.of(L_B), beta=beta, alpha=alpha)

    def _variance(self, X: Array, Phi: Array) -> Array:
        """Return Var f (b,) from the features, which it overwrites."""
        residual = residual_variances(self.basis.kernel, X, Phi)
        explained = row_sums_of_squares(self.precision.divide(Phi, overwrite=True))  # ‖ψ‖²
        return self.sum_of_parts(residual, explained)

    def sum_of_parts(self, residual: Array, explained: Array) -> Array:
        """Return the sum of both parts of the variance: (b,)."""
        xp = namespace(residual)
        variance = self.weight_scale * explained
        if not self.rule.in_prediction:
            return variance
        return variance + self.residual_scale * xp.clip(residual, 0.0, None)


def weighted_columns(kernel: Kernel, Z: Array, alpha: Array, X: Array) -> Array:
    """Return K_xz α, the mean of f: (n, p)."""
    return _join(_by_block(X, Z.shape[0], lambda x: kernel(x, Z) @ alpha))


def means(posteriors: Sequence[Posterior], X: Array) -> Array:
    """Return E f of several posteriors of one output each: (n, C).

    If they share a basis, the kernel is evaluated once.
    """
    first, xp = posteriors[0], namespace(X)
    if any(p.basis is not first.basis for p in posteriors):
        return xp.concat([p.mean(X) for p in posteriors], axis=1)
    alpha = xp.concat([p.alpha for p in posteriors], axis=1)  # (m, C)
    return weighted_columns(first.basis.kernel, first.Z, alpha, X)


def means_and_variances(posteriors: Sequence[Posterior], X: Array) -> tuple[Array, Array]:
    """Return E f and Var f of several posteriors of one output each: (n, C) each.

    If they share a basis, features are computed once; if they also share the precision, as in
    least-squares classification, so are variances.
    """
    first = posteriors[0]
    if any(p.basis is not first.basis for p in posteriors):
        each = [p.mean_and_variance(X) for p in posteriors]
        xp = namespace(X)
        mean = xp.concat([mean for mean, _ in each], axis=1)
        return mean, xp.stack([variance for _, variance in each], axis=1)
    beta = namespace(X).concat([p.beta for p in posteriors], axis=1)  # (m, C)

    n_precisions = 1 if all(p.precision is first.precision for p in posteriors) else len(posteriors)

    def of_block(x: Array) -> tuple[Array, Array]:
        xp, Phi = namespace(x), first.basis.features(x)  # (b, m)
        residual = residual_variances(first.basis.kernel, x, Phi)  # (b,)
        explained = [
            row_sums_of_squares(p.precision.divide(Phi)) for p in posteriors[:n_precisions]
        ]
        variances = [
            p.sum_of_parts(residual, explained[c % n_precisions]) for c, p in enumerate(posteriors)
        ]
        return Phi @ beta, xp.stack(variances, axis=1)

    mean, variances = zip(*_by_block(X, first.Z.shape[0], of_block), strict=True)
    return _join(mean), _join(variances)


def positive_part(U: Array) -> Array:
    """Return the positive semi-definite part of U with U's own diagonal, clipped at zero.

    Rounding leaves K − ΦΦᵀ indefinite where the basis explains everything; the variances must
    equal those of ``mean_and_variance``.
    """
    xp = namespace(U)
    eigenvalues, Q = xp.linalg.eigh(0.5 * (U + U.T))
    V = (Q * xp.clip(eigenvalues, 0.0, None)) @ Q.T
    diagonal = xp.linalg.diagonal(V)
    target = xp.clip(xp.linalg.diagonal(U), 0.0, None)
    ones = xp.ones_like(diagonal)
    scale = xp.sqrt(target / xp.where(diagonal > 0.0, diagonal, ones))
    return V * scale[:, None] * scale[None, :]


def covariance_root(U: Array) -> Array:
    """Return R with R Rᵀ the positive semi-definite part of U; without noise U may be singular."""
    xp = namespace(U)
    eigenvalues, Q = xp.linalg.eigh(0.5 * (U + U.T))
    return Q * xp.sqrt(xp.clip(eigenvalues, 0.0, None))


def _by_block(X: Array, width: int, of_block: Callable[[Array], Any]) -> list[Any]:
    """Apply ``of_block`` to consecutive blocks of X on all cores; return results in order."""
    n = X.shape[0]

    def in_parts(parts: int) -> list[Any]:
        size = max(1, min(block_size_for(X, width), n) // parts)
        blocks = [X[start : min(start + size, n), :] for start in range(0, n, size)]
        shares = thread_shares(blocks, n_threads() if is_numpy(X) else 1)
        done = map_shares(lambda share: [of_block(x) for x in share], shares)
        return [done[i % len(shares)][i // len(shares)] for i in range(len(blocks))]

    return in_smaller_parts(in_parts)


def _join(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else namespace(parts[0]).concat(parts)


def solve_posterior(basis: Basis, moments: Moments, rule: Approximation) -> Posterior:
    """Condition the weights on the moments of the rows."""
    xp = namespace(basis.Z)
    L_B = safe_cholesky(add_to_diagonal(xp.asarray(moments.gram, copy=True), 1.0)).L
    beta = solve_lower_transposed(L_B, solve_lower(L_B, moments.target))  # (m, p)
    return Posterior(basis, rule, Triangle.of(L_B), beta, solve_lower_transposed(basis.L, beta))


class JointPosterior(Protocol):
    """A posterior that knows how its predictions vary together."""

    def mean_and_covariance(self, X: Array) -> tuple[Array, Array]:
        """Return the mean (n, p) and the covariance (n, n) of f."""


def draw_samples(
    posterior: JointPosterior,
    X: Array,
    noise: Noise | None,
    n_samples: int,
    rng: np.random.Generator,
) -> Array:
    """Return samples of f, or of f + noise, at the rows of X: (n, p, n_samples)."""
    xp = namespace(X)
    mean, covariance = posterior.mean_and_covariance(X)  # (n, p), (n, n)
    if noise is None:
        L = covariance_root(covariance)
    else:
        L = safe_cholesky(noise.added_to(covariance, mean, X)).L
    n, n_outputs = mean.shape
    normal = xp.asarray(rng.standard_normal((n, n_outputs * n_samples)), device=X.device)
    deviations = xp.reshape(L @ normal, (n, n_outputs, n_samples))
    if noise is not None and noise.tails.df is not None:
        precision = noise.tails.precisions((n, 1, n_samples), rng)
        deviations = deviations / xp.sqrt(xp.asarray(precision, device=X.device))
    return mean[:, :, None] + deviations


def prefix_evidences(
    posterior: Posterior, moments: Moments, variance: float, rule: Approximation
) -> Array:
    """Return the log evidence of the model with the first 1, 2, …, m basis vectors: (m,).

    Whitened features nest: those of a prefix of the basis are the first columns of Φ, and its B
    and L_B are leading blocks. All m values cost O(m·p). For FITC the noise of every row is that
    of the whole basis.
    """
    xp = namespace(posterior.beta)
    n_outputs = posterior.beta.shape[1]
    L_B = posterior.precision.L
    c = solve_lower(L_B, moments.target)  # (m, p)
    log_det = 2.0 * xp.cumulative_sum(xp.log(xp.linalg.diagonal(L_B)))  # (m,)
    fit = moments.y_square - xp.cumulative_sum(xp.sum(c * c, axis=1))  # (m,)
    value = -0.5 * (n_outputs * (moments.log_noise + log_det) + fit)
    if rule.in_bound:
        explained = variance * xp.linalg.diagonal(moments.gram)  # (m,), Σ s φ² by column
        residual = moments.residual + xp.sum(explained) - xp.cumulative_sum(explained)
        value = value - (0.5 * n_outputs / variance) * residual
    return value
