"""Leave-one-out predictions of training rows by basis and neighbours.

A row is never its own neighbour, and it is taken out of FITC's posterior in closed form: with
ψ = L_B⁻¹φ, ψ̃ = L_B⁻¹φ̃ (``prediction``), η = ‖ψ‖²/λ, λ the row's noise under FITC and e its error
under the basis alone,

    mean₋ᵢ = mean − (ψ̃·ψ) e/(λ(1 − η)),      ‖ψ̃‖²₋ᵢ = ‖ψ̃‖² + (ψ̃·ψ)²/(λ(1 − η)).

Of a row of weight s one of s equal rows leaves the posterior; its s − 1 copies remain there, but
are no neighbours either.
"""

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, namespace, row_sums_of_squares
from sparsegp.model.leave_one_out.predictions import LeftOut, left_out_share
from sparsegp.model.moments import row_noise
from sparsegp.model.neighbours.prediction import Correction, NeighbourPosterior
from sparsegp.model.policy import SMALLEST_REST
from sparsegp.tables.rows import Rows

__all__ = ["leave_one_out_of_neighbours"]

Indices = npt.NDArray[np.intp]


def leave_one_out_of_neighbours(model: NeighbourPosterior, positions: Indices) -> LeftOut:
    """Return the leave-one-out predictions of the training rows at these positions."""
    rows = model.rows.take(positions)
    near = model.search.nearest_others(rows.X, positions, model.k)
    parts, start = list[tuple[Array, ...]](), 0
    for found in model.corrections(rows.X, near):
        stop = start + int(found.mean.shape[0])
        parts.append(_left_out(model, rows[start:stop], found))
        start = stop
    xp = namespace(rows.X)
    return LeftOut(*(xp.concat(each) for each in zip(*parts, strict=True)))


def _left_out(model: NeighbourPosterior, rows: Rows, found: Correction) -> tuple[Array, ...]:
    xp, posterior = namespace(rows.X), model.posterior
    noise = row_noise(posterior.basis, rows, found.Phi, model.variance, posterior.rule)
    share = left_out_share(noise.count)  # (b,)
    by_basis = rows.y - found.Phi @ posterior.beta  # (b, p), e
    own, rest = (posterior.precision.divide(each) for each in (found.Phi, found.rest))  # ψ, ψ̃
    left = 1.0 - share * row_sums_of_squares(own) / noise.noise
    left = xp.clip(left, SMALLEST_REST, None)
    along = xp.sum(own * rest, axis=1)  # (b,), ψ̃·ψ
    leverage = share * along / (noise.noise * left)  # (b,)
    mean = found.mean - leverage[:, None] * by_basis
    weights = row_sums_of_squares(rest) + leverage * along
    return rows.y - mean, mean, found.left, weights, noise.count
