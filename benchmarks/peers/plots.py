"""Accuracy against seconds, a panel for each set."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from benchmarks.peers.reached import best_try, is_ours, ladder, measures_of, methods
from benchmarks.reproduce.experiment import where
from benchmarks.reproduce.plots import save, tidy

__all__ = ["plot_races"]

COLUMNS = 3
OUR_COLOURS = ("#e59866", "#c0392b", "#d7bde2")
COLOURS = ("#2b5fd9", "#2a9d3a", "#8e44ad", "#d4a017", "#222222", "#17a2b8", "#7f6a52", "#d63384")
#: A density this many times the spread of the better half above the best is drawn at the edge.
FAR = 6.0


def plot_races(records: Sequence[dict[str, Any]], sets: Sequence[str], file: Path) -> None:
    """Draw the first measure of each set against the seconds of the fit, on a logarithmic scale."""
    names = methods(records)
    others = [name for name in names if not is_ours(name)]
    ours = [name for name in names if is_ours(name)]
    colours = dict(zip(ours, OUR_COLOURS, strict=False)) | dict(zip(others, COLOURS, strict=False))
    n_lines = -(-len(sets) // COLUMNS)
    figure = Figure(figsize=(10.0, 2.7 * n_lines + 0.6), layout="constrained")
    panels = figure.subplots(n_lines, COLUMNS, squeeze=False).ravel()
    for axes, name in zip(panels, sets, strict=False):
        _panel(axes, name, where(records, set=name, partition=0), colours)
    for axes in panels[len(sets) :]:
        axes.axis("off")
    handles = {label: line for axes in panels for line, label in zip(*_legend(axes), strict=True)}
    shown = [name for name in colours if name in handles]
    figure.legend(
        [handles[name] for name in shown], shown, loc="outside upper center", ncols=5, frameon=False
    )
    save(figure, file)


def _legend(axes: Axes) -> tuple[list[Any], list[str]]:
    return axes.get_legend_handles_labels()


def _panel(
    axes: Axes, name: str, records: Sequence[dict[str, Any]], colours: dict[str, str]
) -> None:
    measure = measures_of(name)[0]
    series: dict[str, list[dict[str, Any]]] = {}
    for method in colours:
        best = best_try(records, method)
        found = ladder(records, method) if is_ours(method) else [best] if best else []
        if found:
            series[method] = found
    top = _edge([record[measure] for found in series.values() for record in found])
    for method, found in series.items():
        seconds = np.array([record["fit_seconds"] for record in found])
        values = np.minimum([record[measure] for record in found], top)
        how: dict[str, Any] = {"color": colours[method], "markersize": 5}
        axes.plot(seconds, np.where(values < top, values, np.nan), "o", label=method, **how)
        axes.plot(seconds, np.where(values < top, np.nan, values), "^", **how)
        if is_ours(method):
            axes.plot(seconds, values, "-", **how)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_title(name, fontsize=10)
    axes.set_xlabel("seconds of the fit")
    axes.set_ylabel(measure.upper())
    tidy(axes)


def _edge(values: Sequence[float]) -> float:
    """Return where values are cut, so that one bad density does not flatten the others."""
    if not values:
        return np.inf
    best, middle = float(np.min(values)), float(np.median(values))
    return best + FAR * (middle - best) if middle > best else np.inf
