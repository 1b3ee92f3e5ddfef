"""Predictions of a regression model against observed targets."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot.colours import ACCENT, FAINT, INK

__all__ = ["plot_predictions", "plot_residuals"]

Floats = npt.NDArray[np.float64]


def plot_predictions(y: Floats, mean: Floats, std: Floats, *, ax: Any, n_shown: int = 150) -> Any:
    """Draw observed targets against predictions with 95 % intervals.

    Parameters
    ----------
    y, mean, std : ndarray (n,)
    ax : matplotlib axes
    n_shown : int
        Number of rows drawn, evenly spaced in the order of the predictions.

    Returns
    -------
    ax
    """
    shown = _evenly_spaced(mean, n_shown)
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


def plot_residuals(
    y: Floats, mean: Floats, lower: Floats, upper: Floats, *, ax: Any, n_shown: int = 200
) -> Any:
    """Draw residuals against predictions, with the interval of each prediction.

    Targets outside their interval are highlighted.

    Parameters
    ----------
    y, mean, lower, upper : ndarray (n,)
    ax : matplotlib axes
    n_shown : int
        Number of rows drawn, evenly spaced in the order of the predictions.

    Returns
    -------
    ax
    """
    shown = _evenly_spaced(mean, n_shown)
    y, mean, lower, upper = y[shown], mean[shown], lower[shown], upper[shown]
    inside = (lower <= y) & (y <= upper)
    ax.vlines(mean, lower - mean, upper - mean, color=FAINT, lw=0.8, zorder=1)
    ax.axhline(0.0, color=INK, lw=1, zorder=2)
    residual = y - mean
    ax.plot(mean[inside], residual[inside], "o", ms=3, color=INK, label="inside", zorder=3)
    ax.plot(mean[~inside], residual[~inside], "o", ms=3, color=ACCENT, label="outside", zorder=3)
    ax.set(xlabel="predicted", ylabel="observed − predicted", title="Residuals and intervals")
    ax.legend(frameon=False, ncols=2)
    return ax


def _evenly_spaced(mean: Floats, n_shown: int) -> npt.NDArray[np.intp]:
    """Return rows evenly spaced in the order of the predictions, lowest to highest."""
    order = np.argsort(mean)
    return order[np.linspace(0, len(order) - 1, min(n_shown, len(order))).astype(int)]
