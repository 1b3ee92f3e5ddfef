"""Further sweeps over rows by expectation propagation, without counting rows twice.

CO learn a row a second time as if it were new, "a mere heuristic". Here every row has a Gaussian
site on its projection u = êᵀf: a precision λ and a shift λ·t. Before an update of a row its site is
divided out,

    1/v₋ = 1/v − λ,    m₋ = v₋ (m/v − λt),

and moment matching of its target with N(m₋, v₋ + γ) gives the new site (Minka 2001). The basis is
fixed. The sites of the first sweep are on the values f(x) of rows, of which the last basis explains
u and leaves the variance γ: ``project_sites`` divides them by 1 + λγ.

Sites may amplify each other: a target far outside its belief leads to a very precise site, which
puts the next target far outside its belief, and so on (one-sided noise, targets below the edge). So
an update is damped if it would divide the variance of a row by more than 1 + MOST_GAIN; the fixed
point stays the same.
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
from sparsegp.likelihoods.weighted import row_likelihoods
from sparsegp.online import symmetric
from sparsegp.online.policy import (
    MOST_GAIN,
    REFINED_BLOCK,
    SMALLEST_CAVITY,
    SMALLEST_SHARE,
)
from sparsegp.online.recursion import Online, correct

__all__ = ["posterior_from_sites", "project_sites", "refine_sites"]


def project_sites(state: Online, X: Array, precision: Array, shift: Array) -> None:
    """Turn sites on f(x) into sites on the rows' projections, (n, K), in place."""
    np.maximum(precision, 0.0, out=precision)
    for i, _, gamma in _projections(state, X):
        share = 1.0 + gamma * precision[i]
        precision[i] /= share
        shift[i] /= share


def refine_sites(
    state: Online,
    X: Array,
    Y: Array,
    likelihood: Likelihood,
    precision: Array,
    shift: Array,
    n_sweeps: int,
    weight: Array | None = None,
) -> Array:
    """Refine sites (n, K), which are overwritten, and the posterior: O(n·K·m²) a sweep.

    Returns log Z of each target given all others, from the last sweep: (n, K).
    """
    likelihoods = row_likelihoods(likelihood, len(X), weight)
    posterior_from_sites(state, X, precision, shift)
    log_z = np.empty_like(precision)
    for _ in range(n_sweeps):
        for i, e, gamma in _projections(state, X):
            log_z[i] = _refine_row(state, e, gamma, Y[i], likelihoods[i], precision[i], shift[i])
        # without the rounding errors of many rank-one updates
        posterior_from_sites(state, X, precision, shift)
    return log_z


def _projections(state: Online, X: Array) -> Iterator[tuple[int, Array, float]]:
    """Yield the position, ê and γ of each row, for a fixed basis."""
    for start in range(0, len(X), REFINED_BLOCK):
        x = X[start : start + REFINED_BLOCK]
        K_xz = state.kernel(x, state.Z)  # (b, M)
        E = np.ascontiguousarray(symmetric.times_many(state.Q, K_xz))
        k = state.kernel.diagonal(x)
        gamma = np.maximum(k - np.einsum("ij,ij->i", K_xz, E), SMALLEST_SHARE * k)
        for j in range(len(x)):
            yield start + j, E[j], float(gamma[j])


def _refine_row(
    state: Online,
    e: Array,
    gamma: float,
    y: Array,
    likelihood: Likelihood,
    precision: Array,
    shift: Array,
) -> Array:
    """Update the sites of one row, (K,) each, in place; return log Z (K,)."""
    h = np.stack([symmetric.times(Sigma, e) for Sigma in state.Sigma])  # (K, M)
    v, m = np.maximum(h @ e, 0.0), state.mu @ e  # (K,)
    left = np.maximum(1.0 - v * precision, SMALLEST_CAVITY)  # v/v₋
    v_without, m_without = v / left, (m - v * shift) / left
    belief = likelihood.moment_match(y, m_without, v_without + gamma)
    new_precision, new_shift = _proper_site(belief, m_without, v_without)
    by, to = new_precision - precision, new_shift - shift
    step = 1.0 / np.maximum(1.0, v * by / MOST_GAIN)
    by, to = step * by, step * to
    kept = 1.0 + by * v
    usable = (kept > 0.0) & np.isfinite(kept) & np.isfinite(to)
    by, to, kept = np.where(usable, by, 0.0), np.where(usable, to, 0.0), np.where(usable, kept, 1.0)
    precision += by
    shift += to
    correct(state, h, Belief(belief.log_z, (to - by * m) / kept, -by / kept))
    return belief.log_z


def _proper_site(belief: Belief, mean: Array, variance: Array) -> tuple[Array, Array]:
    """Return the sites of projections N(mean, variance), without negative precisions.

    An outlier of a heavy-tailed likelihood would widen the belief; its site then only shifts it.
    """
    precision, shift = site_of(belief, mean, variance)
    return np.maximum(precision, 0.0), np.where(precision > 0.0, shift, belief.q)


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
    for start in range(0, len(X), REFINED_BLOCK):
        rows = slice(start, start + REFINED_BLOCK)
        Phi = divide(state.kernel(X[rows], Z), overwrite=True)  # (b, m)
        for c in range(n_outputs):
            B[c] += Phi.T @ (precision[rows, c, None] * Phi)
            b[c] += Phi.T @ shift[rows, c]
    for c in range(n_outputs):
        L_B = safe_cholesky(add_to_diagonal(B[c], 1.0)).L
        half = solve_lower(L_B, L.T)  # (m, m), Σ = halfᵀ half
        state.put_block(state.Sigma[c], half.T @ half)
        state.mu[c, active] = L @ (inverse_from_lower(L_B) @ b[c])
    state.deletion_scores = None
