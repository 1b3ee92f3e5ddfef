"""Predictive densities of libraries that predict numbers or quantiles, and what they are worth.

A library is given the better of two, chosen by the log density of validation rows: a normal density
of one variance, that of its errors on these rows; or its own heads, quantiles or a variance.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.stats import norm

from benchmarks.mixed_tables import PROBABILITIES, regression_scores

__all__ = ["LEVELS", "Density", "FromQuantiles", "Given", "Normal", "scores"]

Array = np.ndarray
#: Quantiles that a library is asked for; between them its density is constant.
LEVELS = (0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.975)
INTERVAL = (0.025, 0.975)
#: Neighbouring quantiles are at least this far apart, in deviations of errors: quantiles of trees
#: often coincide, and an infinite density says nothing.
SMALLEST_GAP = 1e-3


class Density(Protocol):
    """Predictive distributions of some rows."""

    def quantiles(self, levels: Sequence[float]) -> Array:
        """Return the quantiles (n, levels)."""

    def log_density(self, y: Array) -> Array:
        """Return the log density (n,) of a target a row."""


@dataclass(frozen=True)
class Normal:
    """Normal densities.

    >>> Normal(np.zeros(1), np.ones(1)).quantiles([0.5, 0.975]).round(2)
    array([[0.  , 1.96]])
    """

    mean: Array  # (n,)
    std: Array  # (n,)

    def quantiles(self, levels: Sequence[float]) -> Array:
        """Return the quantiles (n, levels)."""
        return self.mean[:, None] + self.std[:, None] * norm.ppf(np.asarray(levels))

    def log_density(self, y: Array) -> Array:
        """Return the log density (n,)."""
        return norm.logpdf(y, self.mean, self.std)


@dataclass(frozen=True)
class Given:
    """Densities that the library itself tells."""

    of_levels: Callable[[Sequence[float]], Array]
    of_targets: Callable[[Array], Array]

    def quantiles(self, levels: Sequence[float]) -> Array:
        """Return the quantiles (n, levels)."""
        return self.of_levels(levels)

    def log_density(self, y: Array) -> Array:
        """Return the log density (n,)."""
        return self.of_targets(y)


class FromQuantiles:
    """Constant densities between quantiles, exponential ones outside; sorted and kept apart.

    The tail outside the last quantile begins with the density of the last piece.

    >>> density = FromQuantiles(np.array([[0.0, 1.0, 2.0]]), 0.01, levels=(0.25, 0.5, 0.75))
    >>> density.quantiles([0.25, 0.5, 0.625])
    array([[0. , 1. , 1.5]])
    >>> np.exp(density.log_density(np.array([0.5]))).round(2)
    array([0.25])
    """

    def __init__(self, values: Array, gap: float, levels: Sequence[float] = LEVELS) -> None:
        steps = gap * np.arange(values.shape[1])
        # the smallest increasing sequence above the sorted one that keeps the distance
        self.values = np.maximum.accumulate(np.sort(values, axis=1) - steps, axis=1) + steps
        self.levels = np.asarray(levels)
        self.pieces = np.diff(self.levels) / np.diff(self.values, axis=1)  # (n, L − 1), densities
        self.low = self.levels[0] / self.pieces[:, 0]  # (n,), scales of the tails
        self.high = (1.0 - self.levels[-1]) / self.pieces[:, -1]

    def quantiles(self, levels: Sequence[float]) -> Array:
        """Return the quantiles (n, levels)."""
        p = np.asarray(levels)
        place = np.clip(np.searchsorted(self.levels, p, side="right") - 1, 0, len(self.levels) - 2)
        inside = self.values[:, place] + (p - self.levels[place]) / self.pieces[:, place]
        below = np.log(np.minimum(p / self.levels[0], 1.0))
        above = -np.log(np.minimum((1.0 - p) / (1.0 - self.levels[-1]), 1.0))
        found = np.where(p < self.levels[0], self.values[:, :1] + self.low[:, None] * below, inside)
        outside = self.values[:, -1:] + self.high[:, None] * above
        return np.where(p > self.levels[-1], outside, found)

    def log_density(self, y: Array) -> Array:
        """Return the log density (n,)."""
        place = np.sum(y[:, None] >= self.values, axis=1) - 1
        inside = np.clip(place, 0, self.pieces.shape[1] - 1)
        piece = np.log(np.take_along_axis(self.pieces, inside[:, None], axis=1)[:, 0])
        below = np.maximum(self.values[:, 0] - y, 0.0) / self.low
        above = np.maximum(y - self.values[:, -1], 0.0) / self.high
        return piece - below - above


def scores(y: Array, point: Array, density: Density) -> dict[str, float]:
    """Return RMSE of the point prediction; NLPD, CRPS and coverage of the density."""
    lower, upper = density.quantiles(INTERVAL).T
    found = regression_scores(
        y, point, density.quantiles(tuple(PROBABILITIES)), density.log_density(y)
    )
    return {**found, "coverage": float(np.mean((lower <= y) & (y <= upper)))}
