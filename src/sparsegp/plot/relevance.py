"""Relevance of the inputs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot.colours import INK
from sparsegp.plot.labels import shorten

__all__ = ["plot_relevance"]


def plot_relevance(
    relevance: npt.ArrayLike, names: Sequence[str], *, ax: Any, n_shown: int = 20
) -> Any:
    """Draw a bar for each input, the most relevant on top.

    Parameters
    ----------
    relevance : array-like (n_features,)
        For instance ``sparsegp.report.relevance(model, X)``, or the inverse length scales.
    names : sequence of str
    ax : matplotlib axes
    n_shown : int
        Number of inputs drawn, the most relevant ones.

    Returns
    -------
    ax
    """
    values = np.asarray(relevance, dtype=np.float64)
    shown = np.argsort(-values, kind="stable")[:n_shown]
    positions = np.arange(len(shown))
    ax.barh(positions, values[shown], 0.7, color=INK)
    ax.set_yticks(positions, [shorten(names[i]) for i in shown])
    ax.invert_yaxis()
    ax.set(xlabel="relevance", title="Relevance of the inputs")
    return ax
