"""Plots like those of CO."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from benchmarks.reproduce.experiment import Record, summarise, where
from benchmarks.reproduce.plots import GREY, save, tidy

__all__ = ["plot_co_figure4", "plot_co_figure5", "plot_co_figure6", "plot_co_figure7"]

Style = dict[str, Any]

RED, BLUE, BLACK, GREEN = "#d62728", "#2b5fd9", "#222222", "#2a9d3a"
DELETIONS: dict[str, tuple[str, str]] = {
    "mean": ("mean, as in the paper", BLUE),
    "kl": ("divergence", RED),
}
#: CO figure 5.
CURVES: dict[str, tuple[str, Style]] = {
    "full": ("exact, on m rows", {"color": BLACK, "linestyle": "-"}),
    "fixed": ("on-line, at most m", {"color": BLUE, "linestyle": "none", "marker": "o"}),
    "removed": ("removed one by one", {"color": GREEN, "linestyle": "-."}),
    "kl": ("on-line, by divergence", {"color": RED, "linestyle": "none", "marker": "s"}),
}
#: CO figure 6: sweeps, and whether the second recycles.
SWEEPS: dict[tuple[int, bool], tuple[str, Style]] = {
    (1, False): ("one sweep", {"linestyle": "-", "marker": "x"}),
    (2, False): ("a second, rows as if new", {"linestyle": "--", "marker": "o"}),
    (2, True): ("a second that recycles", {"linestyle": ":", "marker": "^"}),
}
PROBLEMS = {
    "four": "4 against the others",
    "ten": "ten digits",
    "smoothed": "ten digits, smoothed pixels",
}


def plot_co_figure4(records: Sequence[Record], file: Path) -> None:
    """Draw one run: a row for each rule of deletion and tolerance, a column for each width."""
    widths = sorted({r["width"] for r in records}, reverse=True)
    rows = [
        {"deletion": rule, "tolerance": tolerance}
        for rule in DELETIONS
        for tolerance in sorted({r["tolerance"] for r in where(records, deletion=rule)})
    ]
    figure = Figure(figsize=(4.6 * len(widths), 2.8 * len(rows)), layout="constrained")
    panels = figure.subplots(len(rows), len(widths), squeeze=False, sharey=True)
    for line, which in zip(panels, rows, strict=True):
        for axes, width in zip(line, widths, strict=True):
            for record in where(records, width=width, **which):
                _fit_with_bars(axes, record)
            rule = DELETIONS[which["deletion"]][0]
            title = f"{rule}, $\\epsilon_{{tol}}$ = {which['tolerance']:g}"
            axes.set_title(f"{title}, $\\sigma_K^2$ = {width:g}", fontsize=9)
            tidy(axes)
    handles = [
        Line2D([], [], color=BLACK, linestyle="--", label="sin(x)/x"),
        Line2D([], [], color=BLUE, label="mean"),
        Line2D([], [], color=BLUE, linestyle="-.", linewidth=0.8, label="two deviations"),
        Line2D([], [], color=RED, linestyle="none", marker="D", markersize=4, label="basis"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=4, frameon=False)
    save(figure, file)


def _fit_with_bars(axes: Axes, record: Record) -> None:
    x, mean, deviation = (
        np.asarray(record[f"{name}_curve"]) for name in ("x", "mean", "deviation")
    )
    axes.plot(x, np.sinc(x / np.pi), color=BLACK, linestyle="--", linewidth=1.1)
    axes.plot(x, mean, color=BLUE, linewidth=1.4)
    for side in (-2.0, 2.0):
        axes.plot(x, mean + side * deviation, color=BLUE, linestyle="-.", linewidth=0.8)
    z = np.asarray(record["basis"])
    axes.plot(z, np.interp(z, x, mean), color=RED, linestyle="none", marker="D", markersize=4)


def plot_co_figure5(records: Sequence[Record], file: Path) -> None:
    """Draw the mean squared error against the number of basis vectors, bars of one deviation."""
    figure = Figure(figsize=(7.5, 4.6), layout="constrained")
    axes = figure.subplots()
    for shift, (curve, (label, style)) in zip((0, -1.5, 0, 1.5), CURVES.items(), strict=True):
        found = _by_size(where(records, curve=curve), "mse")
        if not found:
            continue
        sizes = np.array([size for size, _ in found])
        means = [s.mean for _, s in found]
        if style["linestyle"] == "none":  # dots beside each other
            spread = [s.sd for _, s in found]
            axes.errorbar(
                sizes + shift, means, spread, label=label, markersize=4, elinewidth=0.8, **style
            )
        else:
            axes.plot(sizes, means, label=label, linewidth=1.4, **style)
    axes.set_xlabel("basis vectors")
    axes.set_ylabel("mean squared test error")
    axes.legend(frameon=False)
    tidy(axes)
    save(figure, file)


def _by_size(records: Iterable[Record], measure: str) -> list[tuple[int, Any]]:
    records = list(records)
    sizes = sorted({r["size"] for r in records})
    return [(size, summarise(r[measure] for r in where(records, size=size))) for size in sizes]


def plot_co_figure6(records: Sequence[Record], file: Path) -> None:
    """Draw the test error against the number of basis vectors: a panel for each problem."""
    problems = [p for p in PROBLEMS if where(records, problem=p)]
    figure = Figure(figsize=(5.2 * len(problems), 4.2), layout="constrained")
    for axes, problem in zip(
        figure.subplots(1, len(problems), squeeze=False)[0], problems, strict=True
    ):
        for rule, (_, colour) in DELETIONS.items():
            for (sweeps, recycle), (_, style) in SWEEPS.items():
                found = where(
                    records, problem=problem, deletion=rule, sweeps=sweeps, recycle=recycle
                )
                line = _by_size(found, "error")
                axes.plot(
                    [size for size, _ in line],
                    [s.mean for _, s in line],
                    color=colour,
                    markersize=4,
                    linewidth=1.2,
                    **style,
                )
        axes.set_title(PROBLEMS[problem], fontsize=10)
        axes.set_xlabel("basis vectors")
        axes.set_ylabel("test error (%)")
        tidy(axes)
    handles = [Line2D([], [], color=colour, label=name) for name, colour in DELETIONS.values()]
    handles += [Line2D([], [], color=GREY, label=label, **s) for label, s in SWEEPS.values()]
    figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
    save(figure, file)


def plot_co_figure7(records: Sequence[Record], file: Path) -> None:
    """Draw the test error as basis vectors are removed."""
    figure = Figure(figsize=(6.5, 4.0), layout="constrained")
    axes = figure.subplots()
    for rule, (label, colour) in DELETIONS.items():
        line = _by_size(where(records, deletion=rule), "error")
        if line:
            sizes, means = [size for size, _ in line], [s.mean for _, s in line]
            axes.plot(sizes, means, "o-", color=colour, markersize=4, linewidth=1.3, label=label)
    axes.invert_xaxis()
    axes.set_xlabel("basis vectors left")
    axes.set_ylabel("test error (%)")
    axes.legend(frameon=False, title="removed by")
    tidy(axes)
    save(figure, file)
