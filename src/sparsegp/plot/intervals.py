"""What prediction intervals look like, on a few rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sparsegp.plot.axes import is_model, or_new_axes
from sparsegp.plot.colours import ACCENT, FAINT, INK
from sparsegp.plot.predictions import _predicted, evenly_spaced

__all__ = ["plot_intervals"]


def plot_intervals(
    y: Any,
    mean: Any,
    lower: Any,
    upper: Any = None,
    *,
    ax: Any = None,
    names: Sequence[str] | None = None,
    n_shown: int = 10,
    level: float = 0.95,
) -> Any:
    """Draw the interval of each of a few rows, with prediction and observed target.

    ``plot_intervals(model, X, y)``, or arrays as below. Targets outside their interval are
    highlighted.

    Parameters
    ----------
    y, mean, lower, upper : ndarray (n,)
        Or a fitted regressor, its inputs and the targets.
    ax : matplotlib axes, default=None
        None draws on a new figure.
    names : sequence of str, default=None
        Of all rows; None numbers them from 1.
    n_shown : int, default=10
        Number of rows drawn, evenly spaced in the order of the predictions.
    level : float, default=0.95
        Probability of the intervals of a regressor.

    Returns
    -------
    ax
    """
    if is_model(y):
        y, mean, (lower, upper) = _predicted(y, mean, lower, level)
    ax = or_new_axes(ax)
    shown = evenly_spaced(mean, n_shown)
    inside = (lower <= y)[shown] & (y <= upper)[shown]
    place = np.arange(len(shown))
    ax.hlines(place, lower[shown], upper[shown], color=FAINT, lw=5, alpha=0.7, zorder=1)
    ax.plot(mean[shown], place, "|", ms=11, mew=2, color=INK, label="predicted", zorder=2)
    observed = y[shown]
    ax.plot(observed[inside], place[inside], "o", ms=5, color=INK, label="observed", zorder=3)
    if not np.all(inside):
        label = "observed, outside"
        ax.plot(observed[~inside], place[~inside], "o", ms=5, color=ACCENT, label=label, zorder=3)
    labels = [str(i + 1) if names is None else names[i] for i in shown]
    ax.set_yticks(place, labels)
    ax.invert_yaxis()
    ax.set(ylabel="row", title=f"Intervals of {len(shown)} rows")
    ax.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, -0.32))
    return ax
