"""The last target as a part of the next prediction, as far as that has paid.

Many streams in time move little from one row to the next. So the mean μ of the Gaussian process is
moved towards the last target,

    E y = μ + w (y_last − μ),    w = Σ γ^age ω a b / Σ γ^age ω b², between 0 and 1,

with a = (y − μ)/u and b = (y_last − μ)/u of earlier rows, predicted before they were learned, in
units u = s¹⁻ʷ, where s is the standard deviation of the process: how far a target moves has little
to do with s. This is least squares with discount γ = 1 − 1/H and the weights ω of Student's t, if
the errors a − w b have its tails. Their scale and tails run (``running_tails``). All of it is used
while the log densities of earlier rows with it are ahead of those without, so that rows in random
order are predicted as ever.

The rows of one call are predicted before any of them is learned: y_last is then the last target
before the call. How much the last target tells is learned from what was known.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, log, sqrt
from typing import NamedTuple

import numpy as np

from sparsegp.arrays import Array
from sparsegp.online.policy import LARGEST_GAIN, LAST_VALUE_HORIZON, LAST_VALUE_LEAD
from sparsegp.online.running_tails import RunningTails, Seen

__all__ = ["LastValue"]


@dataclass(frozen=True)
class LastValue:
    """The last target of each output, and what it has told about the next one."""

    target: Array  # (K,), zero before the first row
    sums: Array  # (K, 3): Σ ω a b, Σ ω b², lead in log density
    without: RunningTails  # of the errors a/s
    tails: RunningTails  # of the errors a − w b
    seen: bool = False  # whether there is a last target

    @classmethod
    def initial(cls, n_outputs: int) -> "LastValue":
        """Return that of a stream before its first row."""
        tails = RunningTails.initial(n_outputs)
        return cls(np.zeros(n_outputs), np.zeros((n_outputs, 3)), tails, tails)

    @property
    def used(self) -> Array:
        """Whether the last target is a part of the prediction: (K,)."""
        return self.sums[:, 2] > LAST_VALUE_LEAD

    @property
    def share(self) -> Array:
        """The share w of the last target in the prediction: (K,)."""
        return np.array([_share(*row[:2]) for row in self.sums.tolist()]) * self.used

    def chosen(self, without: RunningTails) -> RunningTails:
        """Return the tails of predictions, given those without the last target."""
        used = self.used[:, None]
        if not used.any():
            return without
        scale = np.where(used, self.tails.scale, without.scale)
        lead = np.where(used, self.tails.lead, without.lead)
        return RunningTails(self.tails.candidates, scale, lead, without.count)

    def after(self, Y: Array, q: Array, r: Array, unit: Array) -> "LastValue":
        """Return it after the rows of a call: targets (n, K), and their updates before.

        With Gaussian noise q = (y − μ)/s² and r = −1/s²; ``unit`` (K,) is that of s.
        """
        found = self
        if self.seen:
            last, units = self.target.tolist(), unit.tolist()
            for row in zip(Y.tolist(), q.tolist(), r.tolist(), strict=True):
                found = found._after_row(*row, last, units)
        return LastValue(Y[-1].copy(), found.sums, found.without, found.tails, True)

    def forgotten(self, rate: float) -> "LastValue":
        """Return it after forgetting by a share; the scales remain."""
        kept, seen = self.sums * (1.0 - rate), self.seen and rate < 1.0
        return LastValue(self.target, kept, self.without, self.tails, seen)

    def _after_row(self, *of_outputs: Sequence[float]) -> "LastValue":
        """Return it after a row with y, q, r, y_last and the unit of each output."""
        sums = self.sums.tolist()
        rows = [_row(*each) for each in zip(sums, *of_outputs, strict=True)]
        if not all(isfinite(x * x) for row in rows for x in row):
            return self
        without, before = self.without.after_row([row.z * row.z for row in rows])
        tails, now = self.tails.after_row([row.moved * row.moved for row in rows])
        added = [_added(*each) for each in zip(sums, rows, before, now, strict=True)]
        return LastValue(self.target, np.array(added), without, tails, self.seen)


def _share(cross: float, square: float) -> float:
    return min(max(cross / square, 0.0), 1.0) if square > 0.0 else 0.0


class _Row(NamedTuple):
    """Errors of an output: without the last target, with it, and what these come from."""

    z: float
    moved: float
    a: float
    b: float
    log_gain: float  # log s/u, which a density with u is larger by


def _row(sums: list[float], y: float, q: float, r: float, last: float, unit: float) -> _Row:
    """Return errors in their units, from q and r of y, and y_last."""
    variance = -1.0 / r if r else inf
    error, std, w = q * variance, sqrt(variance), _share(*sums[:2])
    u = std ** (1.0 - w)
    a, b = error / u, (error + (last - y) / unit) / u
    return _Row(error / std, a - w * b, a, b, w * log(std))


def _added(sums: list[float], row: _Row, without: Seen, with_it: Seen) -> list[float]:
    """Return the sums of an output after a row."""
    gain = with_it.log_density - without.log_density + row.log_gain
    terms = (
        with_it.weight * row.a * row.b,
        with_it.weight * row.b * row.b,
        min(max(gain, -LARGEST_GAIN), LARGEST_GAIN),
    )
    keep = 1.0 - 1.0 / LAST_VALUE_HORIZON
    return [keep * old + new for old, new in zip(sums, terms, strict=True)]
