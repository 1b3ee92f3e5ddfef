"""Error, density, coverage and effective memory over a stream."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from benchmarks.reproduce.plots import save, tidy
from benchmarks.streams.data import Stream
from benchmarks.streams.rivals import OURS

__all__ = ["plot_stream"]

COLOURS = {
    OURS: "#c0392b",
    f"{OURS} lags=1": "#e59866",
    f"{OURS} mean=last": "#8e44ad",
    "persistence": "#222222",
    "LinearRegression": "#2b5fd9",
    "LogisticRegression": "#2b5fd9",
    "BayesianLinearRegression": "#17a2b8",
    "KNN": "#7f6a52",
    "HoeffdingAdaptiveTree": "#d4a017",
    "AdaptiveRandomForest": "#2a9d3a",
    "SRP": "#d63384",
}
#: Values more than this factor of the best mean away are cut off.
FAR = 3.0

NAMES = {
    "rmse": "RMSE",
    "nlpd": "NLPD",
    "nlp": "NLP",
    "coverage": "share covered",
    "accuracy": "accuracy",
}


def plot_stream(records: Sequence[dict[str, Any]], stream: Stream, file: Path) -> None:
    """Draw the first seed of each learner in parts of the stream."""
    own = [r for r in records if r["seed"] == 0]
    labels = stream.is_labels
    measures = ("accuracy", "nlp") if labels else ("rmse", "nlpd", "coverage")
    figure = Figure(figsize=(10.0, 4.6), layout="constrained")
    panels = figure.subplots(2, 2).ravel()
    for axes, measure in zip(panels, measures, strict=False):
        for record in own:
            _line(axes, record, [point[measure] for point in record["points"]])
        axes.set_ylabel(NAMES[measure])
        if measure in ("rmse", "nlpd", "nlp"):
            _cut(axes, own, measure)
        tidy(axes)
    memory = panels[len(measures)]
    for record in own:
        if record["memory"]:
            _line(memory, record, record["memory"])
    memory.set_ylabel("effective memory, rows")
    for axes in panels[2 if not labels else 1 : len(measures) + 1]:
        axes.set_xlabel("row of the stream")
    tidy(memory)
    for axes in panels:
        axes.xaxis.set_major_locator(MaxNLocator(5))
    for axes in panels[len(measures) + 1 :]:
        axes.axis("off")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=5, frameon=False, fontsize=8)
    save(figure, file)


def _line(axes: Axes, record: dict[str, Any], values: Sequence[float]) -> None:
    rows = (np.arange(len(values)) + 0.5) * record["n_rows"] / len(values)
    ours = record["method"].startswith(OURS)
    axes.plot(
        rows,
        values,
        color=COLOURS[record["method"]],
        label=record["method"],
        linewidth=1.6 if ours else 0.8,
        zorder=3 if ours else 2,
    )


def _cut(axes: Axes, records: Sequence[dict[str, Any]], measure: str) -> None:
    """Leave out values far above those of the best learner, which would flatten all others."""
    series = [np.array([point[measure] for point in r["points"]]) for r in records]
    best = min(series, key=lambda values: float(np.median(values)))
    low = min(float(values.min()) for values in series)
    spread = float(np.median(best)) - low
    high = max(float(best.max()), float(np.median(best)) + FAR * max(spread, 0.1))
    axes.set_ylim(low - 0.05 * (high - low), high)
