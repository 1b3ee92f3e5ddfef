"""Figures as files and as SVG: the only file that imports matplotlib."""

import warnings
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure

from sparsegp.plot.calibration import plot_calibration
from sparsegp.plot.predictions import plot_predictions
from sparsegp.plot.selection_path import plot_path

__all__ = ["render_svg", "save_regression_figure"]

Floats = npt.NDArray[np.float64]

# Text stays text, in the font of the page; a fixed salt makes the output reproducible.
SVG_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sparsegp",
    "font.family": "sans-serif",
    "font.size": 10.0,
    "axes.titlesize": 11.0,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def save_regression_figure(
    file: Path, y: Floats, mean: Floats, std: Floats, path: Floats, title: str
) -> None:
    """Save predictions, calibration and the selection path side by side in one image."""
    figure = Figure(figsize=(13, 4.2), layout="constrained")
    axes = figure.subplots(1, 3)
    plot_predictions(y, mean, std, ax=axes[0])
    plot_calibration(y, mean, std, ax=axes[1])
    plot_path(path, ax=axes[2])
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    figure.suptitle(title)
    figure.savefig(file, dpi=110)


def render_svg(draw: Callable[[Any], object], width: float, height: float) -> str:
    """Return an SVG document of what ``draw`` draws on its axes; sizes are in inches."""
    with mpl.rc_context(SVG_STYLE), warnings.catch_warnings():
        # the page has other fonts than the one used here to measure text
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure = Figure(figsize=(width, height), layout="constrained", facecolor="none")
        ax = figure.subplots()
        ax.set_facecolor("none")
        draw(ax)
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
    return text.getvalue()
