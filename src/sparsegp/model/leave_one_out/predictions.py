"""Leave-one-out predictions in closed form.

Leaving row i out of the moments is a rank-one change. With h = ‖ψ‖² the variance of the
weights at the row and η = h/λ (SKS section 4),

    y − mean₋ᵢ = (y − mean)/(1 − η),      h₋ᵢ = h/(1 − η),

for a fixed basis. The predictive variance is then d + h₋ᵢ + σ², which for DTC is
d + σ²/(1 − η).

A row of weight s stands for s equal rows, of which one is left out; if s is below one the whole row
is: tη takes the place of η, with t = min(s, 1).
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, namespace, row_sums_of_squares, take, to_numpy
from sparsegp.model.moments import map_rows, row_noise
from sparsegp.model.policy import SMALLEST_REST
from sparsegp.model.posterior import Posterior
from sparsegp.tables.rows import Rows

__all__ = ["LeftOut", "leave_one_out", "left_out_share"]


@dataclass(frozen=True)
class LeftOut:
    """Predictions of each row by the model of all other rows."""

    error: Array  # (n, p), y − mean
    mean: Array  # (n, p)
    residual: Array  # (n,), d ≥ 0; zero for SoR
    weights: Array  # (n,), h₋ᵢ
    count: Array  # (n,), s

    def to_host(self) -> "LeftOut":
        """Return the predictions as NumPy arrays."""
        own = (self.error, self.mean, self.residual, self.weights, self.count)
        return LeftOut(*map(to_numpy, own))

    def of_outputs(self, outputs: slice) -> "LeftOut":
        """Return the predictions of some of the outputs."""
        return replace(self, error=self.error[:, outputs], mean=self.mean[:, outputs])

    def with_mean_scaled(self, factor: float) -> "LeftOut":
        """Return the predictions with their means times a factor."""
        error = self.error + (1.0 - factor) * self.mean
        return replace(self, error=error, mean=factor * self.mean)

    def of_exact_process(self) -> "LeftOut":
        """Return the predictions with all of the variance of f as residual variance.

        No basis absorbs part of the noise there, so that σ² and the variance of f, which is that of
        the weights alone, are calibrated apart.
        """
        none = namespace(self.weights).zeros_like(self.weights)
        return replace(self, residual=self.residual + self.weights, weights=none)

    def take(self, positions: npt.NDArray[np.intp]) -> "LeftOut":
        """Return the predictions of some of the rows."""
        own = (self.error, self.mean, self.residual, self.weights, self.count)
        return LeftOut(*(take(each, positions) for each in own))


def left_out_share(count: Array) -> Array:
    """Return t = min(s, 1), the weight that is left out: (n,)."""
    return namespace(count).clip(count, None, 1.0)


def leave_one_out(posterior: Posterior, rows: Rows, variance: float) -> LeftOut:
    """Return the leave-one-out predictions of the training rows of a posterior."""
    basis, rule = posterior.basis, posterior.rule
    xp = namespace(rows.X)

    def of_block(block: Rows) -> tuple[Array, ...]:
        Phi = basis.features(block.X)  # (b, m)
        noise = row_noise(basis, block, Phi, variance, rule)
        d = xp.clip(noise.residual, 0.0, None)
        if not rule.in_prediction:
            d = xp.zeros_like(d)
        error = block.y - Phi @ posterior.beta  # (b, p)
        h = row_sums_of_squares(posterior.precision.divide(Phi, overwrite=True))  # (b,)
        rest = 1.0 - left_out_share(noise.count) * h / noise.noise
        rest = xp.clip(rest, SMALLEST_REST, None)
        error = error / rest[:, None]
        return error, block.y - error, d, h / rest, noise.count

    return LeftOut(*map_rows(of_block, rows, basis.Z.shape[0]))
