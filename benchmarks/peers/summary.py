"""The tables and the picture of the README: accuracy, density and seconds beside peers.

    python -m benchmarks.peers.summary

Prints the tables in Markdown and draws ``docs/images/against_peers.png``, both of the first split
in ``benchmarks/results/peers.json``. A test holds the README to these tables.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.peers.page import RECORDS, ROOT
from benchmarks.peers.reached import best_try, ladder
from benchmarks.peers.registry import CLASSIFICATION, OURS, REGRESSION, SGPR, SVGP
from benchmarks.peers.tables import figure
from benchmarks.reproduce.comparison import markdown_table
from benchmarks.reproduce.experiment import Record, where
from benchmarks.reproduce.plots import tidy

__all__ = ["plot_summary", "read_split", "summary_table"]

IMAGE = ROOT / "docs" / "images" / "against_peers.png"
LIGHTGBM, EXACT = "LightGBM", "scikit-learn GP"

#: Columns of the tables: the title, the method and, for ours, the number of basis vectors.
Column = tuple[str, str, int | None]
FOR_NUMBERS: tuple[Column, ...] = (
    ("sparsegp, m = 500", OURS, 500),
    ("sparsegp, m = 1,500", OURS, 1500),
    ("LightGBM, tuned", LIGHTGBM, None),
    ("GPyTorch SGPR", SGPR, None),
    ("scikit-learn GPR", EXACT, None),
)
FOR_LABELS: tuple[Column, ...] = (
    ("sparsegp, m = 80", OURS, 80),
    ("LightGBM, tuned", LIGHTGBM, None),
    ("GPyTorch SVGP", SVGP, None),
    ("scikit-learn GPC", EXACT, None),
    ("GPBoost FITC", "GPBoost FITC", None),
)
#: Measures of a cell and the digits they are written with; the seconds come last.
NUMBERS: tuple[tuple[str, int], ...] = (("rmse", 3), ("nlpd", 2))
LABELS: tuple[tuple[str, int], ...] = (("error", 1), ("nlp", 3))

DRAWN = {
    ("sparsegp, m = 1,500", OURS, 1500): ("#c0392b", "o"),
    ("LightGBM, tuned", LIGHTGBM, None): ("#2a9d3a", "s"),
    ("GPyTorch SGPR", SGPR, None): ("#2b5fd9", "D"),
}
PANELS = (
    ("rmse", "RMSE"),
    ("nlpd", "NLPD"),
    ("fit_seconds", "seconds"),
)


#: Densities outside this range are drawn at its edge, with an arrow.
DENSITIES = (-3.0, 1.4)


def read_split(records: Path = RECORDS) -> list[Record]:
    """Return the runs on all rows of the first split."""
    return where(json.loads(records.read_text()), rows=None, partition=0)


def _found(records: Sequence[Record], column: Column) -> Record | None:
    _, method, size = column
    if size is None:
        return best_try(records, method)
    sizes = [r for r in ladder(records, method) if r["settings"]["max_basis"] == size]
    return sizes[0] if sizes else None


def summary_table(records: Sequence[Record], *, labels: bool) -> str:
    """Return a line for each set; in bold the lowest of each measure, and – where none finished."""
    columns, measures = (FOR_LABELS, LABELS) if labels else (FOR_NUMBERS, NUMBERS)
    sets = CLASSIFICATION if labels else REGRESSION
    rows = []
    for name in sets:
        of_set = where(records, set=name)
        runs = [_found(of_set, column) for column in columns]
        if not any(runs):
            continue
        best = {m: min(round(run[m], digits) for run in runs if run) for m, digits in measures}
        rows.append([name, *(_cell(run, measures, best) for run in runs)])
    return markdown_table(["table", *(title for title, _, _ in columns)], rows)


def _cell(run: Record | None, measures: Sequence[tuple[str, int]], best: dict[str, float]) -> str:
    if run is None:
        return "–"
    numbers = []
    for measure, digits in measures:
        text = figure(run[measure], digits)
        numbers.append(f"**{text}**" if round(run[measure], digits) == best[measure] else text)
    # no line break inside a cell
    return "\u00a0/\u00a0".join([*numbers, figure(run["fit_seconds"], 0)])


def plot_summary(records: Sequence[Record], file: Path = IMAGE) -> None:
    """Draw RMSE, NLPD and seconds of three methods, a line for each regression set."""
    sets = [name for name in REGRESSION if where(records, set=name)]
    drawing = Figure(figsize=(7.0, 0.36 * len(sets) + 1.2), layout="constrained")
    panels = drawing.subplots(1, len(PANELS), sharey=True)
    for axes, (measure, title) in zip(panels, PANELS, strict=True):
        _panel(axes, records, sets, measure)
        axes.set_title(title, fontsize=13)
        axes.tick_params(labelsize=11)
    panels[0].set_yticks(range(len(sets)), sets, fontsize=12)
    panels[0].set_ylim(len(sets) - 0.5, -0.5)
    panels[1].set_xlim(*DENSITIES)
    panels[2].set_xscale("log")
    panels[2].xaxis.set_major_formatter("{x:g}")
    handles, names = panels[0].get_legend_handles_labels()
    drawing.legend(handles, names, loc="outside upper center", ncols=3, frameon=False, fontsize=12)
    file.parent.mkdir(parents=True, exist_ok=True)
    drawing.savefig(file, dpi=200, metadata={"Software": None})


def _panel(axes: Axes, records: Sequence[Record], sets: Sequence[str], measure: str) -> None:
    for y in range(len(sets)):
        axes.axhline(y, color="#dddddd", lw=0.8, zorder=0)
    for column, (colour, marker) in DRAWN.items():
        runs = [_found(where(records, set=name), column) for name in sets]
        points = {y: run[measure] for y, run in enumerate(runs) if run is not None}
        how: dict[str, Any] = {"color": colour, "ls": "", "ms": 7, "alpha": 0.85}
        inside = {y: x for y, x in points.items() if not _edge(measure, x)}
        axes.plot([*inside.values()], [*inside], marker=marker, label=column[0], **how)
        for y, x in points.items():
            edge = _edge(measure, x)
            if edge:
                at = DENSITIES[0] if edge == "<" else DENSITIES[1]
                axes.plot(at, y, marker=edge, clip_on=False, **how)
    tidy(axes)


def _edge(measure: str, x: float) -> str:
    """Return the arrow of a density outside the panel, "" of all others."""
    if measure != "nlpd" or DENSITIES[0] <= x <= DENSITIES[1]:
        return ""
    return "<" if x < DENSITIES[0] else ">"


def main() -> None:
    records = read_split()
    plot_summary(records)
    print(summary_table(records, labels=False))
    print()
    print(summary_table(records, labels=True))


if __name__ == "__main__":
    main()
