"""Reliability diagram: observed frequency against predicted probability."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot.axes import is_model, or_new_axes
from sparsegp.plot.colours import ACCENT, FAINT

__all__ = ["ReliabilityBins", "plot_reliability", "reliability_bins"]

Floats = npt.NDArray[np.float64]
Z95 = 1.959963984540054


@dataclass(frozen=True)
class ReliabilityBins:
    """Cases with similar predicted probabilities: (b,) each."""

    predicted: Floats  # mean probability
    observed: Floats  # frequency
    count: npt.NDArray[np.intp]

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Wilson's 95 % interval of the frequency: (b,) each."""
        square = Z95**2 / self.count
        centre = (self.observed + 0.5 * square) / (1.0 + square)
        variance = self.observed * (1.0 - self.observed) * square + 0.25 * square**2
        half = np.sqrt(variance) / (1.0 + square)
        return centre - half, centre + half


def reliability_bins(
    probability: Floats, happened: npt.NDArray[np.bool_], n_bins: int = 10
) -> ReliabilityBins:
    """Return cases in about equally filled bins; equal probabilities are in the same bin.

    >>> found = reliability_bins(np.array([0.2] * 6 + [0.9, 0.8]), np.arange(8) > 4, n_bins=4)
    >>> found.predicted.round(2).tolist(), found.count.tolist()
    ([0.2, 0.85], [6, 2])
    """
    # rounded, since equal rows may differ by rounding errors
    _, where = np.unique(np.round(probability, 9), return_inverse=True)
    size = np.bincount(where)
    middle = np.cumsum(size) - 0.5 * (size + 1)  # mean rank of the equal cases, from 0
    bin_of_distinct = np.floor(middle / max(len(where), 1) * n_bins).astype(np.intp)
    _, bins = np.unique(bin_of_distinct[where.ravel()], return_inverse=True)
    count = np.bincount(bins)
    predicted = np.bincount(bins, probability) / count
    observed = np.bincount(bins, happened.astype(np.float64)) / count
    return ReliabilityBins(predicted, observed, count)


def plot_reliability(
    probability: Any, happened: Any, y: Any = None, *, ax: Any = None, n_bins: int = 10
) -> Any:
    """Draw the observed frequency against the predicted probability.

    ``plot_reliability(classifier, X, y)``, or arrays as below. Cases are in about equally filled
    bins, and those with the same probability are always one point. Error bars are Wilson's 95 %
    intervals of the frequency.

    Parameters
    ----------
    probability : ndarray (n,)
        Predicted probability of one class, or of every class for every row, flattened; or a fitted
        classifier, whose second of two classes or else all classes are drawn.
    happened : ndarray of bool (n,)
        Whether that class was the true one; after a classifier, its inputs.
    y : array-like (n,), default=None
        The labels, after a classifier and its inputs.
    ax : matplotlib axes, default=None
        None draws on a new figure.
    n_bins : int

    Returns
    -------
    ax
    """
    if is_model(probability):
        model, p = probability, probability.predict_proba(happened)
        is_true = np.asarray(y)[:, None] == model.classes_
        shown = slice(1, 2) if len(model.classes_) == 2 else slice(None)
        probability, happened = p[:, shown].ravel(), is_true[:, shown].ravel()
    ax = or_new_axes(ax)
    bins = reliability_bins(np.asarray(probability), np.asarray(happened), n_bins)
    low, high = bins.interval
    ax.plot([0, 1], [0, 1], color=FAINT, lw=1)
    bars = np.maximum([bins.observed - low, high - bins.observed], 0.0)
    ax.errorbar(
        bins.predicted, bins.observed, yerr=bars, fmt="o-", ms=4, color=ACCENT, lw=1.5, elinewidth=1
    )
    ax.set(xlabel="predicted probability", ylabel="observed frequency", title="Reliability")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    return ax
