"""A leave-one-out measure of a sparse model and its gradient, in three passes over the rows.

SKS (remark 2) leave hyperparameters by leave-one-out measures open because of the gradient. Here it
costs O(n·m²) for any number of hyperparameters. A measure M depends on a row through its error
e = y − φᵀβ, the variance of the weights h = φᵀB⁻¹φ, the residual variance d = k − ‖φ‖² and its
noise λ (``predictions``). The first pass gives B and β. The second takes the derivatives ē, h̄,
d̄, λ̄ of M row by row, and with

    N = Φᵀ diag(h̄) Φ,    γ = −B⁻¹Φᵀē,

the derivative by B, through which a row affects all others, is

    B̄ = −B⁻¹NB⁻¹ − ½ (γβᵀ + βγᵀ).

Through the precision w = s/λ of every row, w̄ = eᵀγᵀφ − φᵀB⁻¹NB⁻¹φ, the third pass computes

    ∂/∂K_xz = W e (L⁻ᵀγ)ᵀ − (ē + W Φγ)(L⁻ᵀβ)ᵀ
              + 2 [diag(h̄) Φ B⁻¹ − W Φ B⁻¹NB⁻¹ − diag(d̄) Φ] L⁻¹,
    ∂/∂K_zz = L⁻ᵀ [ B̄ + Φᵀ diag(d̄) Φ ] L⁻¹,
    ∂/∂k_ii = d̄_i.

For FITC λ depends on d, so that λ̄ is part of d̄.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from sparsegp.arrays import (
    Array,
    add_product,
    inverse_from_lower,
    map_shares,
    namespace,
    solve_lower,
    solve_lower_transposed,
)
from sparsegp.model.approximation import Approximation
from sparsegp.model.evidence import pull_basis
from sparsegp.model.features import Basis
from sparsegp.model.leave_one_out.measures import loo_derivatives
from sparsegp.model.leave_one_out.predictions import left_out_share
from sparsegp.model.moments import Moments, MomentSum, RowNoise, row_noise, row_shares, sum_moments
from sparsegp.model.policy import KEPT_BYTES, SMALLEST_REST
from sparsegp.model.posterior import Posterior, solve_posterior
from sparsegp.tables.rows import Rows

__all__ = ["LooGradient", "loo_and_gradient"]


@dataclass(frozen=True)
class LooGradient:
    """A leave-one-out measure and its derivatives."""

    value: float
    theta: Array  # (q,), by the kernel's log-parameters
    log_noise: float  # by log σ²
    Z: Array  # (m, D), by the basis inputs


@dataclass(frozen=True)
class _Model:
    """The model that predicts the rows."""

    measure: str
    posterior: Posterior
    B_inverse: Array  # (m, m)
    variance: float  # σ²
    total: float  # Σ s p


@dataclass(frozen=True)
class _LeftOutBlock:
    """Leave-one-out quantities of a block, and the derivatives of the measure by them."""

    value: float
    e: Array  # (b, p)
    e_bar: Array  # (b, p)
    T: Array  # (b, m), Φ B⁻¹
    h_bar: Array  # (b,)
    v_bar: Array  # (b,), by the variance of the target, and so by d and by σ²
    noise_bar: Array  # (b,), λ̄ at fixed e and h


def _leave_block_out(model: _Model, rows: Rows, Phi: Array, noise: RowNoise) -> _LeftOutBlock:
    """Leave each row out; differentiate through ε = e/rest and v = d + h/rest + σ²."""
    xp = namespace(Phi)
    rule = model.posterior.rule
    e = rows.y - Phi @ model.posterior.beta  # (b, p)
    T = Phi @ model.B_inverse  # (b, m)
    h = xp.sum(T * Phi, axis=1)  # (b,)
    one = left_out_share(noise.count) / noise.noise  # (b,): t/λ
    rest = xp.clip(1.0 - one * h, SMALLEST_REST, None)  # (b,)
    d = xp.clip(noise.residual, 0.0, None) if rule.in_prediction else xp.zeros_like(h)
    error, weights = e / rest[:, None], h / rest
    v = d + weights + model.variance
    derivatives = loo_derivatives(model.measure, error, v, noise.count / model.total)
    e_bar = derivatives.error / rest[:, None]
    rest_bar = -(xp.sum(derivatives.error * error, axis=1) + derivatives.variance * weights) / rest
    rest_bar = xp.where(rest > SMALLEST_REST, rest_bar, xp.zeros_like(rest_bar))  # clipped
    h_bar = derivatives.variance / rest - one * rest_bar
    noise_bar = rest_bar * one * h / noise.noise
    return _LeftOutBlock(derivatives.value, e, e_bar, T, h_bar, derivatives.variance, noise_bar)


class _Share:
    """The blocks of one thread, and their features if ``keep``."""

    def __init__(
        self, basis: Basis, variance: float, rule: Approximation, blocks: Sequence[Rows], keep: bool
    ) -> None:
        self._basis, self._variance, self._rule = basis, variance, rule
        self._blocks, self._keep = blocks, keep
        self._kept: dict[int, Array] = {}

    def over(self) -> Iterator[tuple[Rows, Array, RowNoise]]:
        """Yield each block with its features (b, m) and noise."""
        for i, rows in enumerate(self._blocks):
            Phi = self._kept.get(i)
            if Phi is None:
                Phi = self._basis.features(rows.X)
                if self._keep:
                    self._kept[i] = Phi
            yield rows, Phi, row_noise(self._basis, rows, Phi, self._variance, self._rule)

    def moments(self) -> Moments:
        """Make the first pass."""
        total = MomentSum(self._basis, self._blocks[0].y.shape[1])
        for rows, Phi, noise in self.over():
            total.add(rows, Phi, noise)
        return total.total()


@dataclass(frozen=True)
class _Sums:
    """Sums of the second pass."""

    value: float
    N: Array | float  # (m, m), Φᵀ diag(h̄) Φ
    target: Array | float  # (m, p), Φᵀē

    def __add__(self, other: "_Sums") -> "_Sums":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return _Sums(*(a + b for a, b in pairs))


@dataclass(frozen=True)
class _GradientSums:
    """Sums of the third pass."""

    theta: Array | float  # (q,)
    Z: Array | float  # (m, D)
    noise: float  # ∂/∂σ²
    gram: Array | float  # (m, m), Φᵀ diag(d̄) Φ

    def __add__(self, other: "_GradientSums") -> "_GradientSums":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return _GradientSums(*(a + b for a, b in pairs))


def loo_and_gradient(
    measure: str, basis: Basis, rows: Rows, variance: float, rule: Approximation
) -> LooGradient:
    """Return a measure of ``LOO_MEASURES`` and its derivatives by theta, log σ² and Z."""
    keep = 8 * len(rows) * basis.Z.shape[0] <= KEPT_BYTES
    dealt = row_shares(rows, basis.Z.shape[0])
    shares = [_Share(basis, variance, rule, blocks, keep) for blocks in dealt]
    moments = sum_moments(map_shares(lambda share: share.moments(), shares))
    posterior = solve_posterior(basis, moments, rule)
    H = inverse_from_lower(posterior.precision.L)  # (m, m)
    model = _Model(measure, posterior, H, variance, rows.total_weight * rows.y.shape[1])
    sums = reduce(add, map_shares(lambda share: _second_pass(model, share), shares))
    NH = sums.N @ H  # (m, m)
    gamma = -(H @ sums.target)  # (m, p)
    gradient = reduce(add, map_shares(lambda share: _third_pass(model, NH, gamma, share), shares))
    cross = gamma @ posterior.beta.T  # (m, m)
    inner = gradient.gram - H @ NH - 0.5 * (cross + cross.T)
    theta_zz, Z_zz = pull_basis(basis, inner)
    return LooGradient(
        sums.value, gradient.theta + theta_zz, variance * gradient.noise, gradient.Z + Z_zz
    )


def _second_pass(model: _Model, share: _Share) -> _Sums:
    total = _Sums(0.0, 0.0, 0.0)
    for rows, Phi, noise in share.over():
        left_out = _leave_block_out(model, rows, Phi, noise)
        N = (Phi * left_out.h_bar[:, None]).T @ Phi
        total = total + _Sums(left_out.value, N, Phi.T @ left_out.e_bar)
    return total


def _third_pass(model: _Model, NH: Array, gamma: Array, share: _Share) -> _GradientSums:
    posterior, basis = model.posterior, model.posterior.basis
    rule, xp = posterior.rule, namespace(NH)
    L_inverse = solve_lower(basis.L, xp.eye(NH.shape[0], dtype=NH.dtype, device=NH.device))
    gamma_z = solve_lower_transposed(basis.L, gamma)  # (m, p), L⁻ᵀγ
    total = _GradientSums(0.0, 0.0, 0.0, 0.0)
    for rows, Phi, noise in share.over():
        left_out = _leave_block_out(model, rows, Phi, noise)
        w = noise.precision  # (b,)
        U = left_out.T @ NH  # (b, m), Φ B⁻¹NB⁻¹
        Phi_gamma = Phi @ gamma  # (b, p)
        w_bar = xp.sum(left_out.e * Phi_gamma, axis=1) - xp.sum(U * Phi, axis=1)  # (b,)
        noise_bar = left_out.noise_bar - w_bar * w / noise.noise  # (b,)
        d_bar = left_out.v_bar if rule.in_prediction else xp.zeros_like(w)
        d_bar = d_bar + noise_bar if rule.in_noise else d_bar
        # a residual that was clipped at zero stays there: no derivative passes
        d_bar = xp.where(noise.residual > 0.0, d_bar, xp.zeros_like(d_bar))
        F = left_out.h_bar[:, None] * left_out.T - w[:, None] * U - d_bar[:, None] * Phi
        K_bar = (w[:, None] * left_out.e) @ gamma_z.T
        K_bar = K_bar - (left_out.e_bar + w[:, None] * Phi_gamma) @ posterior.alpha.T
        _, pullback = basis.kernel.vjp(rows.X, basis.Z)
        theta_bar, Z_bar = pullback(add_product(K_bar, F, L_inverse, 2.0))
        theta_bar = theta_bar + basis.kernel.pull_diagonal(rows.X, d_bar)
        by_noise = float(xp.sum(noise_bar + left_out.v_bar))
        gram = (Phi * d_bar[:, None]).T @ Phi
        total = total + _GradientSums(theta_bar, Z_bar, by_noise, gram)
    return total
