"""Plots like those of the papers."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import LogLocator, NullFormatter

from benchmarks.reproduce.experiment import Record, summarise, where

__all__ = ["plot_kc_figure1", "plot_sks_figure1"]

# KC's colours, darkened a little to be legible on white.
COLOURS = {
    "RAND": "#2b5fd9",
    "INFO": "#d62728",
    "KAPPA": "#2a9d3a",
    "DMAX": "#222222",
    "SB": "#c026a8",
}
GREY = "#777777"


def save(figure: Figure, file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # without a date or a version in it, equal results make equal files
    figure.savefig(file, dpi=110, metadata={"Software": None})


def tidy(axes: Axes) -> None:
    axes.grid(True, color="#e6e6e6", linewidth=0.7)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def plot_kc_figure1(records: list[Record], file: Path) -> None:
    """Draw boxes of NMSE and NLPD, and CPU time on logarithmic scales, against d_max."""
    figure = Figure(figsize=(8.5, 10.5), layout="constrained")
    top, middle, bottom = figure.subplots(3)
    sizes = sorted({r["d_max"] for r in records})
    methods = [m for m in COLOURS if where(records, method=m)]
    _boxes(top, records, "nmse", sizes, methods)
    top.set_ylabel("NMSE (%)")
    top.set_yscale("log")
    _plain_ticks(top)
    _boxes(middle, records, "nlpd", sizes, methods)
    middle.set_ylabel("NLPD")
    for method in methods:
        seconds = [_seconds(where(records, method=method, d_max=d)) for d in sizes]
        bottom.loglog(sizes, seconds, "o-", color=COLOURS[method], markersize=4, label=method)
    bottom.set_ylabel("CPU time (s)")
    bottom.set_xticks(sizes, [str(d) for d in sizes])
    bottom.minorticks_off()
    _plain_ticks(bottom)
    for axes in (top, middle, bottom):
        tidy(axes)
        axes.set_xlabel("$d_{max}$")
    handles = [Patch(color=COLOURS[m], label=m) for m in methods]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(methods), frameon=False)
    save(figure, file)


def _boxes(
    axes: Axes, records: list[Record], measure: str, sizes: Sequence[int], methods: Sequence[str]
) -> None:
    width = 0.8 / len(methods)
    for i, method in enumerate(methods):
        values = [[r[measure] for r in where(records, method=method, d_max=d)] for d in sizes]
        line = {"color": COLOURS[method], "linewidth": 1.2}
        axes.boxplot(
            values,
            positions=np.arange(len(sizes)) + (i - 0.5 * (len(methods) - 1)) * width,
            widths=0.8 * width,
            manage_ticks=False,
            boxprops=line,
            whiskerprops=line,
            capprops=line,
            medianprops=line,
            flierprops={"markeredgecolor": COLOURS[method], "markersize": 3},
        )
    axes.set_xticks(range(len(sizes)), [str(d) for d in sizes])


def _plain_ticks(axes: Axes) -> None:
    """Label a logarithmic axis with 1, 2, 5, 10 and so on."""
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def _seconds(records: list[Record]) -> float:
    return summarise(r["selection_seconds"] + r["final_pass_seconds"] for r in records).mean


def plot_sks_figure1(records: list[Record], file: Path) -> None:
    """Draw each measure against the number of basis vectors, a line for each adaptation."""
    methods = list(dict.fromkeys(r["method"] for r in records))
    figure = Figure(figsize=(9.5, 6.2), layout="constrained")
    panels = figure.subplots(2, 3).ravel()
    for axes, method in zip(panels, methods, strict=False):
        lines = where(records, method=method, partition=0)
        for line in lines:
            shade = 0.15 + 0.85 * (line["adaptation"] + 1) / len(lines)
            _curve(axes, line, (0.17, 0.37, 0.85, shade))
        axes.set_title(method, fontsize=10)
        axes.set_xlabel("basis vectors")
        tidy(axes)
    for axes in panels[len(methods) :]:
        axes.axis("off")
    panels[-1].text(
        0.0,
        0.5,
        "Darker lines: later adaptations\nof the hyperparameters.\nDots: where the basis is cut.",
        fontsize=10,
        color=GREY,
    )
    save(figure, file)


def _curve(axes: Axes, line: Record, colour: tuple[float, float, float, float]) -> None:
    curve = np.asarray(line["curve"])
    axes.plot(np.arange(1, len(curve) + 1), curve, color=colour, linewidth=1.3)
    axes.plot(line["n_basis"], curve[line["n_basis"] - 1], "o", color=colour, markersize=4)
