"""Plots like those of SS."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from benchmarks.reproduce.comparison import sets_of
from benchmarks.reproduce.experiment import Record, summarise, where
from benchmarks.reproduce.plots import save, tidy
from benchmarks.reproduce.ss_comparison import TITLES

__all__ = ["plot_ss_figure1", "plot_ss_figure2", "plot_ss_figure3_left", "plot_ss_figure3_right"]

Style = dict[str, Any]

RED, BLUE, BLACK = "#d62728", "#2b5fd9", "#222222"
MEASURES = {"error": "error (%)", "nlp": "NLP"}
#: SS figure 2: sites, and how their lines are drawn.
SITES: dict[str, tuple[str, Style]] = {
    "moment_matching": ("moment matching", {"color": RED, "linestyle": "-"}),
    "predictive_loss": ("constrained optimisation", {"color": BLUE, "linestyle": "--"}),
}
#: SS figure 3, left.
SAMPLINGS: dict[str, Style] = {
    "random": {"color": RED, "linestyle": "--", "marker": "s"},
    "adaptive": {"color": BLUE, "linestyle": "-", "marker": "o"},
}
#: SS figure 3, right: shades of grey, light to dark.
SHADES = dict(zip(TITLES, ("#e8e8e8", "#bdbdbd", "#8f8f8f", "#5f5f5f", "#1c1c1c"), strict=True))


#: SS figure 1.
LOSSES: dict[str, tuple[str, Style]] = {
    "exponential": ("exponential", {"color": BLUE, "linestyle": "--"}),
    "binomial": ("binomial log likelihood", {"color": "#2a9d3a", "linestyle": "-."}),
    "probit": ("probit", {"color": RED, "linestyle": "-"}),
    "moderated": ("probit, variance 0.5", {"color": BLACK, "linestyle": ":"}),
}


def plot_ss_figure1(records: Sequence[Record], file: Path) -> None:
    """Draw losses against the margin, with the error of 0 or 1 that they bound."""
    figure = Figure(figsize=(5.6, 4.0), layout="constrained")
    axes = figure.subplots()
    for loss, (label, style) in LOSSES.items():
        for record in where(records, method=loss):
            axes.plot(record["margin_curve"], record["loss_curve"], label=label, **style)
    axes.step([-2.0, 0.0, 2.0], [1.0, 1.0, 0.0], color="#999999", linewidth=1.0, label="error")
    axes.set_xlabel("margin y·f")
    axes.set_ylabel("loss")
    axes.legend(frameon=False)
    tidy(axes)
    save(figure, file)


def plot_ss_figure2(records: Sequence[Record], file: Path) -> None:
    """Draw error and NLP along the path: a row each, training and test rows of each set beside."""
    sets = sets_of(records)
    figure = Figure(figsize=(4.6 * len(sets), 5.2), layout="constrained")
    panels = figure.subplots(2, 2 * len(sets), squeeze=False)
    columns = [(name, part) for name in sets for part in ("train", "test")]
    for row, (measure, label) in zip(panels, MEASURES.items(), strict=True):
        for axes, (name, part) in zip(row, columns, strict=True):
            for sites, (_, style) in SITES.items():
                for record in where(records, set=name, method=sites):
                    curve = record[f"{part}_{measure}_curve"]
                    axes.plot(range(1, len(curve) + 1), curve, linewidth=1.3, **style)
            title = "training" if part == "train" else "test"
            axes.set_title(f"{name}, {title}", fontsize=10)
            axes.set_ylabel(label)
            axes.set_xlabel("basis vectors")
            tidy(axes)
    handles = [Line2D([], [], label=label, **style) for label, style in SITES.values()]
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False)
    save(figure, file)


def plot_ss_figure3_left(records: Sequence[Record], file: Path) -> None:
    """Draw error and NLP against κ: a row for each set and d_max, validation as a level line."""
    cases = list(dict.fromkeys((r["set"], r["d_max"]) for r in records))
    cases.sort(key=lambda case: (sets_of(records).index(case[0]), case[1]))
    figure = Figure(figsize=(8.0, 0.6 + 2.1 * len(cases)), layout="constrained")
    panels = figure.subplots(len(cases), 2, squeeze=False)
    for row, (name, size) in zip(panels, cases, strict=True):
        found = where(records, set=name, d_max=size)
        for axes, (measure, label) in zip(row, MEASURES.items(), strict=True):
            _against_kappa(axes, found, measure)
            axes.set_title(f"{name}, $d_{{max}}$ = {size}", fontsize=10)
            axes.set_ylabel(label)
    for axes in panels[-1]:
        axes.set_xlabel("κ")
    handles = [Line2D([], [], label=name, **style) for name, style in SAMPLINGS.items()]
    handles.append(Line2D([], [], color=BLACK, linestyle="-.", label="validation, κ = 59"))
    figure.legend(handles=handles, loc="outside upper center", ncols=3, frameon=False)
    save(figure, file)


def _against_kappa(axes: Axes, records: Sequence[Record], measure: str) -> None:
    kappas = sorted({r["kappa"] for r in records})
    for method, style in SAMPLINGS.items():
        points = [
            (kappa, _mean(where(records, method=method, kappa=kappa), measure)) for kappa in kappas
        ]
        axes.plot(*zip(*points, strict=True), markersize=4, linewidth=1.3, **style)
    level = _mean(where(records, method="validation"), measure)
    axes.axhline(level, color=BLACK, linestyle="-.", linewidth=1.1)
    axes.set_xscale("log")
    axes.set_xticks(kappas, [str(kappa) for kappa in kappas])
    axes.minorticks_off()
    tidy(axes)


def plot_ss_figure3_right(records: Sequence[Record], file: Path) -> None:
    """Draw bars of error and NLP, a group for each d_max, a row for each set."""
    sets = sets_of(records)
    figure = Figure(figsize=(8.5, 0.6 + 1.9 * len(sets)), layout="constrained")
    panels = figure.subplots(len(sets), 2, squeeze=False)
    methods = [m for m in TITLES if where(records, method=m)]
    for row, name in zip(panels, sets, strict=True):
        for axes, (measure, label) in zip(row, MEASURES.items(), strict=True):
            _bars(axes, where(records, set=name), measure, methods)
            axes.set_title(name, fontsize=10)
            axes.set_ylabel(label)
    for axes in panels[-1]:
        axes.set_xlabel("$d_{max}$")
    handles = [Patch(facecolor=SHADES[m], edgecolor=BLACK, label=TITLES[m]) for m in methods]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(methods), frameon=False)
    save(figure, file)


def _bars(axes: Axes, records: Sequence[Record], measure: str, methods: Sequence[str]) -> None:
    sizes = sorted({r["d_max"] for r in records})
    width = 0.85 / len(methods)
    for i, method in enumerate(methods):
        heights = [_mean(where(records, method=method, d_max=size), measure) for size in sizes]
        axes.bar(
            np.arange(len(sizes)) + (i - 0.5 * (len(methods) - 1)) * width,
            heights,
            width,
            color=SHADES[method],
            edgecolor=BLACK,
            linewidth=0.5,
        )
    axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
    tidy(axes)
    axes.grid(False, axis="x")


def _mean(records: Sequence[Record], measure: str) -> float:
    """Return the mean; nan, which draws nothing, if there are none."""
    return summarise(r[measure] for r in records).mean if records else float("nan")
