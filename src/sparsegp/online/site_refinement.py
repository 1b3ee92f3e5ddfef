"""Going over rows again without counting them twice (expectation propagation).

CO learn a row a second time as if it were new, "a mere heuristic". Here every row has a Gaussian
site on its projection u = êᵀf: a precision λ and a shift λ·t. Before a row is confronted again its
site is divided out,

    1/v₋ = 1/v − λ,    m₋ = v₋ (m/v − λt),

and what the target then says of N(m₋, v₋ + γ) is its new site (Minka 2000). The basis stays. The
sites of the first sweep are on the values f(x) of rows, of which the last basis explains u and
leaves γ: ``put_on_basis`` divides them by 1 + λγ.

Sites may chase each other: a target far outside its belief asks for a very precise site, that makes
the next target lie far outside, and so on without end (one-sided noise, targets below the edge).
So an exchange goes only part of the way where it would divide the variance of a row by more than
1 + MOST_GAIN. They come to rest in the same place.
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
from sparsegp.likelihoods.weighted import of_rows
from sparsegp.online import symmetric
from sparsegp.online.recursion import SMALLEST_SHARE, Online, correct

__all__ = ["posterior_from_sites", "put_on_basis", "recycle"]

BLOCK = 1024
MOST_GAIN = 3.0  # of precision in an exchange, as a share of the row's own
SMALLEST_CAVITY = 1e-6  # v/v₋ below this is rounding


def put_on_basis(state: Online, X: Array, precision: Array, shift: Array) -> None:
    """Turn sites on values of rows into sites on their projections, (n, K), in place."""
    np.maximum(precision, 0.0, out=precision)
    for i, _, gamma in _projections(state, X):
        share = 1.0 + gamma * precision[i]
        precision[i] /= share
        shift[i] /= share


def recycle(
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

    Return log Z of each target given all others, as the last sweep found it: (n, K).
    """
    likelihoods = of_rows(likelihood, len(X), weight)
    posterior_from_sites(state, X, precision, shift)
    log_z = np.empty_like(precision)
    for _ in range(n_sweeps):
        for i, e, gamma in _projections(state, X):
            log_z[i] = _again(state, e, gamma, Y[i], likelihoods[i], precision[i], shift[i])
        # what so many corrections have rounded off
        posterior_from_sites(state, X, precision, shift)
    return log_z


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
) -> Array:
    """Exchange the sites of one row, (K,) each, in place; return log Z (K,)."""
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
    """Return the sites of projections N(mean, variance), none with a negative precision.

    An outlier of a heavy tail widens the belief; its site says then only where, not how sure.
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
    state.deletion_scores = None
