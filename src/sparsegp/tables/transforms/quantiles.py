"""Monotone maps of one column: quantiles to normal, and logarithms.

By quantiles a value is mapped to Φ⁻¹ of its mid-rank, the share of rows below it plus half of the
share that has it, so that tied values get the score of their middle rank. Some of the distinct
values are knots, between which the map is linear. It continues linearly beyond the outermost knots,
no steeper than over the column as a whole: ten ranges outside the data are at most ten ranges
outside the normal scores.

A logarithm has its knots evenly in the logarithm, and linear ends too: zero and negative values,
where the logarithm is undefined, are mapped all the same.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from sparsegp.arrays import Array, is_of_other_library, moved, namespace
from sparsegp.tables.policy import MOST_KNOTS, OUTER_SCORES, SAME_SCORE

__all__ = ["QuantileMap", "fit_logarithm", "fit_quantiles"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class QuantileMap:
    """A piecewise linear increasing function with linear ends.

    >>> monotone = QuantileMap(np.array([0.0, 1.0, 10.0]), np.array([-1.0, 0.0, 1.0]), 0.5, 0.1)
    >>> monotone.apply(np.array([0.5, 20.0])), monotone.invert(np.array([-0.5, 2.0]))
    (array([-0.5,  2. ]), array([ 0.5, 20. ]))
    """

    knots: Array  # (k,), increasing
    scores: Array  # (k,), increasing: where the knots are mapped to
    low_slope: float  # beyond the first knot
    high_slope: float  # beyond the last

    def apply(self, x: Floats) -> Floats:
        """Return the scores of values."""
        xp = namespace(x)
        below, above = (
            xp.clip(x - float(self.knots[0]), None, 0.0),
            xp.clip(x - float(self.knots[-1]), 0.0, None),
        )
        inside = _interpolated(x, self.knots, self.scores)
        return inside + self.low_slope * below + self.high_slope * above

    def invert(self, z: Floats) -> Floats:
        """Return the values that have these scores."""
        xp = namespace(z)
        below, above = (
            xp.clip(z - float(self.scores[0]), None, 0.0),
            xp.clip(z - float(self.scores[-1]), 0.0, None),
        )
        inside = _interpolated(z, self.scores, self.knots)
        return inside + below / self.low_slope + above / self.high_slope


def _interpolated(x: Floats, knots: Floats, values: Floats) -> Floats:
    """Interpolate linearly, constant beyond the ends, where x (n,) is.

    On a device the operations are those of ``np.interp``, in the same order.
    """
    if not is_of_other_library(x):
        return np.interp(x, knots, values)
    xp, slopes = namespace(x), np.diff(values) / np.diff(knots)  # (k − 1,)
    at = xp.clip(x, float(knots[0]), float(knots[-1]))
    place = xp.searchsorted(moved(knots, like=x), at, side="right") - 1
    place = xp.clip(place, 0, len(slopes) - 1)
    low, value, slope = (xp.take(moved(a, like=x), place) for a in (knots, values, slopes))
    inside = slope * (at - low) + value
    return xp.where(at >= float(knots[-1]), xp.full_like(at, float(values[-1])), inside)


def fit_quantiles(x: Floats, weight: Floats | None) -> QuantileMap:
    """Learn the map of a column (n,) that has at least two different values."""
    knots, scores = _normal_scores(x, weight)
    if len(knots) > MOST_KNOTS:
        even = np.linspace(scores[0], scores[-1], MOST_KNOTS)
        kept = np.unique(np.searchsorted(scores, even).clip(0, len(knots) - 1))
        knots, scores = knots[kept], scores[kept]
    return _with_straight_ends(knots, scores)


def fit_logarithm(x: Floats, offset: float, scale: float, weight: Floats | None) -> QuantileMap:
    """Learn the standardised log x of positive values (n,), of which two differ, once scaled.

    The map takes (x − offset)/scale.

    >>> monotone = fit_logarithm(np.array([1.0, 10.0, 100.0]), 0.0, 10.0, None)
    >>> monotone.apply(np.array([0.1, 1.0, 10.0])).round(2)
    array([-1.22, -0.  ,  1.22])
    """
    logs = np.log(x)
    mean = np.average(logs, weights=weight)
    deviation = np.sqrt(np.average((logs - mean) ** 2, weights=weight))
    even = np.linspace(np.min(logs), np.max(logs), MOST_KNOTS)
    knots, kept = np.unique((np.exp(even) - offset) / scale, return_index=True)
    return _with_straight_ends(knots, (even[kept] - mean) / deviation)


def _with_straight_ends(knots: Floats, scores: Floats) -> QuantileMap:
    """Return the map through the knots; its linear ends are no steeper than its mean slope."""
    whole = (scores[-1] - scores[0]) / (knots[-1] - knots[0])
    width = min(OUTER_SCORES, scores[-1] - scores[0])
    inner = np.interp([scores[0] + width, scores[-1] - width], scores, knots)
    low, high = width / (inner[0] - knots[0]), width / (knots[-1] - inner[1])
    return QuantileMap(knots, scores, float(min(low, whole)), float(min(high, whole)))


def _normal_scores(x: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
    """Return distinct values and Φ⁻¹ of their mid-ranks, both strictly increasing."""
    values, position = np.unique(x, return_inverse=True)
    count = np.bincount(position.ravel(), weights=weight).astype(np.float64)
    share = count / count.sum()
    # each tail is summed from its own end: the last rank must not round to one
    below = np.cumsum(share) - 0.5 * share
    above = np.cumsum(share[::-1])[::-1] - 0.5 * share
    scores = np.where(below < above, ndtri(below), -ndtri(above))
    new = np.append(True, np.diff(np.maximum.accumulate(scores)) > SAME_SCORE)
    return values[new], scores[new]
