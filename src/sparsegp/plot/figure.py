"""Figures as files and as SVG: the only file that imports matplotlib."""

import warnings
from collections.abc import Callable, Sequence
from io import StringIO
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, ScalarFormatter

from sparsegp.plot.labels import tick_labels

__all__ = ["PlainNumbers", "axes_side_by_side", "new_axes", "render_svg"]

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
#: Points per inch: the user units of an SVG.
POINTS = 72.0
#: Ticks per inch along the axes: the fonts of a page may be wider than the one here, and numbers
#: need more room beside each other than above each other.
TICKS_PER_INCH = {"x": 1.7, "y": 2.4}


class PlainNumbers(ScalarFormatter):  # type: ignore[misc, unused-ignore]
    """Numbers along an axis as one writes them."""

    def format_ticks(self, values: Any) -> list[str]:
        """Return the label of each tick."""
        return tick_labels([float(value) for value in values])


def new_axes() -> Any:
    """Return the axes of a new figure, which notebooks show."""
    from matplotlib import pyplot  # noqa: PLC0415  (it chooses a window system when imported)

    ax = pyplot.subplots(layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def axes_side_by_side(n: int, width: float, height: float) -> Any:
    """Return the axes (n,) of a new figure that is not shown; sizes are in inches."""
    axes = Figure(figsize=(width, height), layout="constrained").subplots(1, n)
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    return axes


def render_svg(
    draw: Callable[[Any], object],
    width: float,
    height: float,
    points: Sequence[tuple[float, float]] = (),
) -> tuple[str, list[tuple[float, float]]]:
    """Return an SVG document of what ``draw`` draws on its axes; sizes are in inches.

    Also returned is where ``points``, in units of the data, lie in the document.
    """
    with mpl.rc_context(SVG_STYLE), warnings.catch_warnings():
        # the page has other fonts than the one used here to measure text
        warnings.filterwarnings("ignore", "Glyph .* missing from")
        figure = Figure(figsize=(width, height), dpi=POINTS, layout="constrained", facecolor="none")
        ax = figure.subplots()
        ax.set_facecolor("none")
        draw(ax)
        for axes in figure.axes:
            _write_plain_numbers(axes, width, height)
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None}, transparent=True)
        drawn = ax.transData.transform(np.reshape(np.asarray(points, dtype=np.float64), (-1, 2)))
    return text.getvalue(), [(float(x), POINTS * height - float(y)) for x, y in drawn]


def _write_plain_numbers(ax: Any, width: float, height: float) -> None:
    """Replace offsets and powers of ten by numbers, and leave room between them."""
    for axis, inches in ((ax.xaxis, width), (ax.yaxis, height)):
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(PlainNumbers())
            room = max(3, int(TICKS_PER_INCH[axis.axis_name] * (inches - 0.8)))
            axis.get_major_locator().set_params(nbins=room, steps=[1, 2, 5, 10])
        elif axis.get_scale() == "log":
            axis.set_major_formatter(lambda value, _: tick_labels([value])[0])
            axis.set_minor_formatter(NullFormatter())
