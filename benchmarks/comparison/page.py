"""Writes ``benchmarks/comparison.md`` and its picture from stored records."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.comparison.causes import CAUSES
from benchmarks.comparison.methods import METHODS, OURS, TUNED
from benchmarks.comparison.page_tables import (
    section_density,
    section_failures,
    section_figures,
    section_losses,
    section_versions,
)
from benchmarks.comparison.plot import plot_ranks
from benchmarks.comparison.ranks import MARGINS, RELATIVE, Scores, duel, ranked
from benchmarks.comparison.sets import CLASSIFICATION, REGRESSION
from benchmarks.comparison.stored import MEASURES, Record, comparable, newest, of_method, scores_of
from benchmarks.reproduce.comparison import markdown_table

__all__ = ["write_page"]

FOLDER = Path(__file__).resolve().parents[1]
IMAGE = "images/comparison.png"
TITLES = {"rmse": "RMSE", "nlpd": "NLPD", "crps": "CRPS", "error": "errors of labels", "nlp": "NLP"}

INTRODUCTION = f"""# Default against default

`python -m benchmarks.comparison`, then `--page`. Every library with the settings that it has when
none are given, on {len(REGRESSION)} tables of numbers to predict and {len(CLASSIFICATION)} of
labels: public ones, scikit-learn's own and generated ones, 150 to two million rows, with strings,
categories and missing values as they come. Nothing is chosen by test rows. A split is a random
permutation, a fifth of the rows (at most 10,000) for the test; numerical targets are divided by
their standard deviation. A fit has a process and one thread of its own.

Exceptions to "default": LightGBM, tuned, is a random search with early stopping that lasts as many
seconds as our default fit of the same split; scikit-learn's exact process has an RBF with a length
scale a column and noise, up to 2,000 rows to train (1,000 with labels), since its literal default
learns nothing; GPyTorch's and GPBoost's models are those of their examples. Columns of strings are
the library's own categories where it has them, otherwise columns of 0 and 1.
"""

DENSITIES = """## Densities

Libraries that predict a number have the better of two densities, chosen on a tenth of the training
rows: a normal one around their mean, with the variance of their errors on these rows; or heads of
their own, learned from the other rows: nine quantiles (LightGBM and HistGradientBoosting by nine
fits, XGBoost by one), or a variance a row (CatBoost). Between quantiles the density is constant,
beyond them exponential; neighbouring quantiles are kept a thousandth of an error's deviation apart.
Networks and the random forest have the normal one only. How often which was chosen:
"""


def write_page(records_file: Path, folder: Path = FOLDER) -> Path:
    """Write the page and its picture; return the page."""
    records = newest(records_file)
    panels, parts = {}, [INTRODUCTION, _progress(records)]
    kinds = [(REGRESSION, MEASURES[False]), (CLASSIFICATION, MEASURES[True])]
    tables = [(m, scores_of(records, names, m)) for names, of in kinds for m in of]
    for measure, scores in tables:
        methods, common = comparable(scores)
        if len(common) > 1 and len(methods) > 1:
            panels[TITLES[measure]] = ranked(common, methods), len(common)
    if panels:
        plot_ranks(panels, folder / IMAGE)
        parts += [f"![mean ranks with critical differences]({IMAGE})", _ranks(panels)]
    parts += [_duels(tables), section_losses(tables, OURS, TITLES, CAUSES), _seconds(records)]
    parts += [DENSITIES, section_density(records), section_failures(records)]
    parts += [section_figures(tables, records, TITLES), section_versions(records)]
    page = folder / "comparison.md"
    page.write_text("\n\n".join(part.strip() for part in parts if part) + "\n", encoding="utf-8")
    return page


def _progress(records: Sequence[Record]) -> str:
    """Say how much of it has been run."""
    mine = {(r["set"], r["split"]) for r in records if r["method"] == OURS}
    n_sets, n_splits = len({name for name, _ in mine}), len({k for _, k in mine})
    return (
        f"Run so far: our default on {n_sets} tables ({n_splits} splits at most), "
        f"{len(records)} fits in all. What has not been run is missing, not lost."
    )


def _ranks(panels: dict[str, tuple[dict[str, float], int]]) -> str:
    methods = [m for m in METHODS if any(m in ranks for ranks, _ in panels.values())]
    head = ["mean rank", *(f"{title} ({n} tables)" for title, (_, n) in panels.items())]
    rows = []
    for method in methods:
        cells = []
        for ranks, _ in panels.values():
            best = method in ranks and ranks[method] == min(ranks.values())
            text = f"{ranks[method]:.2f}" if method in ranks else "–"
            cells.append(f"**{text}**" if best else text)
        rows.append([method, *cells])
    told = (
        "Rank 1 is the lowest score of a table, a failure (out of time or memory) the last rank. "
        "Methods are ranked that were tried on at least four fifths of our tables, on the tables "
        "that all of these were tried on; our fits of 10 s are left out, being "
        "nearly those without a limit. Bars join methods whose ranks differ by less than the "
        "critical difference of Nemenyi's test (5 %)."
    )
    return f"{markdown_table(head, rows)}\n\n{told}"


def _duels(tables: Iterable[tuple[str, Scores]]) -> str:
    tables = list(tables)
    head = ["sparsegp against", *(TITLES[measure] for measure, _ in tables)]
    rows = []
    for method in METHODS:
        counts = [duel(scores, OURS, method, measure) for measure, scores in tables]
        if method != OURS and any(sum(count) for count in counts):
            rows.append([method, *(" / ".join(map(str, c)) if sum(c) else "–" for c in counts)])
    margins = ", ".join(
        f"{TITLES[m]} {100 * v:g} %" if m in RELATIVE else f"{TITLES[m]} {v:g}"
        for m, v in MARGINS.items()
    )
    told = f"Tables won / tied / lost, means of splits. Ties are closer than: {margins}."
    return f"## Wins, ties and losses\n\n{told}\n\n{markdown_table(head, rows)}" if rows else ""


def _seconds(records: Sequence[Record]) -> str:
    """Return how much longer each method takes than ours, as geometric means over sets."""
    names = list(dict.fromkeys(r["set"] for r in records))
    rows = []
    for method in METHODS:
        cells = []
        for field in ("fit_seconds", "fit_process_seconds", "predict_seconds", "peak_mb"):
            ratios = [ratio for name in names if (ratio := _ratio(records, name, method, field))]
            cells.append(f"{np.exp(np.mean(np.log(ratios))):.2g}" if ratios else "–")
        if any(cell != "–" for cell in cells):
            rows.append([method, str(len(ratios)), *cells])
    if not rows:
        return ""
    head = ["geometric mean, ours is 1", "tables", "fit", "fit, process time", "predict", "memory"]
    told = (
        "A fit is that of the mean; what the density of a library costs besides is not counted. "
        f"{TUNED} fits for our seconds, then all rows once more. The machine did other work, too: "
        "process time says more than the clock's."
    )
    return f"## Seconds and memory\n\n{told}\n\n{markdown_table(head, rows)}"


def _ratio(records: Sequence[Record], name: str, method: str, field: str) -> float | None:
    """Return a method's seconds over ours, means over the splits that both have."""
    ours, theirs = (
        {r["split"]: r[field] for r in of_method(records, name, m) if field in r}
        for m in (OURS, method)
    )
    common = ours.keys() & theirs.keys()
    if not common:
        return None
    # a clock of milliseconds does not tell less
    mine, other = (np.mean([max(of[k], 1e-3) for k in common]) for of in (ours, theirs))
    return float(other / mine)
