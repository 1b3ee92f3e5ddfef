"""The posterior over whitened weights, and what it predicts.

With B = I + ΦᵀWΦ = L_B L_Bᵀ the weights have the posterior N(β, B⁻¹), β = B⁻¹ΦᵀWy. At new
inputs, φ = L⁻¹k_z and ψ = L_B⁻¹φ,

    mean f = φᵀβ,    variance f = (k − ‖φ‖²) + ‖ψ‖²,

a residual clipped at zero and a sum of squares: never negative. SoR drops the residual.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sparsegp.arrays import (
    Array,
    Triangle,
    add_to_diagonal,
    in_shares,
    is_numpy,
    n_threads,
    namespace,
    row_sums_of_squares,
    safe_cholesky,
    shares_of,
    solve_lower,
    solve_lower_transposed,
)
from sparsegp.data.rows import block_size
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import Basis, residual_variances
from sparsegp.model.moments import Moments

__all__ = ["Posterior", "solve_posterior"]


@dataclass(frozen=True)
class Posterior:
    """All that prediction needs: no training row is kept."""

    basis: Basis
    rule: Approximation
    precision: Triangle  # L_B (m, m), lower: I + ΦᵀWΦ = L_B L_Bᵀ
    beta: Array  # (m, p), mean of the whitened weights
    alpha: Array  # (m, p), L⁻ᵀβ: weights of the kernel columns

    def mean(self, X: Array) -> Array:
        """Return E f: (n, p)."""
        return _join(self._by_block(X, lambda x: self.basis.kernel(x, self.basis.Z) @ self.alpha))

    def mean_and_variance(self, X: Array) -> tuple[Array, Array]:
        """Return E f (n, p) and Var f (n,)."""

        def of_block(x: Array) -> tuple[Array, Array]:
            Phi = self.basis.features(x)  # (b, m)
            return Phi @ self.beta, self._variance(x, Phi)

        means, variances = zip(*self._by_block(X, of_block), strict=True)
        return _join(means), _join(variances)

    def mean_and_covariance(self, X: Array) -> tuple[Array, Array]:
        """Return E f (n, p) and Cov f (n, n)."""
        Phi = self.basis.features(X)  # (n, m)
        mean = Phi @ self.beta
        Psi = self.precision.divide(Phi)
        covariance = Psi @ Psi.T
        if self.rule.in_prediction:
            covariance = covariance + self.basis.kernel(X, X) - Phi @ Phi.T
        return mean, 0.5 * (covariance + covariance.T)

    def _by_block(self, X: Array, of_block: Callable[[Array], Any]) -> list[Any]:
        """Return ``of_block`` of consecutive parts of X, in order, on all cores."""
        size = block_size(self.basis.Z.shape[0])
        blocks = [X[start : start + size, :] for start in range(0, X.shape[0], size)]
        shares = shares_of(blocks, n_threads() if is_numpy(X) else 1)
        done = in_shares(lambda share: [of_block(x) for x in share], shares)
        return [done[i % len(shares)][i // len(shares)] for i in range(len(blocks))]

    def _variance(self, X: Array, Phi: Array) -> Array:
        """Return Var f (b,) from the features, which are overwritten."""
        xp = namespace(Phi)
        residual = residual_variances(self.basis.kernel, X, Phi)
        explained = row_sums_of_squares(self.precision.divide(Phi, overwrite=True))
        if not self.rule.in_prediction:
            return explained
        return xp.clip(residual, 0.0, None) + explained


def _join(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else namespace(parts[0]).concat(parts)


def solve_posterior(basis: Basis, moments: Moments, rule: Approximation) -> Posterior:
    """Condition the weights on the moments of the rows."""
    xp = namespace(basis.Z)
    L_B = safe_cholesky(add_to_diagonal(xp.asarray(moments.gram, copy=True), 1.0)).L
    beta = solve_lower_transposed(L_B, solve_lower(L_B, moments.target))  # (m, p)
    return Posterior(basis, rule, Triangle.of(L_B), beta, solve_lower_transposed(basis.L, beta))
