"""Moments in single precision: whether that is safe, and weights refined in double.

Rounding makes features Φ + Δ of the features Φ (Δ is about 10⁻⁷ times what whitening amplifies). As
the rounding of different rows is unrelated, the sums ΦᵀWΦ change by about ΔᵀWΔ, information that
the data do not hold, to be compared with the identity that the prior adds; and targets seem to have
the noise Δβ. Both are predicted from some rows, whose features are computed twice.

The mean is then refined. With the weights β that B̃ = I + Φ̃ᵀWΦ̃ gives, the residual of the normal
equations in double precision,

    g = ΦᵀW(y − Φβ) − β = L⁻¹ K_zx W(y − K_xz α) − β,    α = L⁻ᵀβ,

needs kernel values but no whitening of rows, O(n·m), and β + B̃⁻¹g is the solution of the equations
but for the square of the relative error of B̃. How far that moves the mean, in posterior standard
deviations, is the last check.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from math import sqrt
from operator import add

import numpy as np

from sparsegp.arrays import (
    Array,
    full_single,
    in_double,
    in_single,
    namespace,
    solve_lower,
    solve_lower_transposed,
)
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import Basis
from sparsegp.model.moments import map_blocks
from sparsegp.model.policy import (
    LARGEST_CORRECTION,
    LEAST_NOISE_FOR_SINGLE,
    MOST_FALSE_INFORMATION,
    ROWS_TO_PREDICT_ROUNDING,
)
from sparsegp.model.posterior import Posterior
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["refined", "too_large_correction", "why_double"]


def why_double(basis: Basis, rows: AnyRows, variance: float) -> str:
    """Return why single precision is not enough for the moments; an empty string if it is."""
    step = -(-len(rows) // ROWS_TO_PREDICT_ROUNDING)
    some = rows.take(np.arange(0, len(rows), step))
    xp = namespace(some.X)
    prior = float(xp.mean(basis.kernel.diagonal(some.X)))
    least = variance if some.noise_factor is None else variance * float(xp.min(some.noise_factor))
    if least < LEAST_NOISE_FOR_SINGLE * prior:
        return f"the noise is below {LEAST_NOISE_FOR_SINGLE:g} of the signal"
    own = basis.in_single()
    with full_single(some.X):
        rounded = in_double(own.features(in_single(some.X)))
    error = rounded - basis.features(some.X)  # (b, m), Δ
    information = float(xp.max(xp.mean(error * error, axis=0))) * rows.total_weight / least
    if not information <= MOST_FALSE_INFORMATION:
        return f"rounding would add {information:.2g} to the precision of a weight"
    return ""


def refined(
    posterior: Posterior, rows: AnyRows, variance: float, rule: Approximation
) -> tuple[Posterior, float]:
    """Return the posterior with weights refined in double, and how far the mean moved.

    The distance is √(gᵀB̃⁻¹g) for the output that moved most: the root mean square movement of the
    weights in posterior standard deviations, times √m. Noise that depends on the features of a row
    (FITC) would need them in double; there nothing is refined.
    """
    if rule.in_noise:
        return posterior, 0.0
    basis, L_B = posterior.basis, posterior.precision.L
    sums = rows.reduce(partial(_residual_sums, basis, posterior.alpha, variance))  # (m, p)
    g = solve_lower(basis.L, sums) - posterior.beta
    half = solve_lower(L_B, g)  # (m, p), L_B⁻¹g
    xp = namespace(half)
    beta = posterior.beta + solve_lower_transposed(L_B, half)
    alpha = solve_lower_transposed(basis.L, beta)
    moved = sqrt(float(xp.max(xp.sum(half * half, axis=0))))
    return replace(posterior, beta=beta, alpha=alpha), moved


def too_large_correction(moved: float, n_basis: int) -> bool:
    """Tell whether a refinement moved the weights so far that their precision is in doubt."""
    return not moved <= LARGEST_CORRECTION * sqrt(n_basis)


def _residual_sums(basis: Basis, alpha: Array, variance: float, rows: Rows) -> Array:
    """Return K_zx W(y − K_xz α) of some rows: (m, p)."""
    values, precise = basis.kernel.bind_Z(basis.Z), rows.by_precision()

    def of_share(blocks: Sequence[Rows]) -> Array:
        return reduce(add, map(of_block, blocks))

    def of_block(block: Rows) -> Array:
        K = values(block.X)  # (b, m)
        error = (block.y - K @ alpha) / variance  # (b, p)
        return K.T @ (error if block.weight is None else error * block.weight[:, None])

    return reduce(add, map_blocks(of_share, precise, basis.Z.shape[0]))
