"""Reliability diagram: observed frequency against predicted probability."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot.colours import ACCENT, FAINT

__all__ = ["plot_reliability"]

Floats = npt.NDArray[np.float64]
Z95 = 1.959963984540054


def plot_reliability(
    probability: Floats, happened: npt.NDArray[np.bool_], *, ax: Any, n_bins: int = 10
) -> Any:
    """Draw the observed frequency against the predicted probability, in equally filled bins.

    Error bars are Wilson's 95 % intervals of the frequency.

    Parameters
    ----------
    probability : ndarray (n,)
        Predicted probability of one class, or of every class for every row, flattened.
    happened : ndarray of bool (n,)
        Whether that class was the true one.
    ax : matplotlib axes
    n_bins : int

    Returns
    -------
    ax
    """
    order = np.argsort(probability, kind="stable")
    bins = [part for part in np.array_split(order, n_bins) if len(part)]
    predicted = np.array([probability[part].mean() for part in bins])
    observed = np.array([happened[part].mean() for part in bins])
    low, high = _wilson(observed, np.array([len(part) for part in bins]))
    ax.plot([0, 1], [0, 1], color=FAINT, lw=1)
    bars = np.maximum([observed - low, high - observed], 0.0)
    ax.errorbar(predicted, observed, yerr=bars, fmt="o-", ms=4, color=ACCENT, lw=1.5, elinewidth=1)
    ax.set(xlabel="predicted probability", ylabel="observed frequency", title="Reliability")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    return ax


def _wilson(frequency: Floats, count: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return Wilson's 95 % interval of frequencies observed in ``count`` cases."""
    square = Z95**2 / count
    centre = (frequency + 0.5 * square) / (1.0 + square)
    half = np.sqrt(frequency * (1.0 - frequency) * square + 0.25 * square**2) / (1.0 + square)
    return centre - half, centre + half
