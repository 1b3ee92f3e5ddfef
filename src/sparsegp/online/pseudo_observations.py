"""The state as a few Gaussian pseudo-observations, and their marginal likelihood.

The posterior at the basis is the prior N(0, L Lᵀ) times some Gaussian likelihood. With
L⁻¹ΣL⁻ᵀ = U diag(s) Uᵀ that likelihood observes the functionals

    u_iᵀL⁻¹f = t_i + noise of variance s_i/(1 − s_i),    t_i = u_iᵀL⁻¹μ/(1 − s_i).

Divided by the standard deviations of their noise they are A f = t + N(0, I), a summary of the
stream. Their log marginal likelihood under another kernel, log N(t | 0, A K Aᵀ + I), allows the
kernel to be learned without the rows, and they give the posterior under that kernel. (Bui, Nguyen &
Turner 2017 update hyperparameters of streaming sparse GPs in the same spirit.)
"""

from dataclasses import dataclass
from math import log, pi

import numpy as np

from sparsegp.arrays import (
    Array,
    add_to_diagonal,
    inverse_from_lower,
    safe_cholesky,
    solve_lower,
    solve_lower_transposed,
)
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.online.policy import SMALLEST_GAIN
from sparsegp.online.recursion import Online

__all__ = ["PseudoObservations", "change_kernel", "pseudo_evidence", "pseudo_observations"]


@dataclass(frozen=True)
class PseudoObservations:
    """Observations A f = t + N(0, I) of the function at the basis, for one output."""

    A: Array  # (p, m), p ≤ m
    t: Array  # (p,)


def pseudo_observations(state: Online) -> tuple[PseudoObservations, ...]:
    """Return the pseudo-observations of each output: O(K·m³)."""
    active = state.active
    L = safe_cholesky(state.K_zz[np.ix_(active, active)]).L
    found = []
    for mu, Sigma in zip(state.mu, state.Sigma, strict=True):
        half = solve_lower(L, state.block(Sigma))  # L⁻¹Σ
        whitened = solve_lower(L, half.T)  # L⁻¹ΣL⁻ᵀ, eigenvalues s in (0, 1]
        s, U = np.linalg.eigh(0.5 * (whitened + whitened.T))
        s = np.maximum(s, SMALLEST_GAIN**2)
        seen = s < 1.0 - SMALLEST_GAIN
        s, U = s[seen], U[:, seen]
        weight = np.sqrt(1.0 / s - 1.0)  # 1/standard deviation of the noise
        w = U.T @ solve_lower(L, mu[active, None])[:, 0]
        A = weight[:, None] * solve_lower_transposed(L, U).T  # (p, m)
        found.append(PseudoObservations(A, weight * w / (1.0 - s)))
    return tuple(found)


def pseudo_evidence(
    kernel: Kernel, Z: Array, observations: tuple[PseudoObservations, ...]
) -> tuple[float, Vector]:
    """Return the log evidence of the observations under a kernel, and its gradient by theta."""
    K, pullback = kernel.vjp(Z, Z)  # (m, m)
    value, K_bar = 0.0, np.zeros_like(K)
    for seen in observations:
        if not len(seen.t):
            continue
        L = safe_cholesky(add_to_diagonal(seen.A @ K @ seen.A.T, 1.0)).L  # (p, p)
        a = solve_lower_transposed(L, solve_lower(L, seen.t[:, None]))  # (p, 1)
        log_det = 2.0 * float(np.sum(np.log(np.diagonal(L))))
        value -= 0.5 * (float(seen.t @ a[:, 0]) + log_det + len(seen.t) * log(2.0 * pi))
        K_bar += seen.A.T @ (0.5 * (a @ a.T - inverse_from_lower(L))) @ seen.A
    return value, pullback(K_bar)[0]


def change_kernel(
    state: Online, kernel: Kernel, observations: tuple[PseudoObservations, ...]
) -> None:
    """Set the state to the posterior of the observations under another kernel: O(K·m³).

    Basis vectors that are linear combinations of others under this kernel are removed. With
    K = L Lᵀ on the others, M = A K L⁻ᵀ and B = I + MᵀM: Σ = L B⁻¹Lᵀ, which rounding cannot make
    indefinite, and μ = L B⁻¹Mᵀt.
    """
    Z = state.basis
    K = kernel(Z, Z)  # (m, m)
    state.kernel = kernel
    state.forget_kernel_values()
    state.put_block(state.K_zz, 0.5 * (K + K.T))
    state.refactor()  # drops the deletion scores, too
    L = safe_cholesky(state.K_zz[np.ix_(state.active, state.active)]).L
    to_kept = kernel(Z, state.basis)  # (m, kept)
    for c, seen in enumerate(observations):
        M = solve_lower(L, (seen.A @ to_kept).T).T  # (p, kept)
        L_B = safe_cholesky(add_to_diagonal(M.T @ M, 1.0)).L
        half = solve_lower(L_B, L.T)  # Σ = halfᵀ half
        state.put_block(state.Sigma[c], half.T @ half)
        state.mu[c, state.active] = half.T @ solve_lower(L_B, M.T @ seen.t[:, None])[:, 0]
