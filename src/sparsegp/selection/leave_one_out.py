"""Leave-one-out measures (SKS eq. 2-4), for every candidate of a working set at once.

With leverage η_i and error e_i = y_i − μ_i of the model of all rows, leaving out row i gives

    y_i − f₋ᵢ = e_i/(1 − η_i),        σ²₋ᵢ = K_ii − q_i + σ²/(1 − η_i),

where the variance is that of the noisy target. Adding candidate j changes

    η_i by ρ_ij²/s_j,    e_i by −ρ_ij r_j/s_j,    q_i by π_ij²/k_j.

For SoR the variance is without K_ii − q_i. For FITC see ``row_noise``.

A row of weight s stands for s equal rows, of which one is left out: η is that of one copy. If s is
below one the whole row is left out: with t = min(s, 1) the error is e/(1 − tη) and the variance
K − q + σ²(1 + η/(1 − tη)).
"""

from math import log, pi

import numpy as np
from numpy.typing import NDArray

from sparsegp.kernels.base import Vector
from sparsegp.selection.policy import LOO_BLOCK
from sparsegp.selection.projection import Addition, Projection, subtract_outer
from sparsegp.selection.scorers import CachedSchur

__all__ = ["LeaveOneOut"]


class LeaveOneOut:
    """Scores by loo_error, loo_density or loo_squared_error.

    ρ_j is cached for each candidate, and π_j if the measure depends on variances.
    """

    def __init__(self, criterion: str, model: Projection, n_places: int) -> None:
        self._criterion, self._model = criterion, model
        self._lines = CachedSchur(model, n_places)
        self._Rho = np.zeros((n_places, len(model.X)))  # (c, n)
        self._residual = model.rule.in_prediction and criterion != "loo_error"
        self._Pi = np.zeros((n_places, len(model.X) if self._residual else 0))
        self._share = model.count / (model.count.sum() * model.y.shape[1])  # (n,)

    def fill(self, places: NDArray[np.intp], at: NDArray[np.intp]) -> None:
        """Evaluate fresh candidates: three products over the rows."""
        seen = self._model.evaluate(at)
        self._lines.fill(places, at, seen.left)
        self._Rho[places] = self._model.rho(seen)
        if self._Pi.size:
            self._Pi[places] = seen.Pi

    def update(self, added: Addition) -> None:
        """Eliminate the added candidate l: S̃_jl = σ²π_jl + ρ_jᵀWπ_l, O(n) each (SKS appendix)."""
        pi_l = added.pi[self._lines.at]  # (c,): π_jl
        S_column = self._model.variance * pi_l + self._Rho @ added.W_pi  # (c,)
        subtract_outer(self._Rho, S_column / added.left.s[0], added.rho)  # (c, n)
        if self._Pi.size:
            subtract_outer(self._Pi, pi_l / added.left.k[0], added.pi)  # (c, n)
        self._lines.eliminate(S_column, added)

    def clear(self) -> None:
        """Make all slots unusable until they are filled."""
        self._lines.left.s[:] = 0.0

    def exhausted(self) -> NDArray[np.bool_]:
        """Tell which slots need to be filled again."""
        return self._lines.exhausted()

    def scores(self) -> Vector:
        """Return the measure with each candidate added: (c,)."""
        usable = np.flatnonzero(self._lines.left.usable())
        scores = np.full(len(self._lines.at), np.inf)
        n, size = self._model.n_training, max(1, LOO_BLOCK // max(1, len(usable)))
        blocks = (slice(start, min(start + size, n)) for start in range(0, n, size))
        left_out = self._model.left_out_share  # (n,)
        scores[usable] = sum(self._of_rows(block, usable, left_out[block]) for block in blocks)
        return scores

    def _of_rows(self, rows: slice, places: NDArray[np.intp], left_out: Vector) -> Vector:
        """Return the contribution of some rows to the measure of candidates: (c,)."""
        left, model = self._lines.left, self._model
        s = left.s[places, None]  # (c, 1)
        Rho = self._Rho[places, rows]  # (c, b)
        Eta = Rho * Rho
        Eta /= s
        Eta += model.eta[rows]
        Gap = 1.0 - left_out * Eta  # (c, b): 1 − tη
        squares = np.zeros_like(Rho)  # (c, b): squared errors, over the outputs
        errors = model.y[rows] - model.mean[rows]  # (b, p)
        for error, r in zip(errors.T, left.r[places].T, strict=True):  # (b,), (c,)
            Error = error - (r[:, None] / s) * Rho
            Error /= Gap
            Error *= Error
            squares += Error
        if self._criterion != "loo_error":
            Eta /= Gap
            Eta *= model.variance
            Eta += model.noise_variance  # (c, b): σ²(1 + η/(1 − tη))
            self._add_variances(squares, Eta, rows, places)
        return np.asarray(squares @ self._share[rows])

    def _add_variances(
        self, squares: Vector, noisy: Vector, rows: slice, places: NDArray[np.intp]
    ) -> None:
        """Turn squared errors (c, b) into expected ones or negative log densities, in place."""
        model, n_outputs = self._model, self._model.y.shape[1]
        variance = noisy
        if self._residual:
            Pi = self._Pi[places, rows]  # (c, b)
            Pi *= Pi
            Pi /= self._lines.left.k[places, None]
            rest = model.prior[rows] - model.q[rows] - Pi  # (c, b): K_ii − q_i
            variance += np.maximum(rest, 0.0, out=rest)
        if self._criterion == "loo_squared_error":
            variance *= n_outputs
            squares += variance
            return
        squares /= variance
        np.log(variance, out=variance)
        variance += log(2.0 * pi)
        variance *= n_outputs
        squares += variance
        squares *= 0.5

    def value(self, score: float, added: Addition) -> float:
        """Return the measure after the addition: the score itself."""
        return score
