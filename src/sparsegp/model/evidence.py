"""The log marginal likelihood (evidence) of a sparse model and its gradient, in two passes.

With B = I + ΦᵀWΦ, β = B⁻¹ΦᵀWy and Λ = diag(λ),

    log N(y | 0, ΦΦᵀ + Λ) = −½ [ Σ s log 2πλ + log|B| + yᵀWy − βᵀBβ ]   (− ½ Σ s d/λ for VFE).

The first pass over the rows collects the moments, the second applies the kernel's pullback.
Let r = y − Φβ, and let g_i = ∂/∂d_i be the derivative by the residual variance of row i: 0
for DTC and SoR, −½ w_i for VFE, ∂/∂λ_i = ½ [w_i (h_i + r_i²) − s_i]/λ_i with h_i = φ_iᵀB⁻¹φ_i
for FITC. Then

    ∂/∂K_xz = W r (L⁻ᵀβ)ᵀ − [W Φ B⁻¹ + 2 diag(g) Φ] L⁻¹,
    ∂/∂K_zz = L⁻ᵀ [ −½ (ββᵀ − I + B⁻¹) + Φᵀ diag(g) Φ ] L⁻¹,
    ∂/∂k_ii = g_i.

For DTC and VFE g is a multiple of w, so the second pass is one product Φ R with one m×m
matrix R. Several outputs share the kernel: their log evidences add.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add

from sparsegp.arrays import (
    Array,
    add_product,
    add_to_diagonal,
    half_inverse_from_lower,
    inverse_from_lower,
    map_shares,
    namespace,
    row_sums_of_squares,
    safe_cholesky,
    solve_lower,
    solve_lower_transposed,
    threads_for,
)
from sparsegp.kernels.base import Pullback
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import Basis
from sparsegp.model.moments import (
    Moments,
    MomentSum,
    RowNoise,
    collect_moments,
    row_noise,
    row_shares,
    sum_moments,
)
from sparsegp.model.policy import KEPT_BYTES
from sparsegp.model.posterior import Posterior, solve_posterior
from sparsegp.tables.out_of_core import AnyRows, OutOfCoreRows
from sparsegp.tables.rows import Rows

__all__ = [
    "EvidenceGradient",
    "NoiseBalance",
    "evidence_and_gradient",
    "evidence_of",
    "log_evidence",
    "noise_balance",
    "pull_basis",
]


@dataclass(frozen=True)
class EvidenceGradient:
    """The log evidence and its derivatives."""

    value: float
    theta: Array  # (q,), by the kernel's log-parameters
    log_noise: float  # by log σ²
    Z: Array  # (m, D), by the basis inputs


def evidence_of(
    posterior: Posterior, moments: Moments, variance: float, rule: Approximation
) -> float:
    """Return the log evidence from the moments and the posterior."""
    xp = namespace(posterior.precision.L)
    log_det = 2.0 * float(xp.sum(xp.log(xp.linalg.diagonal(posterior.precision.L))))
    explained = float(xp.sum(posterior.beta * moments.target))
    return _value(moments, log_det, explained, variance, rule)


def _value(
    moments: Moments, log_det: float, explained: float, variance: float, rule: Approximation
) -> float:
    """Return the log evidence, given log|B| and βᵀBβ."""
    n_outputs = moments.target.shape[1]
    fit = moments.y_square - explained
    value = -0.5 * (n_outputs * (moments.log_noise + log_det) + fit)
    if rule.in_bound:
        value -= 0.5 * n_outputs * moments.residual / variance
    return float(value)


@dataclass(frozen=True)
class NoiseBalance:
    """The log evidence as a function of log σ², at one noise variance, for all rules but FITC.

    With γ = m − tr B⁻¹, the number of weights that the data determine (MacKay 1992), its slope is
    ½ [E − p(Σs − γ)] for p outputs, where E = yᵀWy − βᵀBβ − βᵀβ are the squared errors in units of
    σ², plus for VFE the residual variances. At the maximum σ² is the sum of squared errors over the
    remaining degrees of freedom.
    """

    value: float
    errors: float  # E
    left: float  # p(Σs − γ)

    @property
    def slope(self) -> float:
        """Of the log evidence, by log σ²."""
        return 0.5 * (self.errors - self.left)


def noise_balance(moments: Moments, variance: float, rule: Approximation) -> NoiseBalance:
    """Return the log evidence and its slope; may overwrite the Gram matrix of the moments."""
    L_B = safe_cholesky(add_to_diagonal(moments.gram, 1.0)).L  # (m, m)
    xp, (m, n_outputs) = namespace(L_B), moments.target.shape
    c = solve_lower(L_B, moments.target)  # (m, p)
    beta = solve_lower_transposed(L_B, c)
    log_det = 2.0 * float(xp.sum(xp.log(xp.linalg.diagonal(L_B))))
    explained, trace = (
        float(xp.sum(c * c)),
        2.0 * float(xp.linalg.trace(half_inverse_from_lower(L_B))),
    )
    errors = moments.y_square - explained - float(xp.sum(beta * beta))
    if rule.in_bound:
        errors += n_outputs * moments.residual / variance
    left = n_outputs * (moments.count - m + trace)
    return NoiseBalance(_value(moments, log_det, explained, variance, rule), errors, left)


def log_evidence(basis: Basis, rows: AnyRows, variance: float, rule: Approximation) -> float:
    """Return the log evidence of the rows; for VFE its lower bound."""
    moments = collect_moments(basis, rows, variance, rule)
    return evidence_of(solve_posterior(basis, moments, rule), moments, variance, rule)


@dataclass(frozen=True)
class _Block:
    rows: Rows
    Phi: Array  # (b, m)
    noise: RowNoise
    pullback: Pullback


class _Share:
    """The blocks of one thread, kept from the first pass for the second up to ``room`` blocks."""

    def __init__(self, basis: Basis, variance: float, rule: Approximation, room: int) -> None:
        self._basis, self._variance, self._rule = basis, variance, rule
        self._kept: list[_Block] = []
        self._room = room

    def _make(self, rows: Rows) -> _Block:
        K, pullback = self._basis.kernel.vjp(rows.X, self._basis.Z)
        Phi = self._basis.factor.divide(K)  # a copy: K may belong to the pullback
        noise = row_noise(self._basis, rows, Phi, self._variance, self._rule)
        return _Block(rows, Phi, noise, pullback)

    def moments(self, blocks: Sequence[Rows]) -> Moments:
        """Make the first pass."""
        total = MomentSum(self._basis, blocks[0].y.shape[1])
        for rows in blocks:
            block = self._make(rows)
            if len(self._kept) < self._room:
                self._kept.append(block)
            total.add(block.rows, block.Phi, block.noise)
        return total.total()

    def second_pass(self, blocks: Sequence[Rows]) -> Iterator[_Block]:
        """Yield the blocks of the second pass and release each."""
        n_kept = len(self._kept)
        self._kept.reverse()
        while self._kept:
            yield self._kept.pop()
        for rows in blocks[n_kept:]:
            yield self._make(rows)


@dataclass(frozen=True)
class _GradientSums:
    """Sums of the second pass."""

    theta: Array  # (q,)
    Z: Array  # (m, D)
    noise: float = 0.0  # Σ r ∂/∂λ, FITC only
    gram_g: Array | float = 0.0  # Φᵀ diag(g) Φ (m, m), FITC only

    def __add__(self, other: "_GradientSums") -> "_GradientSums":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return _GradientSums(*(a + b for a, b in pairs))


def evidence_and_gradient(
    basis: Basis, rows: AnyRows, variance: float, rule: Approximation
) -> EvidenceGradient:
    """Return the log evidence and its derivatives by theta, log σ² and Z."""
    if rows.is_out_of_core:
        return _out_of_core_gradient(basis, rows, variance, rule)
    dealt = row_shares(rows, basis.Z.shape[0])
    with threads_for(basis.Z.shape[0]):
        return _in_two_passes(basis, dealt, variance, rule)


def _out_of_core_gradient(
    basis: Basis, rows: OutOfCoreRows, variance: float, rule: Approximation
) -> EvidenceGradient:
    """Make both passes where the rows are stored; nothing is kept between them."""
    moments = collect_moments(basis, rows, variance, rule)
    posterior = solve_posterior(basis, moments, rule)
    B_inverse = inverse_from_lower(posterior.precision.L)
    sums = rows.reduce(partial(_pull_part, basis, posterior, B_inverse, variance, rule))
    return _assemble(basis, moments, posterior, B_inverse, sums, variance, rule)


def _pull_part(
    basis: Basis,
    posterior: Posterior,
    B_inverse: Array,
    variance: float,
    rule: Approximation,
    rows: Rows,
) -> _GradientSums:
    """Make the second pass over one part of the rows."""
    share = _Share(basis, variance, rule, room=0)
    pull = partial(_pull_fitc if rule.in_noise else _pull_same_noise, basis, posterior, B_inverse)
    dealt = row_shares(rows, basis.Z.shape[0])
    return reduce(add, map_shares(lambda blocks: pull(rule, share.second_pass(blocks)), dealt))


def _in_two_passes(
    basis: Basis, dealt: Sequence[Sequence[Rows]], variance: float, rule: Approximation
) -> EvidenceGradient:
    # a block holds its features, and its pullback about as much again
    bytes_of_block = 2 * 8 * len(dealt[0][0]) * basis.Z.shape[0]
    room = KEPT_BYTES // bytes_of_block // len(dealt)
    tasks = [(_Share(basis, variance, rule, room), blocks) for blocks in dealt]
    moments = sum_moments(map_shares(lambda task: task[0].moments(task[1]), tasks))
    posterior = solve_posterior(basis, moments, rule)
    pull = _pull_fitc if rule.in_noise else _pull_same_noise
    B_inverse = inverse_from_lower(posterior.precision.L)
    work = partial(pull, basis, posterior, B_inverse, rule)
    sums = reduce(add, map_shares(lambda task: work(task[0].second_pass(task[1])), tasks))
    return _assemble(basis, moments, posterior, B_inverse, sums, variance, rule)


def _assemble(
    basis: Basis,
    moments: Moments,
    posterior: Posterior,
    B_inverse: Array,
    sums: _GradientSums,
    variance: float,
    rule: Approximation,
) -> EvidenceGradient:
    """Return the gradient from the sums of both passes."""
    theta_zz, Z_zz = pull_basis(basis, _inner(moments, posterior, B_inverse, sums, rule))
    return EvidenceGradient(
        evidence_of(posterior, moments, variance, rule),
        sums.theta + theta_zz,
        _by_log_noise(moments, posterior, B_inverse, sums, variance, rule),
        sums.Z + Z_zz,
    )


def _pull_same_noise(
    basis: Basis,
    posterior: Posterior,
    B_inverse: Array,
    rule: Approximation,
    blocks: Iterable[_Block],
) -> _GradientSums:
    """Second pass of SoR, DTC and VFE, where 2g = c·w with c = −1 for VFE and 0 otherwise."""
    n_outputs = posterior.beta.shape[1]
    c = -1.0 if rule.in_bound else 0.0
    middle = n_outputs * add_to_diagonal(B_inverse + 0.0, c)
    R = solve_lower_transposed(basis.L, middle).T  # middle L⁻¹, as middle is symmetric
    sums = _zero_sums(basis)
    for block in blocks:
        w = block.noise.precision  # (b,)
        residual = w[:, None] * (block.rows.y - block.Phi @ posterior.beta)  # (b, p)
        K_bar = residual @ posterior.alpha.T  # (b, m)
        if block.noise.same is not None:
            K_bar = add_product(K_bar, block.Phi, R, -block.noise.same)
        else:
            K_bar = add_product(K_bar, block.Phi * w[:, None], R, -1.0)
        theta_bar, Z_bar = block.pullback(K_bar)
        if rule.in_bound:
            g = (0.5 * c * n_outputs) * w
            theta_bar = theta_bar + basis.kernel.pull_diagonal(block.rows.X, g)
        sums = sums + _GradientSums(theta_bar, Z_bar)
    return sums


def _pull_fitc(
    basis: Basis,
    posterior: Posterior,
    B_inverse: Array,
    rule: Approximation,
    blocks: Iterable[_Block],
) -> _GradientSums:
    """Second pass of FITC, where the noise differs between rows."""
    xp = namespace(basis.Z)
    n_outputs = posterior.beta.shape[1]
    L_inverse = solve_lower(
        basis.L, xp.eye(basis.L.shape[0], dtype=basis.L.dtype, device=basis.L.device)
    )
    sums = _zero_sums(basis)
    for block in blocks:
        noise, Phi = block.noise, block.Phi
        w = noise.precision  # (b,)
        residual = block.rows.y - Phi @ posterior.beta  # (b, p)
        T = Phi @ B_inverse  # (b, m)
        h = xp.sum(T * Phi, axis=1)  # (b,)
        misfit = n_outputs * h + row_sums_of_squares(residual)
        lambda_bar = 0.5 * (w * misfit - n_outputs * noise.count) / noise.noise  # (b,)
        # a residual that was clipped at zero stays there: no derivative passes
        g = xp.where(noise.residual > 0.0, lambda_bar, xp.zeros_like(lambda_bar))
        T *= (-n_outputs * w)[:, None]
        T -= (2.0 * g)[:, None] * Phi
        K_bar = add_product((w[:, None] * residual) @ posterior.alpha.T, T, L_inverse)
        theta_bar, Z_bar = block.pullback(K_bar)
        theta_bar = theta_bar + basis.kernel.pull_diagonal(block.rows.X, g)
        gram_g = (Phi * g[:, None]).T @ Phi
        by_noise = lambda_bar if noise.noise_factor is None else noise.noise_factor * lambda_bar
        sums = sums + _GradientSums(theta_bar, Z_bar, float(xp.sum(by_noise)), gram_g)
    return sums


def _zero_sums(basis: Basis) -> _GradientSums:
    xp = namespace(basis.Z)
    like = {"dtype": basis.Z.dtype, "device": basis.Z.device}
    return _GradientSums(xp.zeros((len(basis.kernel.theta),), **like), xp.zeros_like(basis.Z))


def _inner(
    moments: Moments,
    posterior: Posterior,
    B_inverse: Array,
    sums: _GradientSums,
    rule: Approximation,
) -> Array:
    """Return −½(ββᵀ − I + B⁻¹) + Φᵀ diag(g) Φ, summed over the outputs: (m, m)."""
    beta, n_outputs = posterior.beta, posterior.beta.shape[1]
    inner = -0.5 * (beta @ beta.T + n_outputs * add_to_diagonal(B_inverse + 0.0, -1.0))
    if rule.in_bound:
        return inner - (0.5 * n_outputs) * moments.gram
    return inner + sums.gram_g


def _by_log_noise(
    moments: Moments,
    posterior: Posterior,
    B_inverse: Array,
    sums: _GradientSums,
    variance: float,
    rule: Approximation,
) -> float:
    """Return ∂/∂log σ²; without FITC it follows from the moments alone."""
    if rule.in_noise:
        return variance * sums.noise
    xp = namespace(B_inverse)
    beta, n_outputs = posterior.beta, posterior.beta.shape[1]
    misfit = moments.y_square - float(xp.sum(beta * (moments.target + beta)))  # Σ w r²
    trace = beta.shape[0] - float(xp.sum(xp.linalg.diagonal(B_inverse)))  # Σ w h
    by_log_noise = 0.5 * (misfit + n_outputs * (trace - moments.count))
    if rule.in_bound:
        by_log_noise += 0.5 * n_outputs * moments.residual / variance
    return float(by_log_noise)


def pull_basis(basis: Basis, inner: Array) -> tuple[Array, Array]:
    """Pull ∂/∂K_zz = L⁻ᵀ inner L⁻¹ back; Z stands on both sides of the symmetric K_zz."""
    half = solve_lower_transposed(basis.L, inner)  # L⁻ᵀ inner
    K_zz_bar = solve_lower_transposed(basis.L, half.T)  # L⁻ᵀ (L⁻ᵀ inner)ᵀ = L⁻ᵀ inner L⁻¹
    _, pullback = basis.kernel.vjp(basis.Z, basis.Z)
    theta_bar, Z_bar = pullback(0.5 * (K_zz_bar + K_zz_bar.T))
    return theta_bar, 2.0 * Z_bar
