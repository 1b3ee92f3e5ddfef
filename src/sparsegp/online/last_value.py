"""The last target as a part of the next prediction, as far as that has paid.

Many streams in time move little from one row to the next. So the mean μ of the Gaussian process is
moved towards the last target,

    E y = μ + w (y_last − μ),    w = Σ γ^age a b / Σ γ^age b², between 0 and 1,

with a = (y − μ)/s and b = (y_last − μ)/s of earlier rows, predicted before they were learned with
standard deviation s. This is least squares with discount γ = 1 − 1/H. The variance is s² times a
running scale of the errors a − w b. Both are used while the log densities of earlier rows with them
are ahead of those without, so that rows in random order are predicted as ever.

The rows of one call are predicted before any of them is learned: y_last is then the last target
before the call. How much the last target tells is learned from what was known.
"""

from dataclasses import dataclass
from math import isfinite, log

import numpy as np

from sparsegp.arrays import Array
from sparsegp.online.policy import (
    FIRST_COUNT,
    HORIZON,
    LARGEST_GAIN,
    LARGEST_SQUARED_Z,
    LAST_VALUE_HORIZON,
    LAST_VALUE_LEAD,
    SMALLEST_SCALE,
)

__all__ = ["LastValue"]


@dataclass(frozen=True)
class LastValue:
    """The last target of each output, and what it has told about the next one."""

    target: Array  # (K,), zero before the first row
    sums: Array  # (K, 5): Σ a b, Σ b², lead in log density, scales without and with the last target
    count: float = 0.0  # of rows
    seen: bool = False  # whether there is a last target

    @classmethod
    def initial(cls, n_outputs: int) -> "LastValue":
        """Return that of a stream before its first row."""
        return cls(np.zeros(n_outputs), np.tile((0.0, 0.0, 0.0, 1.0, 1.0), (n_outputs, 1)))

    @property
    def used(self) -> Array:
        """Whether the last target is a part of the prediction: (K,)."""
        return self.sums[:, 2] > LAST_VALUE_LEAD

    @property
    def share(self) -> Array:
        """The share w of the last target in the prediction: (K,)."""
        return np.array([_share(*row[:2]) for row in self.sums.tolist()]) * self.used

    def scale(self, without: Array) -> Array:
        """Return the factors on variances (K,), given those without the last target."""
        return np.where(self.used, self.sums[:, 4], without)

    def after(self, Y: Array, q: Array, r: Array, unit: Array) -> "LastValue":
        """Return it after the rows of a call: targets (n, K), and their updates before.

        With Gaussian noise q = (y − μ)/s² and r = −1/s²; ``unit`` (K,) is that of s.
        """
        sums, count = self.sums.tolist(), self.count
        if self.seen:
            z = q / np.sqrt(-r)  # (n, K)
            off = (self.target - Y) * np.sqrt(-r) / unit
            for a, b in zip(z.tolist(), off.tolist(), strict=True):
                sums = [_after(*each, count) for each in zip(sums, a, b, strict=True)]
                count += 1.0
        return LastValue(Y[-1].copy(), np.array(sums), count, True)

    def forgotten(self, rate: float) -> "LastValue":
        """Return it after forgetting by a share; the scales remain."""
        kept = np.array((1.0 - rate, 1.0 - rate, 1.0 - rate, 1.0, 1.0))
        return LastValue(self.target, self.sums * kept, self.count, self.seen and rate < 1.0)


def _share(cross: float, square: float) -> float:
    return min(max(cross / square, 0.0), 1.0) if square > 0.0 else 0.0


def _after(sums: list[float], a: float, off: float, count: float) -> list[float]:
    """Return the sums of an output after a row with z-score a and (y_last − y)/s."""
    cross, square, lead, scale, scale_with = sums
    b = off + a  # (y_last − μ)/s
    moved = a - _share(cross, square) * b
    if not isfinite(a * a + b * b):
        return sums
    without_it = a * a / scale + log(scale)
    gain = 0.5 * (without_it - moved * moved / scale_with - log(scale_with))
    gain = min(max(gain, -LARGEST_GAIN), LARGEST_GAIN)
    keep, step = 1.0 - 1.0 / LAST_VALUE_HORIZON, max(1.0 / HORIZON, 1.0 / (count + FIRST_COUNT))
    return [
        keep * cross + a * b,
        keep * square + b * b,
        keep * lead + gain,
        _followed(scale, a * a, step),
        _followed(scale_with, moved * moved, step),
    ]


def _followed(scale: float, square: float, step: float) -> float:
    """Return a running mean of squared z-scores after one more; an outlier is clipped."""
    clipped = min(square, LARGEST_SQUARED_Z * scale)
    return max(scale + step * (clipped - scale), SMALLEST_SCALE)
