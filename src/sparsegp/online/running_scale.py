"""Running scale of predictive variances, with which rates of forgetting are compared.

The noise may change after the first rows of a stream, from which it was learned, and with few basis
vectors the residual variance may not match the errors. So predictive variances are multiplied by an
exponentially weighted mean of z² = (y − mean)²/variance, where each row is predicted before it is
learned (prequential):

    c ← c + (z² − c)/H.

Predictions have the scale and the tails of ``running_tails``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import Array
from sparsegp.online.policy import FIRST_COUNT, HORIZON, LARGEST_SQUARED_Z, SMALLEST_SCALE

__all__ = ["RunningScale"]


@dataclass(frozen=True)
class RunningScale:
    """A factor on the predictive variances of each output."""

    value: Array  # (K,)
    count: float = 0.0  # of rows

    @classmethod
    def initial(cls, n_outputs: int) -> "RunningScale":
        """Return the scale one of a model before any row."""
        return cls(np.ones(n_outputs))

    def after(self, squares: Array, weight: Array | None = None) -> "RunningScale":
        """Return the scale after rows with these z² (n, K).

        A row of weight s is s rows, whose z² add up to the one given.

        >>> RunningScale.initial(1).after(np.full((1000, 1), 4.0)).value.round(3)
        array([4.])
        """
        scale = self
        weights = np.ones(len(squares)) if weight is None else weight
        for square, s in zip(squares.tolist(), weights.tolist(), strict=True):
            scale = scale.after_row(square, s)
        return scale

    def after_row(self, square: Sequence[float], weight: float = 1.0) -> "RunningScale":
        """Return the scale after a row with this z² of each output."""
        fresh = weight / (self.count + FIRST_COUNT + weight)
        step = max(1.0 - (1.0 - 1.0 / HORIZON) ** weight, fresh)
        value = [
            max(c + step * (min(z2 / weight, LARGEST_SQUARED_Z * c) - c), SMALLEST_SCALE)
            for c, z2 in zip(self.value.tolist(), square, strict=True)
        ]
        return RunningScale(np.array(value), self.count + weight)
