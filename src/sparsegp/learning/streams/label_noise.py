"""The slope of the probit and the share of wrong labels, by how well labels are predicted in turn.

A stream that starts anew predicts each of the first rows before it learns it. The log probabilities
of the later half compare the probit that the labels as numbers suggest with steeper ones where a
share of the labels is drawn at random. The two belong together: a steep probit without wrong labels
would have to explain each of them by a function that turns back. The earlier half counts for
nothing: it tells which model learns fast from a few rows.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import ndtr, ndtri

from sparsegp.arrays import Array
from sparsegp.exceptions import SparseGPError
from sparsegp.kernels.base import Kernel
from sparsegp.learning.streams import policy
from sparsegp.likelihoods import NoisyProbit, Probit, Shifted
from sparsegp.online.learn import learn
from sparsegp.online.recursion import new_state
from sparsegp.tables.rows import Rows

__all__ = ["LabelModel", "Tried", "likeliest", "tried"]


@dataclass(frozen=True)
class LabelModel:
    """A kernel, and how labels follow from the functions."""

    kernel: Kernel
    slope: float
    label_noise: float
    margins: Array  # (K,), the z with Φ(z) the frequency of a class
    n_classes: int
    bias: float | None = None  # prior mean of the functions; None: by the frequencies

    @property
    def likelihood(self) -> Shifted:
        """The likelihood of labels ±1, given functions of mean zero."""
        return Shifted(self.probit, self.biases)

    @property
    def probit(self) -> Probit:
        """The probit of each function."""
        if self.label_noise > 0.0:
            return NoisyProbit(self.slope, 0.0, self.label_noise, self.n_classes)
        return Probit(self.slope)

    @property
    def biases(self) -> Array:
        """The prior means, with which each class has its frequency where nothing is known: (K,)."""
        if self.bias is not None:
            return np.full(len(self.margins), self.bias)
        frequency, rest = ndtr(self.margins), 1.0 - self.label_noise
        by_function = (frequency - self.label_noise / self.n_classes) / rest
        least = policy.LEAST_FREQUENCY * np.minimum(frequency, 1.0 - frequency)
        return np.asarray(ndtri(np.clip(by_function, least, 1.0 - least))) / self.slope

    @property
    def certain(self) -> Self:
        """The same without wrong labels."""
        return replace(self, label_noise=0.0)


@dataclass(frozen=True)
class Tried:
    """A model, and how well it predicts the later half of some rows, each before it is learned."""

    model: LabelModel
    log_p: Array  # (n/2,), log probabilities of labels

    def leads(self, *others: Self) -> bool:
        """Tell whether the lead over all others is beyond chance."""
        return np.isfinite(self.sum) and all(map(self._leads, others))

    @property
    def sum(self) -> float:
        """The log probability of all these labels."""
        return float(np.sum(self.log_p))

    def _leads(self, other: Self) -> bool:
        lead = self.log_p - other.log_p
        return bool(np.sum(lead) > policy.LEAD * np.sqrt(len(lead)) * np.std(lead))


def tried(model: LabelModel, rows: Rows) -> Tried:
    """Let a stream predict each row, then learn it."""
    state = new_state(model.kernel, rows.X.shape[1], rows.y.shape[1])
    later = slice(len(rows.y) // 2, None)
    try:
        found = learn(state, rows.X, rows.y, model.likelihood, policy.FILTER, rows.weight)
    except SparseGPError:
        return Tried(model, np.full(len(rows.y), -np.inf)[later])
    return Tried(model, np.reshape(found.log_z, (len(rows.y), -1)).sum(axis=1)[later])


def likeliest(start: LabelModel, rows: Rows, label_noise: float | None) -> Tried:
    """Return the likeliest slope and share of wrong labels; None: the share is to be found.

    Without wrong labels the slope is that of the start: the filter prefers steeper ones, which
    predict later rows worse. A share must lead both that and its own slope without wrong labels.
    """
    plain = tried(start, rows)
    if label_noise == 0.0:
        return plain
    if label_noise is not None:
        return _climbed(start, rows, (label_noise,))
    noisy = _climbed(start, rows, policy.LABEL_NOISES)
    return noisy if noisy.leads(plain, tried(noisy.model.certain, rows)) else plain


def _climbed(start: LabelModel, rows: Rows, shares: tuple[float, ...]) -> Tried:
    """Return the place of a grid of slopes and shares that is better than those beside it."""
    factors = policy.SLOPE_FACTORS
    seen: dict[tuple[int, int], Tried] = {}

    def at(place: tuple[int, int]) -> Tried:
        if place not in seen:
            i, j = place
            model = replace(start, slope=start.slope * factors[i], label_noise=shares[j])
            seen[place] = tried(model, rows)
        return seen[place]

    best = (len(factors) // 2, 0)
    while True:
        i, j = best
        around = ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1))
        beside = [(i, j) for i, j in around if 0 <= i < len(factors) and 0 <= j < len(shares)]
        better = max(beside, key=lambda place: at(place).sum)
        if at(better).sum <= at(best).sum:
            return at(best)
        best = better
