"""How a prediction goes with one input."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot.colours import INK
from sparsegp.plot.names import shortened

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
    """Draw an effect with its band: a line over numbers, a point for each level of a category.

    Parameters
    ----------
    values : ndarray (g,)
        Of the input.
    mean, lower, upper : ndarray (g,)
        Of the prediction there.
    ax : matplotlib axes
    name : str
        Of the input.
    levels : sequence of str, default=None
        Names of the values if the input is a category.
    color, label : str
        To tell several effects on the same axes apart.

    Returns
    -------
    ax
    """
    label = None if label is None else shortened(label)
    if levels is None:
        ax.fill_between(values, lower, upper, color=color, alpha=0.2, lw=0)
        ax.plot(values, mean, color=color, lw=2, label=label)
    else:
        places = np.arange(len(values))
        bars = np.maximum([mean - lower, upper - mean], 0.0)
        ax.errorbar(places, mean, yerr=bars, fmt="o", ms=5, color=color, capsize=3, label=label)
        ax.set_xticks(places, [shortened(level, 10) for level in levels])
        ax.set_xlim(-0.5, len(values) - 0.5)
    ax.set_xlabel(shortened(name))
    return ax
