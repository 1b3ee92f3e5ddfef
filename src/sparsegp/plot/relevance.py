"""Relevance of the inputs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sparsegp.plot.axes import is_model, or_new_axes
from sparsegp.plot.colours import INK
from sparsegp.plot.labels import shorten

__all__ = ["plot_relevance"]


def plot_relevance(
    relevance: Any, names: Sequence[str] | None = None, *, ax: Any = None, n_shown: int = 20
) -> Any:
    """Draw a bar for each input, the most relevant on top.

    Parameters
    ----------
    relevance : fitted model or array-like (n_features,)
        Of a model ``feature_importances_`` are drawn. Other measures are
        ``sparsegp.report.relevance(model, X)`` and inverse length scales.
    names : sequence of str, default=None
        None takes those of the model, or numbers the inputs.
    ax : matplotlib axes, default=None
        None draws on a new figure.
    n_shown : int
        Number of inputs drawn, the most relevant ones.

    Returns
    -------
    ax
    """
    measure = "relevance"
    if is_model(relevance):
        measure, model = "importance", relevance
        relevance = model.feature_importances_
        encoding = getattr(model, "encoding_", None)
        own = getattr(model, "feature_names_in_", None)
        own = own if encoding is None else encoding.input_names
        names = own if names is None and own is not None and len(own) == len(relevance) else names
    values, ax = np.asarray(relevance, dtype=np.float64), or_new_axes(ax)
    names = [f"x{i}" for i in range(len(values))] if names is None else names
    shown = np.argsort(-values, kind="stable")[:n_shown]
    positions = np.arange(len(shown))
    ax.barh(positions, values[shown], 0.7, color=INK)
    ax.set_yticks(positions, [shorten(str(names[i]), 24) for i in shown])
    ax.invert_yaxis()
    some = "" if len(shown) == len(values) else f" ({len(shown)} of {len(values)})"
    ax.set(xlabel=measure, title=f"Inputs that matter{some}")
    return ax
