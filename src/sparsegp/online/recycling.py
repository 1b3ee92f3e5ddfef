"""Going over rows again without counting them twice (expectation propagation).

CO learn a row a second time as if it were new, "a mere heuristic". Here every row has a Gaussian
site on its projection u = êᵀf: a precision λ and a shift λ·t. Before a row is confronted again its
site is divided out,

    1/v₋ = 1/v − λ,    m₋ = v₋ (m/v − λt),

and what the target then says of N(m₋, v₋ + γ) is its new site (Minka 2000). The basis stays. The
first sweep's sites belong to bases that have changed since, so the posterior is first put
together anew from the sites on the present basis.
"""

from collections.abc import Iterator

import numpy as np

from sparsegp.arrays import (
    Array,
    Triangle,
    add_to_diagonal,
    inverse_from_lower,
    safe_cholesky,
    solve_lower,
)
from sparsegp.likelihoods.base import Belief, Likelihood, site_of
from sparsegp.online import symmetric
from sparsegp.online.recursion import SMALLEST_SHARE, Online, correct

__all__ = ["posterior_from_sites", "recycle"]

BLOCK = 1024


def recycle(
    state: Online,
    X: Array,
    Y: Array,
    likelihood: Likelihood,
    precision: Array,
    shift: Array,
    n_sweeps: int,
) -> None:
    """Refine sites (n, K), which are overwritten, and the posterior: O(n·K·m²) a sweep."""
    np.maximum(precision, 0.0, out=precision)
    posterior_from_sites(state, X, precision, shift)
    for _ in range(n_sweeps):
        for i, e, gamma in _projections(state, X):
            _again(state, e, gamma, Y[i], likelihood, precision[i], shift[i])
    # what so many corrections have rounded off
    posterior_from_sites(state, X, precision, shift)


def _projections(state: Online, X: Array) -> Iterator[tuple[int, Array, float]]:
    """Yield the position, ê and γ of each row; the basis does not change meanwhile."""
    for start in range(0, len(X), BLOCK):
        x = X[start : start + BLOCK]
        K_xz = state.kernel(x, state.Z)  # (b, M)
        E = np.ascontiguousarray(symmetric.times_many(state.Q, K_xz))
        k = state.kernel.diagonal(x)
        gamma = np.maximum(k - np.einsum("ij,ij->i", K_xz, E), SMALLEST_SHARE * k)
        for j in range(len(x)):
            yield start + j, E[j], float(gamma[j])


def _again(
    state: Online,
    e: Array,
    gamma: float,
    y: Array,
    likelihood: Likelihood,
    precision: Array,
    shift: Array,
) -> None:
    """Exchange the sites of one row, (K,) each, in place."""
    h = np.stack([symmetric.times(Sigma, e) for Sigma in state.Sigma])  # (K, M)
    v, m = h @ e, state.mu @ e  # (K,)
    share = 1.0 - v * precision  # v/v₋
    usable = (v > 0.0) & (share > SMALLEST_SHARE)
    v_without = np.where(usable, v, 1.0) / np.where(usable, share, 1.0)
    m_without = np.where(usable, (m - v * shift) / np.where(usable, share, 1.0), m)
    belief = likelihood.confront(y, m_without, v_without + gamma)
    new_precision, new_shift = site_of(belief, m_without, v_without)
    by, to = new_precision - precision, new_shift - shift
    kept = 1.0 + by * v
    usable &= (kept > SMALLEST_SHARE) & np.isfinite(by) & np.isfinite(to)
    by, to, kept = np.where(usable, by, 0.0), np.where(usable, to, 0.0), np.where(usable, kept, 1.0)
    precision += by
    shift += to
    correct(state, h, Belief(belief.log_z, (to - by * m) / kept, -by / kept))


def posterior_from_sites(state: Online, X: Array, precision: Array, shift: Array) -> None:
    """Set μ and Σ to the posterior of sites (n, K) on the rows' projections: O(n·K·m²).

    With K_zz = L Lᵀ and Φ = K_xz L⁻ᵀ: B = I + ΦᵀΛΦ, Σ = L B⁻¹Lᵀ and μ = L B⁻¹Φᵀ(Λt).
    """
    Z, active = state.basis, state.active
    L = safe_cholesky(state.K_zz[np.ix_(active, active)]).L
    divide = Triangle.of(L).divide
    n_outputs, m = len(state.mu), len(Z)
    B = np.zeros((n_outputs, m, m))
    b = np.zeros((n_outputs, m))
    for start in range(0, len(X), BLOCK):
        rows = slice(start, start + BLOCK)
        Phi = divide(state.kernel(X[rows], Z), overwrite=True)  # (b, m)
        for c in range(n_outputs):
            B[c] += Phi.T @ (precision[rows, c, None] * Phi)
            b[c] += Phi.T @ shift[rows, c]
    for c in range(n_outputs):
        L_B = safe_cholesky(add_to_diagonal(B[c], 1.0)).L
        half = solve_lower(L_B, L.T)  # (m, m), Σ = halfᵀ half
        state.put_block(state.Sigma[c], half.T @ half)
        state.mu[c, active] = L @ (inverse_from_lower(L_B) @ b[c])
    state.ledger = None
