"""Predicted against observed: all rows at a glance, and ten of them one by one."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot import plot_intervals, plot_predictions
from sparsegp.plot.labels import printable, shorten
from sparsegp.plot.predictions import evenly_spaced
from sparsegp.plot.svg import inline_svg
from sparsegp.report.evaluation import ClassificationEvaluation, Evaluation, RegressionEvaluation
from sparsegp.report.formatting import format_number, format_percent, format_value
from sparsegp.report.policy import (
    INTERVAL_NAME,
    MAX_CONFUSION_CLASSES,
    MAX_RESIDUAL_ROWS,
    N_EXAMPLE_ROWS,
    N_INPUTS_OF_ROWS,
)
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table

__all__ = ["example_rows_section", "predictions_section", "rows_table"]

Indices = npt.NDArray[np.intp]
INDICATOR = " is missing"  # ending of the name of an input that says so of another
TITLE = "Predicted against observed"


def predictions_section(data: ReportData, evaluation: Evaluation) -> Section:
    """Draw observed against predicted targets, or count labels predicted for labels."""
    if isinstance(evaluation, ClassificationEvaluation):
        return _confusion_section(data, evaluation)
    y, mean, n = evaluation.y, evaluation.mean, len(evaluation.y)
    shown = evenly_spaced(mean, MAX_RESIDUAL_ROWS)
    hover = [(mean[i], y[i], _row_in_words(data, evaluation, i)) for i in shown]

    def draw(ax: Any) -> None:
        interval = evaluation.lower, evaluation.upper
        plot_predictions(y, mean, interval=interval, ax=ax, n_shown=MAX_RESIDUAL_ROWS)
        predicted, observed = (data.about.named(word) for word in ("predicted", "observed"))
        ax.set(title="", xlabel=shorten(predicted, 40), ylabel=shorten(observed, 40))

    figure = inline_svg(draw, name="predictions", says=TITLE, width=4.8, height=4.2, hover=hover)
    some = "" if n <= MAX_RESIDUAL_ROWS else f" ({len(shown)} of {n:,} are shown)"
    paragraph = (
        f"Each point is a row{some}, and the horizontal bar is its {INTERVAL_NAME} interval. "
        "Perfect predictions would lie on the diagonal."
    )
    return Section(TITLE, [paragraph], figures=[figure])


def example_rows_section(
    data: ReportData, evaluation: Evaluation, shares: npt.NDArray[np.float64]
) -> Section:
    """Show ten rows with what was predicted, how surely, and what was observed."""
    if isinstance(evaluation, ClassificationEvaluation):
        order = np.argsort(evaluation.probability.max(axis=1), kind="stable")
        n = min(N_EXAMPLE_ROWS, len(order))
        rows = order[np.linspace(0, len(order) - 1, n).astype(int)]
        sentence = (
            f"{_count(n)}, from the least to the most certain prediction, with the probability "
            "that the model gives to the label it predicts."
        )
        table = rows_table(data, evaluation, rows, shares)
        return Section("Examples", [sentence], tables=[table])
    rows = evenly_spaced(evaluation.mean, N_EXAMPLE_ROWS)
    names = data.row_names

    def draw(ax: Any) -> None:
        parts = evaluation.y, evaluation.mean, evaluation.lower, evaluation.upper
        plot_intervals(*parts, ax=ax, names=names, n_shown=N_EXAMPLE_ROWS)
        ax.set(title="", xlabel=shorten(data.about.target.removeprefix("the "), 30))

    hover = [
        (evaluation.y[i], place, _row_in_words(data, evaluation, i)) for place, i in enumerate(rows)
    ]
    figure = inline_svg(
        draw,
        name="intervals",
        says="Prediction intervals of a few rows",
        width=4.8,
        height=1.5 + 0.26 * len(rows),
        hover=hover,
    )
    sentence = (
        f"{_count(len(rows))}, from the lowest to the highest prediction. The model expects the "
        f"true value to lie inside the {INTERVAL_NAME} interval for about 19 rows in 20. A wide "
        "interval means that it is less certain about that row."
    )
    table = rows_table(data, evaluation, rows, shares)
    return Section("What an interval looks like", [sentence], figures=[figure], tables=[table])


def rows_table(
    data: ReportData, evaluation: Evaluation, rows: Indices, shares: npt.NDArray[np.float64]
) -> Table:
    """Return a table of rows: observed, predicted, how surely, and the inputs that matter most."""
    order = np.argsort(-shares, kind="stable")
    columns = dict.fromkeys(_column(data, int(j)) for j in order if not _is_indicator(data, j))
    inputs = list(columns)[:N_INPUTS_OF_ROWS]
    cells = []
    for i in rows:
        values = [_input_value(data, i, j) for j in inputs]
        cells.append((data.row_names[i], *_outcome(data, evaluation, int(i)), *values))
    if isinstance(evaluation, ClassificationEvaluation):
        head = ["row", "true label", "predicted", "probability"]
    else:
        head = ["row", "observed", "predicted", f"{INTERVAL_NAME} interval", "inside"]
    return Table((*head, *(printable(data.names[j]) for j in inputs)), cells)


def _column(data: ReportData, j: int) -> int:
    """Return the input that stands for the column of input j: the date of its periodic parts."""
    for date in data.about.dates:
        if data.names[j].startswith(f"{date}, ") and date in data.names:
            return data.names.index(date)
    return j


def _is_indicator(data: ReportData, j: int) -> bool:
    """Tell whether an input only says that another one is missing."""
    name = data.names[j]
    return name.endswith(INDICATOR) and name.removesuffix(INDICATOR) in data.names


def _input_value(data: ReportData, i: int, j: int) -> str:
    name = data.names[j]
    if f"{name}{INDICATOR}" in data.names and data.X[i, data.names.index(f"{name}{INDICATOR}")]:
        return "missing"
    return format_value(data.X[i, j], name, data.about)


def _outcome(data: ReportData, evaluation: Evaluation, i: int) -> tuple[str, ...]:
    if isinstance(evaluation, ClassificationEvaluation):
        predicted = evaluation.predicted_class[i]
        true, likely = (data.model.classes_[c] for c in (evaluation.true_class[i], predicted))
        of_predicted = evaluation.probability[i, predicted]
        return printable(str(true)), printable(str(likely)), format_percent(of_predicted)
    y, low, high = evaluation.y[i], evaluation.lower[i], evaluation.upper[i]
    return (
        format_number(y),
        format_number(evaluation.mean[i]),
        f"{format_number(low)} to {format_number(high)}",
        "yes" if low <= y <= high else "no",
    )


def _row_in_words(data: ReportData, evaluation: RegressionEvaluation, i: int) -> str:
    observed, predicted, interval, _ = _outcome(data, evaluation, int(i))
    name = data.row_names[i]
    return f"row {name}: predicted {predicted} ({interval}), observed {observed}"


def _count(n: int) -> str:
    words = {1: "One row", N_EXAMPLE_ROWS: "Ten rows"}
    return words.get(n, f"{n} rows")


def _confusion_section(data: ReportData, evaluation: ClassificationEvaluation) -> Section:
    names = [printable(str(label)) for label in data.model.classes_]
    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (evaluation.true_class, evaluation.predicted_class), 1)
    if len(names) <= MAX_CONFUSION_CLASSES:
        rows = [
            (name, *(f"{count:,}" for count in row), _share_right(row, i))
            for i, (name, row) in enumerate(zip(names, counts, strict=True))
        ]
        paragraph = (
            "The confusion matrix: for each true label, how many rows the model gave which label. "
            "Correct predictions are on the diagonal."
        )
        table = Table(("true label", *(f"predicted {name}" for name in names), "correct"), rows)
        return Section(TITLE, [paragraph], tables=[table])
    wrong = counts - np.diag(np.diag(counts))
    worst = np.argsort(-wrong, axis=None, kind="stable")[:MAX_CONFUSION_CLASSES]
    pairs = [divmod(int(position), len(names)) for position in worst if wrong.flat[position]]
    rows = [(names[i], names[j], f"{wrong[i, j]:,}") for i, j in pairs]
    paragraph = f"The most frequent mix-ups among the {len(names)} labels."
    table = Table(("true label", "predicted label", "rows"), rows)
    return Section(TITLE, [paragraph], tables=[table])


def _share_right(row: npt.NDArray[np.int_], i: int) -> str:
    total = int(row.sum())
    return format_percent(row[i] / total) if total else "no such rows"
