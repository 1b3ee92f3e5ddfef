"""Leave-one-out measures of FITC, whose rows have a noise that depends on the basis (SKS 3.3).

A row has the noise λ_i = σ² + K_ii − q_i. A candidate j lowers it by π_ij²/k_j in every row, so
that all sums over rows change, and the measure of the model with j costs O(n·m²) instead of O(n·m).
The candidates are therefore compared twice: all of them with λ as it is before the addition, which
is the computation of DTC, and the best of these by the measure itself.
"""

import numpy as np
from numpy.typing import NDArray

from sparsegp.kernels.base import Vector
from sparsegp.model.leave_one_out.measures import loo_derivatives
from sparsegp.model.policy import SMALLEST_REST
from sparsegp.selection.leave_one_out import LeaveOneOut
from sparsegp.selection.policy import SHORTLIST
from sparsegp.selection.projection import Addition, Projection, condition_rows, row_noise

__all__ = ["RowNoiseLeaveOneOut"]


class RowNoiseLeaveOneOut:
    """Scores by a leave-one-out measure of FITC; the path has the measure of the model itself."""

    def __init__(self, criterion: str, model: Projection, n_places: int) -> None:
        self._criterion, self._model = criterion, model
        self._first = LeaveOneOut(criterion, model, n_places)
        self._at = np.zeros(n_places, dtype=np.intp)

    def fill(self, places: NDArray[np.intp], at: NDArray[np.intp]) -> None:
        """Evaluate candidates with the noise before an addition."""
        self._at[places] = at
        self._first.fill(places, at)

    def update(self, added: Addition) -> None:
        """Clear all slots: the weights of all rows have changed. Live ones are filled again."""
        self._first.clear()

    def exhausted(self) -> NDArray[np.bool_]:
        """Return True for all slots."""
        return np.ones(len(self._at), dtype=np.bool_)

    def scores(self) -> Vector:
        """Return the measure with each of the best candidates; the others come after them: (c,)."""
        first = self._first.scores()
        order = np.argsort(first, kind="stable")[: np.count_nonzero(np.isfinite(first))]
        best, others = order[:SHORTLIST], order[SHORTLIST:]
        scores = np.full(len(first), np.inf)
        for place in best:
            scores[place] = self._with_candidate(int(self._at[place]))
        if len(others):
            scores[others] = np.max(scores[best]) + 1.0 + first[others] - first[others[0]]
        return scores

    def value(self, score: float, added: Addition) -> float:
        """Return the measure after the addition."""
        model = self._model
        return self._measure(model.mean, model.eta, row_noise(model))

    def _with_candidate(self, row: int) -> float:
        """Return the measure of the model with the candidate at a row."""
        model = self._model
        seen = model.evaluate(np.array([row]))
        nu = seen.Pi / np.sqrt(seen.left.k)  # (1, n)
        noise = row_noise(model, nu[0] ** 2)  # (n,)
        Zeta, mean = condition_rows(np.vstack((model.Nu, nu)), model.count / noise, model.y)
        return self._measure(mean, np.einsum("ij,ij->j", Zeta, Zeta), noise)

    def _measure(self, mean: Vector, weights: Vector, noise: Vector) -> float:
        """Return the measure for means (n, p), variances of the weights (n,) and λ (n,)."""
        model, training = self._model, slice(self._model.n_training)
        count = model.count[training]
        rest = 1.0 - np.minimum(count, 1.0) * weights[training] / noise[training]
        rest = np.maximum(rest, SMALLEST_REST)
        error = (model.y[training] - mean[training]) / rest[:, None]  # (n, p)
        variance = noise[training] + weights[training] / rest  # (n,): λ is σ² + K − q
        share = count / (count.sum() * error.shape[1])
        return loo_derivatives(self._criterion, error, variance, share).value
