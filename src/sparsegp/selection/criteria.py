"""The selection criteria by name, and the gains of those that need only Schur complements.

Eliminating the chosen set I from S = K_c· W K_·c + σ²K_cc, from K_cc and from b = K_c· W y
leaves for each candidate j the Schur complements s_j and k_j and the residual

    r_j = b_j − S_jI S_II⁻¹ b_I = K_j· W (y − μ) − σ² μ(x_j),

where μ is the mean of the model with basis I. Adding j decreases

- the log posterior's π̃(α_I) = −½ b_Iᵀ S_II⁻¹ b_I (KC eq. 5) by ½ r_j²/s_j,
- the same, with α_I held at its old value (KC eq. 7-8), by ½ r_j²/S_jj,
- the negative log evidence by ½ [ r_j²/(σ² s_j) − log( s_j/(σ² k_j) ) ].

Outputs share everything but r: their gains add.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log, pi
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import Array, namespace, row_sums_of_squares, take
from sparsegp.selection.policy import DUPLICATE
from sparsegp.tables.rows import Rows

__all__ = [
    "CRITERIA",
    "GAINS",
    "HAS_TURNING_POINT",
    "MEASURES",
    "NEEDS_K",
    "Gain",
    "Schur",
    "empty_basis_value",
]

CRITERIA = (
    "random",
    "information_gain",
    "matching_pursuit",
    "log_posterior",
    "marginal_likelihood",
    "loo_error",
    "loo_density",
    "loo_squared_error",
)

#: Criteria that estimate prediction error: they rise again when the model starts to fit noise.
HAS_TURNING_POINT = frozenset(
    {"marginal_likelihood", "loo_error", "loo_density", "loo_squared_error"}
)


@dataclass
class Schur:
    """Schur complements of c candidates after eliminating the chosen ones."""

    r: Array  # (c, p)
    s: Array  # (c,)
    k: Array  # (c,)
    S_diagonal: Array  # (c,), s of an empty basis
    K_diagonal: Array  # (c,), k of an empty basis
    s_floor: Array  # (c,), s below it is rounding

    def independent(self) -> Array:
        """Tell which candidates are not duplicates: (c,)."""
        return self.k > DUPLICATE * self.K_diagonal

    def usable(self) -> Array:
        """Tell which candidates are not duplicates and have a precise s: (c,)."""
        return self.independent() & (self.s > self.s_floor)

    def take(self, keep: NDArray[np.intp]) -> "Schur":
        """Return the part for some of the candidates."""
        return Schur(*(take(part, keep) for part in vars(self).values()))


#: (Schur, σ²) ↦ the decrease of a measure by each candidate, (c,).
Gain: TypeAlias = Callable[[Schur, float], Array]


def _log_posterior(left: Schur, variance: float) -> Array:
    return 0.5 * row_sums_of_squares(left.r) / left.s


def _matching_pursuit(left: Schur, variance: float) -> Array:
    return 0.5 * row_sums_of_squares(left.r) / left.S_diagonal


def _marginal_likelihood(left: Schur, variance: float) -> Array:
    noisy = variance * left.s
    noisy_prior = variance * left.k
    penalty = left.r.shape[1] * namespace(left.s).log(left.s / noisy_prior)
    return 0.5 * (row_sums_of_squares(left.r) / noisy - penalty)


#: Gain by which the next candidate is chosen.
GAINS: dict[str, Gain] = {
    "log_posterior": _log_posterior,
    "matching_pursuit": _matching_pursuit,
    "marginal_likelihood": _marginal_likelihood,
}

#: Criteria that need k itself, not only whether it is zero.
NEEDS_K = frozenset({"marginal_likelihood"})

#: Gain by which the value on the path decreases: matching pursuit scores by a bound on it.
MEASURES: dict[str, Gain] = {
    **GAINS,
    "matching_pursuit": _log_posterior,
}


def empty_basis_value(criterion: str, rows: Rows, variance: float) -> float:
    """Return the value of a measure in ``MEASURES`` for an empty basis."""
    if criterion != "marginal_likelihood":
        return 0.0
    squares = row_sums_of_squares(rows.y)  # (n,)
    total = namespace(squares).sum(squares) if rows.weight is None else squares @ rows.weight
    fit = float(total) / variance
    return 0.5 * (rows.y.shape[1] * rows.total_weight * log(2.0 * pi * variance) + fit)
