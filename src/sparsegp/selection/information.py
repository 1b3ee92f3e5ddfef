"""Information gain (Seeger, Williams & Lawrence 2003), the INFO of KC.

A candidate i, itself a training row, is coupled to its own target alone. Under the old model the
projection g of the basis on x_i has the posterior N(μ_i, σ²η_i), and f_i = g + N(0, l_i²) with
l_i² = K_ii − q_i; the new model replaces the factor N(y_i | g, σ²) by N(y_i | f_i, σ²).
The gain is the divergence between the two joint distributions of (g, f_i),

    KL(new ‖ old) = −log(σ/l) − ½ [ log ξ + ξ (1 − κ) (y − μ)²/σ² − κ + 2 ],
    ξ = 1/(σ²/l² + 1 − η),    κ = ξ (1 + 2σ²/l²):

O(1) a row. A row of weight s has the noise σ²/s and therefore the leverage sη.
"""

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import row_sums_of_squares
from sparsegp.kernels.base import Vector
from sparsegp.selection.policy import DUPLICATE
from sparsegp.selection.projection import Addition, Projection

__all__ = ["InformationGain", "information_gain"]


def information_gain(noise: Vector, eta: Vector, l_square: Vector, error: Vector) -> Vector:
    """Return the gain of rows with noise σ² (c,), leverage (c,), l² (c,) and y − μ (c, p): (c,)."""
    n_outputs = error.shape[1]
    ratio = noise / l_square  # σ²/l²
    xi = 1.0 / (ratio + 1.0 - eta)
    kappa = xi * (1.0 + 2.0 * ratio)
    misfit = row_sums_of_squares(error) / noise
    same = -0.5 * np.log(ratio) - 0.5 * (np.log(xi) - kappa + 2.0)
    return np.asarray(n_outputs * same - 0.5 * xi * (1.0 - kappa) * misfit)


class InformationGain:
    """Scores that need only the values that the model keeps for every row."""

    def __init__(self, model: Projection, n_places: int) -> None:
        self._model = model
        self._at = np.zeros(n_places, dtype=np.intp)

    def fill(self, places: NDArray[np.intp], at: NDArray[np.intp]) -> None:
        """Record the rows of the candidates."""
        self._at[places] = at

    def update(self, added: Addition) -> None:
        """Do nothing: no values are cached for a candidate."""

    def exhausted(self) -> NDArray[np.bool_]:
        """Return False for all: nothing is downdated, so no precision is lost."""
        return np.zeros(len(self._at), dtype=np.bool_)

    def scores(self) -> Vector:
        """Return minus the gains: (c,)."""
        model, at = self._model, self._at
        weight, l_square = model.weight[at], model.prior[at] - model.q[at]
        usable = l_square > DUPLICATE * model.prior[at]
        l_square = np.where(usable, l_square, 1.0)
        gains = information_gain(
            model.variance / weight, weight * model.eta[at], l_square, model.error[at]
        )
        return np.where(usable, -gains, np.inf)

    def value(self, score: float, added: Addition) -> float:
        """Return minus the gain of this addition."""
        return score
