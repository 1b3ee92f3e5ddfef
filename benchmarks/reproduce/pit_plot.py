"""Histograms of where targets lie in the distributions predicted for them."""

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import binom

from benchmarks.reproduce.plots import GREY, save, tidy

__all__ = ["plot_pit"]

COLUMNS, BLUE = 3, "#2b5fd9"
CHANCE = 0.99


def plot_pit(counted: Mapping[str, Sequence[int]], file: Path) -> None:
    """Draw one histogram a set, from the counts of its equal bars."""
    n_rows = ceil(len(counted) / COLUMNS)
    figure = Figure(figsize=(8.5, 1.9 * n_rows), layout="constrained")
    panels = figure.subplots(n_rows, COLUMNS, squeeze=False, sharex=True, sharey=True).ravel()
    for axes, (name, counts) in zip(panels, counted.items(), strict=False):
        _draw(axes, np.asarray(counts))
        axes.set_title(f"{name}, {sum(counts):,} rows", fontsize=9)
    for axes in panels[len(counted) :]:
        axes.set_visible(False)
    save(figure, file)


def _draw(axes: Axes, counts: np.ndarray) -> None:
    """Draw bars around one, with the band of bars that are so by chance."""
    n_bars, total = len(counts), int(counts.sum())
    edges = np.linspace(0.0, 1.0, n_bars + 1)
    even = total / n_bars
    band = binom.ppf([(1 - CHANCE) / 2, (1 + CHANCE) / 2], total, 1 / n_bars) / even
    axes.axhspan(*band, color="#dddddd")
    axes.bar(edges[:-1], counts / even, 1 / n_bars, align="edge", color=BLUE, alpha=0.75)
    axes.axhline(1.0, color=GREY, linewidth=0.8)
    axes.set_ylim(0.0, 2.0)
    tidy(axes)
