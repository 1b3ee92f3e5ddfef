"""Whether what was given a probability happens as often as that."""

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
    """Draw how often it happened against its probability, in bins of as many cases each.

    Bars are Wilson's 95 % intervals of the share.

    Parameters
    ----------
    probability : ndarray (n,)
        For instance of one class; for many classes, of each class for each row.
    happened : ndarray of bool (n,)
    ax : matplotlib axes
    n_bins : int

    Returns
    -------
    ax
    """
    order = np.argsort(probability, kind="stable")
    bins = [part for part in np.array_split(order, n_bins) if len(part)]
    promised = np.array([probability[part].mean() for part in bins])
    observed = np.array([happened[part].mean() for part in bins])
    low, high = _wilson(observed, np.array([len(part) for part in bins]))
    ax.plot([0, 1], [0, 1], color=FAINT, lw=1)
    bars = np.maximum([observed - low, high - observed], 0.0)
    ax.errorbar(promised, observed, yerr=bars, fmt="o-", ms=4, color=ACCENT, lw=1.5, elinewidth=1)
    ax.set(xlabel="probability given", ylabel="share that happened", title="Reliability")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    return ax


def _wilson(share: Floats, count: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Return the 95 % interval of shares seen in so many cases."""
    square = Z95**2 / count
    centre = (share + 0.5 * square) / (1.0 + square)
    half = np.sqrt(share * (1.0 - share) * square + 0.25 * square**2) / (1.0 + square)
    return centre - half, centre + half
