"""Effect of one input on the prediction."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot.colours import INK
from sparsegp.plot.labels import shorten

__all__ = ["plot_effect"]

Floats = npt.NDArray[np.float64]


def plot_effect(
    values: Floats,
    mean: Floats,
    lower: Floats,
    upper: Floats,
    *,
    ax: Any,
    name: str = "",
    levels: Sequence[str] | None = None,
    color: str = INK,
    label: str | None = None,
) -> Any:
    """Draw an effect with its band: a line for a number, a point for each category.

    Parameters
    ----------
    values : ndarray (g,)
        Values of the input.
    mean, lower, upper : ndarray (g,)
        Prediction and band at these values.
    ax : matplotlib axes
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
    label = None if label is None else shorten(label)
    if levels is None:
        ax.fill_between(values, lower, upper, color=color, alpha=0.2, lw=0)
        ax.plot(values, mean, color=color, lw=2, label=label)
    else:
        positions = np.arange(len(values))
        bars = np.maximum([mean - lower, upper - mean], 0.0)
        ax.errorbar(positions, mean, yerr=bars, fmt="o", ms=5, color=color, capsize=3, label=label)
        ax.set_xticks(positions, [shorten(level, 10) for level in levels])
        ax.set_xlim(-0.5, len(values) - 0.5)
    ax.set_xlabel(shorten(name))
    return ax
