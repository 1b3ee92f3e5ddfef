"""Plots like figures 2 to 4 of SKS."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.reproduce.experiment import Record, where
from benchmarks.reproduce.plots import save, tidy

__all__ = ["plot_sks_figure"]

STYLES = {
    "NLPP": {"color": "#222222", "linestyle": "-"},
    "NLML": {"color": "#2b5fd9", "linestyle": "--"},
    "LOO-CVE": {"color": "#2a9d3a", "linestyle": "-."},
    "NLGPP": {"color": "#d62728", "linestyle": "-"},
    "GPE": {"color": "#c026a8", "linestyle": ":"},
}
ROWS = {
    "measure_curve": "measure, scaled",
    "nmse_curve": "NMSE (%)",
    "nlpd_curve": "NLPD",
}


def plot_sks_figure(records: Sequence[Record], file: Path) -> None:
    """Draw the scaled measure, NMSE and NLPD below each other, a column for each set."""
    sets = list(dict.fromkeys(r["set"] for r in records))
    figure = Figure(figsize=(3.6 * len(sets) + 0.6, 8.0), layout="constrained")
    panels = figure.subplots(len(ROWS), len(sets), squeeze=False)
    for column, name in enumerate(sets):
        for row, (curve, label) in enumerate(ROWS.items()):
            axes = panels[row][column]
            _curves(axes, where(records, set=name), curve)
            axes.set_ylabel(label)
            axes.set_xlabel("basis vectors")
            if not row:
                axes.set_title(name, fontsize=10)
            tidy(axes)
    handles = [Line2D([], [], label=method, **style) for method, style in STYLES.items()]
    columns = len(STYLES) if len(sets) > 1 else 3  # what the width holds
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, frameon=False)
    save(figure, file)


def _curves(axes: Axes, records: Sequence[Record], curve: str) -> None:
    for method, style in STYLES.items():
        found = where(records, method=method)
        if not found:
            continue
        sizes = min((r["sizes"] for r in found), key=len)  # those that all runs reached
        values = np.mean([r[curve][: len(sizes)] for r in found], axis=0)
        if curve == "measure_curve":
            values = (values - values.min()) / (np.ptp(values) or 1.0)
        axes.plot(sizes, values, linewidth=1.4, **style)
    if curve == "nmse_curve":
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("{x:g}")
        axes.tick_params(axis="y", which="minor", labelsize=7)
