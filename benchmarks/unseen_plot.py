"""The picture of the page of unseen tables: errors and densities beside the better of the trees."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.reproduce.plots import save

__all__ = ["plot_tables"]

OURS_COLOUR, TREES_COLOUR, GREY = "#c0392b", "#2e9e4f", "#888888"
#: Differences of densities beyond this many nats are drawn at the edge, as an arrow.
WIDEST = 2.2


def plot_tables(
    names: Sequence[str], ratios: Sequence[float], gains: Sequence[float], file: Path
) -> None:
    """Draw for each table our RMSE over that of the better trees, and our NLPD less theirs."""
    order = np.argsort(ratios)
    figure = Figure(figsize=(8.0, 0.16 * len(names) + 0.8), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    _dots(left, np.asarray(ratios)[order], 1.0)
    left.set_xscale("log")
    left.set_xticks([0.25, 0.5, 0.75, 1.0, 1.25], ["¼", "½", "¾", "1", "1¼"])
    left.minorticks_off()
    left.set_xlabel("RMSE, that of the better trees is 1")
    left.set_yticks(range(len(names)), [names[i] for i in order], fontsize=7)
    left.set_ylim(len(names) - 0.5, -0.5)
    _dots(right, np.maximum(np.asarray(gains)[order], -WIDEST), 0.0)
    right.set_xlabel("NLPD less that of the better trees, nats")
    beyond = [i for i, each in enumerate(order) if gains[each] < -WIDEST]
    right.plot([-WIDEST] * len(beyond), beyond, "<", color=OURS_COLOUR, markersize=6)
    for axes, title in ((left, "errors"), (right, "densities")):
        axes.set_title(f"{title}: left of the line sparsegp is better", fontsize=9)
    save(figure, file)


def _dots(axes: Axes, values: np.ndarray, even: float) -> None:
    axes.axvline(even, color=GREY, linewidth=1)
    places = np.arange(len(values))
    colours = [OURS_COLOUR if value < even else TREES_COLOUR for value in values]
    axes.hlines(places, np.minimum(values, even), np.maximum(values, even), colours, linewidth=1)
    axes.scatter(values, places, c=colours, s=14, zorder=3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", color="#e5e5e5", linewidth=0.6)
    axes.set_axisbelow(True)
