"""The gradient of the log evidence of Gaussian sites, for EP and the variational bound.

At a fixed point of the sites the evidence is stationary in them. So its derivative by anything else
is the explicit one, with the sites (and cavities) held fixed: that of a Gaussian model whose row i
has precision w_i and target τ_i/w_i, plus g_i, the derivative of the contribution of row i by its
residual variance d_i. In the notation of ``evidence``,

    ∂/∂K_xz = (τ − W Φβ)(L⁻ᵀβ)ᵀ − [W Φ B⁻¹ + 2 diag(g) Φ] L⁻¹,
    ∂/∂K_zz = L⁻ᵀ [ −½ (ββᵀ − I + B⁻¹) + Φᵀ diag(g) Φ ] L⁻¹,
    ∂/∂k_ii = g_i,

summed over the columns of targets; a row of weight s counts s times.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import (
    Array,
    add_product,
    add_to_diagonal,
    inverse_from_lower,
    solve_lower,
)
from sparsegp.model.evidence import pull_basis
from sparsegp.model.feature_rows import FeatureRows
from sparsegp.model.sites.inference import InferredSites

__all__ = ["SiteGradient", "site_gradient"]


@dataclass(frozen=True)
class SiteGradient:
    """Derivatives of the log evidence."""

    theta: Array  # (q,), by the kernel's log-parameters
    Z: Array  # (m, D), by the basis inputs
    log_slope: Array  # (C,)
    bias: Array  # (C,)


def site_gradient(features: FeatureRows, inferred: InferredSites) -> SiteGradient:
    """Return the gradient at a fixed point, in one pass over the rows."""
    basis, rows = features.basis, features.rows
    sites, derivatives, posteriors = inferred.sites, inferred.derivatives, inferred.posteriors
    n_columns = len(posteriors)
    beta = np.concatenate([p.beta for p in posteriors], axis=1)  # (m, C)
    alpha = np.concatenate([p.alpha for p in posteriors], axis=1)  # (m, C)
    inverses = [inverse_from_lower(p.precision.L) for p in posteriors]
    L_inverse = solve_lower(basis.L, np.eye(basis.L.shape[0]))

    def of_share(parts: Sequence[slice]) -> _GradientSums:
        total = _GradientSums(np.zeros(len(basis.kernel.theta)), np.zeros_like(basis.Z), 0.0)
        for part, Phi, d in features.over(parts):
            s = features.weight(part)[:, None]  # (b, 1)
            w = s * sites.precision[part]  # (b, C)
            residual = s * sites.shift[part] - w * (Phi @ beta)  # (b, C)
            g = np.where(d > 0.0, np.sum(s * derivatives.by_variance[part], axis=1), 0.0)  # (b,)
            T = (-2.0 * g)[:, None] * Phi
            for c, inverse in enumerate(inverses):
                T = add_product(T, Phi * w[:, c, None], inverse, -1.0)
            _, pullback = basis.kernel.vjp(rows.X[part], basis.Z)
            theta_bar, Z_bar = pullback(add_product(residual @ alpha.T, T, L_inverse))
            theta_bar = theta_bar + basis.kernel.pull_diagonal(rows.X[part], g)
            total = total + _GradientSums(theta_bar, Z_bar, (Phi * g[:, None]).T @ Phi)
        return total

    sums = features.reduce(of_share)
    total_inverse = sum(inverses[1:], inverses[0] + 0.0)  # (m, m)
    inner = sums.gram_g - 0.5 * (beta @ beta.T + add_to_diagonal(total_inverse, -n_columns))
    theta_zz, Z_zz = pull_basis(basis, inner)
    weight = features.weight(slice(0, len(features)))  # (n,)
    return SiteGradient(
        sums.theta + theta_zz,
        sums.Z + Z_zz,
        weight @ derivatives.by_log_slope,
        weight @ derivatives.by_bias,
    )


@dataclass(frozen=True)
class _GradientSums:
    """Sums of the pass."""

    theta: Array  # (q,)
    Z: Array  # (m, D)
    gram_g: Array | float  # (m, m), Φᵀ diag(g) Φ

    def __add__(self, other: "_GradientSums") -> "_GradientSums":
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return _GradientSums(*(a + b for a, b in pairs))
