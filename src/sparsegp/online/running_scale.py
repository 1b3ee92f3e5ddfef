"""How far off a model of a stream has been of late, in units of its own error bars.

Noise that was learned from the first rows of a stream need not be that of the later ones, and with
few basis vectors the variance that they leave unexplained is not what a row is off by. So the
variance of predictions is multiplied by a running mean of z² = (y − mean)²/variance, where each row
was foretold before it was learned:

    c ← c + (z² − c)/H.

On houseelectric (20,000 rows, 100 basis vectors) the mean negative log density went from −0.86 to
−1.52, on beijing_pm25 with forgetting from 5.54 to 5.49; H = 50 gave −1.54 and 5.50, H = 300 −1.45
and 5.50. Means do not depend on it.
"""

from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import Array

__all__ = ["RunningScale"]

HORIZON = 100.0  # H, rows
# The first rows are averaged with so many that were off as foretold.
FIRST_COUNT = 10
# A row counts as if it were off by at most ten deviations: one of 10⁶ would drown a million others.
LARGEST_SURPRISE = 100.0
SMALLEST_SCALE = 1e-8


@dataclass(frozen=True)
class RunningScale:
    """A factor on the predictive variances of each output."""

    value: Array  # (K,)
    count: float = 0.0  # of rows

    @classmethod
    def at_first(cls, n_outputs: int) -> "RunningScale":
        """Return the scale of a model that is trusted as it is."""
        return cls(np.ones(n_outputs))

    def after(self, squares: Array, weight: Array | None = None) -> "RunningScale":
        """Return the scale after rows with these z² (n, K).

        A row of weight s is s rows, whose z² add up to the one given.

        >>> RunningScale.at_first(1).after(np.full((1000, 1), 4.0)).value.round(3)
        array([4.])
        """
        value, count = self.value, self.count
        weights = np.ones(len(squares)) if weight is None else weight
        for square, s in zip(squares / weights[:, None], weights.tolist(), strict=True):
            step = max(1.0 - (1.0 - 1.0 / HORIZON) ** s, s / (count + FIRST_COUNT + s))
            heeded = np.minimum(square, LARGEST_SURPRISE * value)
            value = np.maximum(value + step * (heeded - value), SMALLEST_SCALE)
            count += s
        return RunningScale(value, count)
