"""Effect of one input on the prediction."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sparsegp.plot.axes import is_model, or_new_axes
from sparsegp.plot.colours import CLASS_COLOURS, INK
from sparsegp.plot.labels import shorten
from sparsegp.plot.partial_dependence import partial_dependence

__all__ = ["plot_effect"]

#: Rows that the effect of a model's input is averaged over, and values of the input: their product
#: is the number of predictions.
N_ROWS, N_VALUES = 50, 25


def plot_effect(
    values: Any,
    mean: Any,
    lower: Any,
    upper: Any = None,
    *,
    ax: Any = None,
    name: str = "",
    levels: Sequence[str] | None = None,
    color: str = INK,
    label: str | None = None,
) -> Any:
    """Draw an effect with its band: a line for a number, a point for each category.

    ``plot_effect(model, X, column)`` draws the partial dependence of a model on a column (its name
    or position), averaged over rows of X; or give arrays as below. Categories are listed on the
    vertical axis, where there is room for their names.

    Parameters
    ----------
    values : ndarray (g,)
        Values of the input.
    mean, lower, upper : ndarray (g,)
        Prediction and band at these values.
    ax : matplotlib axes, default=None
        None draws on a new figure.
    name : str
        Name of the input.
    levels : sequence of str, default=None
        Category names of the values, if the input is categorical.
    color, label : str
        To distinguish several effects on the same axes.

    Returns
    -------
    ax
    """
    ax = or_new_axes(ax)
    if is_model(values):
        return _plot_of_model(values, mean, lower, ax)
    label = None if label is None else shorten(label)
    if levels is None:
        ax.fill_between(values, lower, upper, color=color, alpha=0.2, lw=0)
        ax.plot(values, mean, color=color, lw=2, label=label)
        ax.set_xlabel(shorten(name, 30))
        return ax
    positions = np.arange(len(values))
    bars = np.maximum([mean - lower, upper - mean], 0.0)
    ax.errorbar(mean, positions, xerr=bars, fmt="o", ms=5, color=color, capsize=3, label=label)
    ax.set_yticks(positions, [shorten(level, 16) for level in levels])
    ax.set_ylim(len(values) - 0.5, -0.5)
    ax.set_ylabel(shorten(name, 22))
    return ax


def _plot_of_model(model: Any, X: Any, column: Any, ax: Any) -> Any:
    values, curves = partial_dependence(model, X, column, N_ROWS, N_VALUES)
    levels = [str(value) for value in values] if values.dtype == object else None
    name = str(X.columns[column] if hasattr(X, "columns") and column not in X.columns else column)
    for curve, color in zip(curves, CLASS_COLOURS, strict=False):
        plot_effect(
            values,
            *(curve.mean, curve.lower, curve.upper),
            ax=ax,
            name=name,
            levels=levels,
            color=color,
            label=curve.label,
        )
    what = f"probability of {curves[0].label}" if len(curves) == 1 else "probability"
    (ax.set_ylabel if levels is None else ax.set_xlabel)(
        what if hasattr(model, "classes_") else "prediction"
    )
    if len(curves) > 1:
        ax.legend(frameon=False)
    return ax
