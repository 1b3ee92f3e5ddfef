"""Running scale and tails of the errors of a stream: how far targets lie from their predictions.

A row is predicted before it is learned (prequential), with an error of z standard deviations. That
z = √c·t with t from Student's distribution of ν degrees of freedom, and c a running mean of z² with
the weights of an estimator halfway between the mean square, which an outlier moves, and maximum
likelihood,

    c ← c + (w z² − c)/H,    w ∝ √((ν + 1)/(ν + z²/c)),

in proportion such that E w t² = 1. Some horizons H, as scales may change fast or slowly, and some ν
(infinite: normal) are candidates. Of these predictions take the one with the largest log density of
earlier rows, summed with discount.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, lgamma, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np

from sparsegp.arrays import Array
from sparsegp.model.noise.distribution import NORMAL, NoiseDistribution
from sparsegp.online.policy import (
    FIRST_COUNT,
    LARGEST_GAIN,
    LARGEST_SQUARED_Z,
    SMALLEST_SCALE,
    TAIL_CANDIDATES,
    TAIL_HORIZON,
)

__all__ = ["RunningTails", "Seen"]

LARGEST_SQUARE = 1e300


class Seen(NamedTuple):
    """A row as the best candidate before it saw it."""

    log_density: float  # of z
    weight: float  # (ν + 1)/(ν + z²/c), 1 for normal errors


@dataclass(frozen=True)
class RunningTails:
    """Factors on the predictive variances of each output, and degrees of freedom."""

    candidates: Array  # (C, 2), horizon and degrees of freedom, 0 for normal errors
    scale: Array  # (K, C), the factors c
    lead: Array  # (K, C), log densities of earlier rows, the largest is 0
    count: float = 0.0  # of rows

    @classmethod
    def initial(cls, n_outputs: int, scale: float | Array = 1.0) -> "RunningTails":
        """Return normal errors of this scale (K,)."""
        shape = (n_outputs, len(TAIL_CANDIDATES))
        first = np.broadcast_to(np.reshape(scale, (-1, 1)), shape)
        return cls(np.array(TAIL_CANDIDATES), first.copy(), np.zeros(shape))

    def after(self, squares: Array, weight: Array | None = None) -> "RunningTails":
        """Return it after rows with these z² (n, K).

        A row of weight s is s rows, whose z² add up to the one given.

        >>> RunningTails.initial(1).after(np.full((1000, 1), 4.0)).factors.round(3)
        array([4.])
        """
        tails = self
        weights = [1.0] * len(squares) if weight is None else weight.tolist()
        for square, s in zip(squares.tolist(), weights, strict=True):
            tails, _ = tails.after_row(square, s)
        return tails

    def after_row(
        self, squares: Sequence[float], weight: float = 1.0
    ) -> tuple["RunningTails", list[Seen]]:
        """Return it after a row with these z² of each output, and what the row was before."""
        shapes, fresh = _shapes(self.candidates.tobytes()), self.count + FIRST_COUNT + weight
        row = _Row(weight, weight / fresh, (1.0 - 1.0 / TAIL_HORIZON) ** weight)
        found = [
            _after(scale, lead, square, row, shapes)
            for scale, lead, square in zip(
                self.scale.tolist(), self.lead.tolist(), squares, strict=True
            )
        ]
        scale, lead, seen = zip(*found, strict=True)
        count = self.count + weight
        return RunningTails(self.candidates, np.array(scale), np.array(lead), count), list(seen)

    def best(self, lead: Array | None = None) -> int:
        """Return the candidate that all outputs predict with; ``lead`` replaces the own one."""
        return int(np.argmax(np.sum(self.lead if lead is None else lead, axis=0)))

    def distribution(self, candidate: int) -> NoiseDistribution:
        """Return the shape of the errors."""
        df = float(self.candidates[candidate, 1])
        return NoiseDistribution(df) if df else NORMAL

    @property
    def tails(self) -> NoiseDistribution:
        """The shape of the errors by the best candidate."""
        return self.distribution(self.best())

    @property
    def factors(self) -> Array:
        """Factors on predictive variances, those of heavy tails included: (K,)."""
        best = self.best()
        return self.scale[:, best] * self.distribution(best).deviation ** 2


class _Shape(NamedTuple):
    """What is constant of a candidate."""

    long_run: float  # 1/H, the share of a row in the running mean in the long run
    df: float
    at_zero: float  # log density at 0
    half: float  # ½ (ν + 1)
    proportion: float  # of w to 1/√(ν + t²)


class _Row(NamedTuple):
    """What is the same for all outputs and candidates."""

    weight: float
    fresh: float  # share in the mean as long as rows are few
    kept: float  # share of the log densities so far


@cache
def _shapes(candidates: bytes) -> list[_Shape]:
    pairs = np.frombuffer(candidates).reshape(-1, 2).tolist()
    return [_Shape(1.0 / horizon, df, *_constants(df)) for horizon, df in pairs]


def _constants(df: float) -> tuple[float, float, float]:
    """Return the log density at 0, ½ (ν + 1), and the factor with which w is in proportion."""
    if not df:
        return -0.5 * log(2.0 * pi), 0.5, 1.0
    at_zero, next_one = (
        lgamma(0.5 * (v + 1.0)) - lgamma(0.5 * v) - 0.5 * log(pi * v) for v in (df, df + 1.0)
    )
    # E √((ν + 1)/(ν + t²)) t² is an expectation of t² with ν + 1 degrees of freedom
    return at_zero, 0.5 * (df + 1.0), (df - 1.0) / df * exp(next_one - at_zero) * sqrt(df + 1.0)


def _after(
    scale: list[float], lead: list[float], square: float, row: _Row, shapes: list[_Shape]
) -> tuple[list[float], list[float], Seen]:
    """Return scales and leads of an output after equal rows, whose z² have this sum."""
    weight, fresh, kept = row
    square = min(square / weight, LARGEST_SQUARE)
    densities, scales = [], []
    for c, (long_run, df, at_zero, half, proportion) in zip(scale, shapes, strict=True):
        u, target = square / c, square
        if df:
            density = at_zero - half * log1p(u / df) - 0.5 * log(c)
            target *= proportion / sqrt(df + u)
        else:
            density = at_zero - 0.5 * (u + log(c))
        step = long_run if weight == 1.0 else 1.0 - (1.0 - long_run) ** weight
        # calls of min and max would take a third of the time
        share = step if step > fresh else fresh
        most = LARGEST_SQUARED_Z * c
        moved = c + share * ((target if target < most else most) - c)
        densities.append(density)
        scales.append(moved if moved > SMALLEST_SCALE else SMALLEST_SCALE)
    least = max(densities) - LARGEST_GAIN
    sums = [
        kept * old + weight * (one - least if one > least else 0.0)
        for old, one in zip(lead, densities, strict=True)
    ]
    top, best = max(sums), lead.index(max(lead))
    df = shapes[best].df
    own = (df + 1.0) / (df + square / scale[best]) if df else 1.0
    return scales, [one - top for one in sums], Seen(densities[best], own)
