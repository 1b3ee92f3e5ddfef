"""The model of an active set: the posterior given the Gaussian sites of a few rows alone.

A site is exp(b_i f_i − ½ p_i f_i²) with precision p_i and shift b_i = p_i m_i, m_i its location;
written so, a site may have no precision at all. With B = I + Π^½ K_uu Π^½ = L_B L_Bᵀ, R = Π^½ L_B⁻ᵀ
and E = R Rᵀ (SS section 2),

    c = b − E K_uu b,    f = K_xu c,    V = K_xu R,    A_ii = k_ii − ‖v_i‖².

B has eigenvalues of at least one, so that copies among the active rows do no harm. Written as a
``Posterior``, rows are whitened by the factor of K_uu + Π⁻¹ instead of that of K_uu, with features
V; the weights are then known exactly, and all variance is the residual k − ‖v‖².

The predictive loss is the mean of −log⟨p(y_i | f_i)⟩ (SS eq. 4). With its derivatives f̄ by f and ā
by diag A,

    ∂/∂K_xu = f̄ cᵀ − 2 diag(ā) V Rᵀ,      ∂/∂k_ii = ā_i,
    ∂/∂K_uu = −E K_uxf̄ cᵀ + R Vᵀ diag(ā) V Rᵀ,

in one pass over the rows. The other objective is the log evidence of the sites, as in the
informative vector machine (Lawrence, Seeger & Herbrich 2003),

    log ∫ N(f | 0, K_uu) Π_i exp(b_i f_i − ½ p_i f_i²) df = ½ bᵀ K_uu c − ½ log|B|,

which is log N(m | 0, K_uu + Π⁻¹) up to terms of the sites alone, and has ∂/∂K_uu = ½ (ccᵀ − E).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

import numpy as np

from sparsegp.arrays import (
    Array,
    Triangle,
    add_to_diagonal,
    map_shares,
    row_sums_of_squares,
    safe_cholesky,
    solve_lower,
)
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.likelihoods import Probit
from sparsegp.model.approximation import DTC
from sparsegp.model.features import Basis
from sparsegp.model.moments import Moments, row_shares
from sparsegp.model.policy import LEAST_PRECISION
from sparsegp.model.posterior import Posterior, solve_posterior
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.tables.rows import Rows

__all__ = ["ActiveGradient", "active_posterior", "marginal_likelihood", "predictive_loss"]


@dataclass(frozen=True)
class ActiveGradient:
    """The value of an objective, and its derivatives at fixed active set and sites."""

    value: float
    theta: Vector  # (q,), by the kernel's log-parameters
    log_slope: float = 0.0
    bias: float = 0.0


def active_posterior(kernel: Kernel, Z: Array, sites: Sites) -> Posterior:
    """Condition on the sites of the active rows Z (m, D) alone."""
    K_uu = kernel(Z, Z)
    mean_prior = float(np.mean(np.diagonal(K_uu)))
    least = LEAST_PRECISION / mean_prior if mean_prior > 0.0 else LEAST_PRECISION
    root = np.sqrt(np.maximum(sites.precision, least))  # (m,), Π^½
    L_B = safe_cholesky(add_to_diagonal(root[:, None] * K_uu * root, 1.0)).L
    basis = Basis(kernel, Z, Triangle.of(L_B / root[:, None]), jitter=0.0)
    beta = solve_lower(L_B, (sites.shift / root)[:, None])  # (m, 1)
    # the features are all that the sites explain: the weights have no uncertainty of their own
    zeros = np.zeros_like(K_uu)
    moments = Moments(zeros, beta, 0.0, 0.0, 0.0, float(len(sites)))
    return replace(solve_posterior(basis, moments, DTC), weight_scale=0.0)


@dataclass(frozen=True)
class _Solved:
    """The posterior given the sites, for one kernel."""

    R: Array  # (m, m): E = R Rᵀ
    c: Array  # (m,)
    value: float  # ½ bᵀ K_uu c − ½ log|B|


def _solve(K_uu: Array, sites: Sites) -> _Solved:
    root = np.sqrt(sites.precision)  # (m,)
    L_B = safe_cholesky(add_to_diagonal(root[:, None] * K_uu * root, 1.0)).L
    R = solve_lower(L_B, np.diag(root)).T  # (m, m), Π^½ L_B⁻ᵀ
    K_shift = K_uu @ sites.shift  # (m,)
    c = sites.shift - R @ (R.T @ K_shift)
    log_det = 2.0 * float(np.sum(np.log(np.diagonal(L_B))))
    return _Solved(R, c, 0.5 * float(K_shift @ c) - 0.5 * log_det)


def marginal_likelihood(kernel: Kernel, Z: Array, sites: Sites) -> ActiveGradient:
    """Return the log evidence of the sites, to be maximised, and its gradient.

    For fixed sites it does not depend on slope and bias of the likelihood.
    """
    K_uu, pullback = kernel.vjp(Z, Z)
    solved = _solve(K_uu, sites)
    K_uu_bar = 0.5 * (np.outer(solved.c, solved.c) - solved.R @ solved.R.T)
    return ActiveGradient(solved.value, np.asarray(pullback(K_uu_bar)[0]))


@dataclass(frozen=True)
class _Sums:
    """Sums of the pass over the rows, before division by the total weight."""

    value: float
    theta: Array  # (q,)
    log_slope: float
    bias: float
    V_f: Array  # (m,), Vᵀ f̄
    V_a: Array  # (m, m), Vᵀ diag(ā) V

    def __add__(self, other: "_Sums") -> "_Sums":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return _Sums(*(a + b for a, b in pairs))


def predictive_loss(
    kernel: Kernel, Z: Array, sites: Sites, likelihood: Probit, rows: Rows, column: int = 0
) -> ActiveGradient:
    """Return the mean of −log⟨p(y | f)⟩ over rows, to be minimised, and its gradient (SS eq. 4).

    Parameters
    ----------
    kernel : Kernel
    Z : array (m, D)
        The active rows.
    sites : Sites of m rows
    likelihood : Probit
    rows : Rows
        Rows to predict, usually all that are not active; a row of weight s counts s times.
    column : int
        Column of ``rows.y``, which holds ±1.
    """
    K_uu, pullback = kernel.vjp(Z, Z)
    solved = _solve(K_uu, sites)
    R, c = solved.R, solved.c

    def of_share(blocks: Sequence[Rows]) -> _Sums:
        return reduce(
            add, (_pass(kernel, Z, solved, likelihood, block, column) for block in blocks)
        )

    sums = reduce(add, map_shares(of_share, row_shares(rows, len(sites))))
    through_c = np.outer(R @ sums.V_f, c)  # E K_ux f̄ cᵀ
    K_uu_bar = R @ sums.V_a @ R.T - 0.5 * (through_c + through_c.T)  # (m, m)
    theta = sums.theta + pullback(K_uu_bar)[0]
    total = rows.total_weight
    return ActiveGradient(
        sums.value / total, np.asarray(theta) / total, sums.log_slope / total, sums.bias / total
    )


def _pass(
    kernel: Kernel, Z: Array, solved: _Solved, likelihood: Probit, rows: Rows, column: int
) -> _Sums:
    """Predict one block of rows, and differentiate its loss."""
    K, pullback = kernel.vjp(rows.X, Z)  # (b, m)
    V = K @ solved.R  # (b, m)
    variance = kernel.diagonal(rows.X) - row_sums_of_squares(V)  # (b,)
    belief = likelihood.moment_match(rows.y[:, column], K @ solved.c, np.maximum(variance, 0.0))
    count = np.ones(len(rows)) if rows.weight is None else rows.weight
    f_bar = -count * belief.q  # (b,)
    # a variance that was clipped at zero stays there: no derivative passes
    a_bar = np.where(variance > 0.0, -count * belief.by_variance, 0.0)
    a_V = a_bar[:, None] * V  # (b, m)
    K_bar = np.outer(f_bar, solved.c) - 2.0 * (a_V @ solved.R.T)  # (b, m)
    return _Sums(
        value=-float(count @ belief.log_z),
        theta=pullback(K_bar)[0] + kernel.pull_diagonal(rows.X, a_bar),
        log_slope=-float(count @ likelihood.by_log_slope(belief)),
        bias=-float(count @ likelihood.by_bias(belief)),
        V_f=f_bar @ V,
        V_a=V.T @ a_V,
    )
