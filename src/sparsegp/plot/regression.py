"""What a regression model predicts, how honest its error bars are, what its basis bought."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.metrics import coverage

__all__ = ["plot_calibration", "plot_path", "plot_predictions"]

Floats = npt.NDArray[np.float64]

INK, ACCENT, FAINT = "#1f3a5f", "#d1603d", "#9aa5b1"


def plot_predictions(y: Floats, mean: Floats, std: Floats, *, ax: Any, n_shown: int = 150) -> Any:
    """Draw observed targets against predictions with 95 % intervals.

    Parameters
    ----------
    y, mean, std : ndarray (n,)
    ax : matplotlib axes
    n_shown : int
        So many rows, spread evenly over the predictions.

    Returns
    -------
    ax
    """
    order = np.argsort(mean)
    shown = order[np.linspace(0, len(order) - 1, min(n_shown, len(order))).astype(int)]
    limits = [min(y[shown].min(), mean.min()), max(y[shown].max(), mean.max())]
    ax.plot(limits, limits, color=FAINT, lw=1, zorder=1)
    ax.errorbar(
        mean[shown],
        y[shown],
        xerr=1.96 * std[shown],
        fmt="o",
        ms=3,
        color=INK,
        ecolor=FAINT,
        elinewidth=0.8,
        alpha=0.8,
        zorder=2,
    )
    ax.set(xlabel="predicted, with 95 % interval", ylabel="observed", title="Held-out rows")
    return ax


def plot_calibration(y: Floats, mean: Floats, std: Floats, *, ax: Any) -> Any:
    """Draw the share of targets inside central intervals against the level they promise.

    Parameters
    ----------
    y, mean, std : ndarray (n,)
    ax : matplotlib axes

    Returns
    -------
    ax
    """
    levels = np.linspace(0.02, 0.99, 50)
    observed = [coverage(y, mean, std, level) for level in levels]
    ax.plot([0, 1], [0, 1], color=FAINT, lw=1)
    ax.plot(levels, observed, color=ACCENT, lw=2)
    ax.set(xlabel="promised coverage", ylabel="observed coverage", title="Calibration")
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return ax


def plot_path(path: Floats, *, ax: Any) -> Any:
    """Draw the criterion after each basis vector.

    Parameters
    ----------
    path : ndarray (m,)
        ``selection_path_`` of a fitted estimator.
    ax : matplotlib axes

    Returns
    -------
    ax
    """
    m = np.arange(1, len(path) + 1)
    above_best = path - path.min()
    # the last decade of improvement is what one wants to see, not the fall from the start
    ax.plot(m, above_best + 1.0, color=INK, lw=2)
    ax.set(yscale="log", xlabel="basis vectors", ylabel="criterion above its best, + 1")
    ax.set_title("What each basis vector bought")
    return ax
