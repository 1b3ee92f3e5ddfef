"""Predictions of a regression model against observed targets."""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from sparsegp.plot.axes import is_model, or_new_axes
from sparsegp.plot.colours import ACCENT, FAINT, INK

__all__ = ["evenly_spaced", "plot_predictions", "plot_residuals"]

Floats = npt.NDArray[np.float64]


def plot_predictions(
    y: Any,
    mean: Any,
    std: Any = None,
    *,
    ax: Any = None,
    n_shown: int = 150,
    level: float = 0.95,
    interval: tuple[Floats, Floats] | None = None,
) -> Any:
    """Draw observed targets against predictions with their intervals.

    ``plot_predictions(model, X, y)``, or arrays: ``plot_predictions(y, mean, interval=...)``.

    Parameters
    ----------
    y, mean : ndarray (n,)
        Or a fitted regressor and its inputs.
    std : ndarray (n,), default=None
        For intervals of a Gaussian, if ``interval`` is not given; after a regressor, the targets.
    ax : matplotlib axes, default=None
        None draws on a new figure.
    level : float, default=0.95
        Probability of the intervals.
    interval : (ndarray, ndarray), default=None
        Their ends, (n,) each: ``model.predict_interval(X, level)``.
    n_shown : int
        Number of rows drawn, evenly spaced in the order of the predictions.

    Returns
    -------
    ax
    """
    if is_model(y):
        y, mean, interval = _predicted(y, mean, std, level)
    elif interval is None:
        if std is None:
            raise ValueError("give std, or interval=model.predict_interval(X, level)")
        half = float(ndtri(0.5 + 0.5 * level)) * std
        interval = mean - half, mean + half
    ax = or_new_axes(ax)
    shown = evenly_spaced(mean, n_shown)
    # the mean of a skewed target may lie outside of a short interval
    bars = np.maximum([mean - interval[0], interval[1] - mean], 0.0)[:, shown]
    limits = [min(y[shown].min(), mean.min()), max(y[shown].max(), mean.max())]
    ax.plot(limits, limits, color=FAINT, lw=1, zorder=1)
    ax.errorbar(
        mean[shown],
        y[shown],
        xerr=bars,
        fmt="o",
        ms=3,
        color=INK,
        ecolor=FAINT,
        elinewidth=0.8,
        alpha=0.8,
        zorder=2,
    )
    ax.set(
        xlabel=f"predicted, with {100 * level:g} % interval",
        ylabel="observed",
        title="Predicted against observed",
    )
    return ax


def plot_residuals(
    y: Any, mean: Any, lower: Any, upper: Any = None, *, ax: Any = None, n_shown: int = 200
) -> Any:
    """Draw residuals against predictions, with the interval of each prediction.

    ``plot_residuals(model, X, y)``, with 95 % intervals, or arrays as below. Targets outside their
    interval are highlighted.

    Parameters
    ----------
    y, mean, lower, upper : ndarray (n,)
        Or a fitted regressor, its inputs and the targets.
    ax : matplotlib axes, default=None
        None draws on a new figure.
    n_shown : int
        Number of rows drawn, evenly spaced in the order of the predictions.

    Returns
    -------
    ax
    """
    if is_model(y):
        y, mean, (lower, upper) = _predicted(y, mean, lower, 0.95)
    ax = or_new_axes(ax)
    shown = evenly_spaced(mean, n_shown)
    y, mean, lower, upper = y[shown], mean[shown], lower[shown], upper[shown]
    inside = (lower <= y) & (y <= upper)
    ax.vlines(mean, lower - mean, upper - mean, color=FAINT, lw=0.8, zorder=1)
    ax.axhline(0.0, color=INK, lw=1, zorder=2)
    residual = y - mean
    ax.plot(mean[inside], residual[inside], "o", ms=3, color=INK, label="inside", zorder=3)
    ax.plot(mean[~inside], residual[~inside], "o", ms=3, color=ACCENT, label="outside", zorder=3)
    ax.set(xlabel="predicted", ylabel="observed − predicted", title="Errors and intervals")
    # above the points, which it would hide
    ax.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1.0, 1.0))
    return ax


def evenly_spaced(mean: Floats, n_shown: int) -> npt.NDArray[np.intp]:
    """Return rows evenly spaced in the order of the predictions, lowest to highest."""
    order = np.argsort(mean)
    return order[np.linspace(0, len(order) - 1, min(n_shown, len(order))).astype(int)]


def _predicted(
    model: Any, X: Any, y: Any, level: float
) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
    """Return targets, means and the ends of intervals of a regressor: (n,) each."""
    lower, upper = model.predict_interval(X, level)
    return np.asarray(y, dtype=np.float64), model.predict(X), (lower, upper)
