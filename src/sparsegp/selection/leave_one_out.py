"""Leave-one-out measures (SKS eq. 2-4), for every candidate of a working set at once.

With leverage η_i and error e_i = y_i − μ_i of the model of all rows, leaving row i out of the
targets gives

    y_i − f₋ᵢ = e_i/(1 − η_i),        σ²₋ᵢ = K_ii − q_i + σ²/(1 − η_i),

the variance being that of the noisy target. Adding candidate j changes

    η_i by ρ_ij²/s_j,    e_i by −ρ_ij r_j/s_j,    q_i by π_ij²/k_j.

A row of weight s stands for s equal rows, of which one is left out: η belongs to one copy. If s is
below one all of it is left out: with t = min(s, 1) the error is e/(1 − tη) and the noisy variance
K − q + σ²(1 + η/(1 − tη)).
"""

from math import log, pi

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import add_product
from sparsegp.kernels.base import Vector
from sparsegp.selection.projection import Addition, Projection
from sparsegp.selection.scorers import Lines

__all__ = ["LeaveOneOut"]

# Elements of a block of (candidates, rows) that several elementwise steps are done on.
BLOCK = 2**16


class LeaveOneOut:
    """Scores by loo_error, loo_density or loo_squared_error.

    ρ_j is kept for each candidate, and π_j if the measure looks at variances.
    """

    def __init__(self, criterion: str, model: Projection, n_places: int) -> None:
        self._criterion, self._model = criterion, model
        self._lines = Lines(model, n_places)
        self._Rho = np.zeros((n_places, len(model.X)))  # (c, n)
        self._Pi = np.zeros((n_places, 0 if criterion == "loo_error" else len(model.X)))
        self._left_out = np.minimum(model.weight, 1.0)  # (n,): t
        self._share = model.weight / (model.weight.sum() * model.y.shape[1])  # (n,)

    def fill(self, places: NDArray[np.intp], at: NDArray[np.intp]) -> None:
        """Look at fresh candidates: three products over the rows."""
        seen = self._model.look_at(at)
        self._lines.fill(places, at, seen.left)
        self._Rho[places] = self._model.rho(seen)
        if self._Pi.size:
            self._Pi[places] = seen.Pi

    def update(self, added: Addition) -> None:
        """Take the added candidate l off: S̃_jl = σ²π_jl + ρ_jᵀWπ_l, O(n) each (SKS appendix)."""
        pi_l = added.pi[self._lines.at]  # (c,): π_jl
        S_column = self._model.variance * pi_l + self._Rho @ added.W_pi  # (c,)
        along = (S_column / added.left.s[0])[:, None]  # (c, 1)
        self._Rho = add_product(self._Rho, along, added.rho[None, :], -1.0)  # (c, n)
        if self._Pi.size:
            along = (pi_l / added.left.k[0])[:, None]  # (c, 1)
            self._Pi = add_product(self._Pi, along, added.pi[None, :], -1.0)  # (c, n)
        self._lines.eliminate(S_column, added)

    def exhausted(self) -> NDArray[np.bool_]:
        """Tell which places are to be filled again."""
        return self._lines.exhausted()

    def scores(self) -> Vector:
        """Return the measure with each candidate added: (c,)."""
        left = self._lines.left
        usable = np.flatnonzero(left.usable())
        scores = np.full(len(left.s), np.inf)
        total = np.zeros(len(usable))
        size = max(1, BLOCK // max(1, len(usable)))
        for start in range(0, self._model.n_training, size):
            block = slice(start, min(start + size, self._model.n_training))
            total += self._of_block(block, usable, left.s[usable], left.k[usable])
        scores[usable] = total
        return scores

    def _of_block(self, block: slice, places: NDArray[np.intp], s: Vector, k: Vector) -> Vector:
        """Return what some rows contribute to the measure of candidates: (c,)."""
        model = self._model
        share = self._share[block]  # (b,)
        Rho = self._Rho[places, block]  # (c, b)
        Eta = Rho * Rho
        Eta /= s[:, None]
        Eta += model.eta[block]
        Gap = 1.0 - self._left_out[block] * Eta  # (c, b): 1 − tη
        step = self._lines.left.r[places] / s[:, None]  # (c, p)
        squares = np.zeros_like(Rho)  # (c, b): squared errors, over the outputs
        error = model.error[block]  # (b, p)
        for output in range(error.shape[1]):
            Error = error[:, output] - step[:, output, None] * Rho
            Error /= Gap
            Error *= Error
            squares += Error
        if self._criterion == "loo_error":
            return np.asarray(squares @ share)
        Eta /= Gap
        Eta += 1.0
        Eta *= model.variance  # σ²(1 + η/(1 − tη))
        Pi = self._Pi[places, block]
        Pi *= Pi
        Pi /= k[:, None]
        Rest = np.maximum((model.prior - model.q)[block] - Pi, 0.0)
        Variance = Rest + Eta  # (c, b)
        n_outputs = error.shape[1]
        if self._criterion == "loo_squared_error":
            return np.asarray((squares + n_outputs * Variance) @ share)
        squares /= Variance
        squares += n_outputs * (log(2.0 * pi) + np.log(Variance))
        return np.asarray(0.5 * (squares @ share))

    def value(self, score: float, added: Addition) -> float:
        """Return the measure after the addition: the score itself."""
        return score
