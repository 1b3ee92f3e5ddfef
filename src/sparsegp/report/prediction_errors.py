"""Where predictions are wrong: residuals of a regression, confused labels of a classifier."""

import numpy as np

from sparsegp.plot import plot_residuals
from sparsegp.plot.labels import printable
from sparsegp.plot.svg import inline_svg
from sparsegp.report.evaluation import ClassificationEvaluation, Evaluation
from sparsegp.report.policy import INTERVAL_NAME, MAX_CONFUSION_CLASSES, MAX_RESIDUAL_ROWS
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table

__all__ = ["prediction_errors_section"]


def prediction_errors_section(data: ReportData, evaluation: Evaluation) -> Section:
    """Show residuals, or which labels are predicted for which."""
    if isinstance(evaluation, ClassificationEvaluation):
        return _confusion_section(data, evaluation)
    figure = inline_svg(
        lambda ax: plot_residuals(
            evaluation.y,
            evaluation.mean,
            evaluation.lower,
            evaluation.upper,
            ax=ax,
            n_shown=MAX_RESIDUAL_ROWS,
        ),
        name="residuals",
        says="Residuals against predictions, with prediction intervals",
    )
    n = len(evaluation.y)
    some = "" if n <= MAX_RESIDUAL_ROWS else f" ({MAX_RESIDUAL_ROWS} of {n:,} rows)"
    paragraph = (
        f"Observed minus predicted values, with the {INTERVAL_NAME} interval of each "
        f"prediction{some}. A trend in the points shows structure that the model misses; intervals "
        "that vary in width show where the model expects larger errors."
    )
    return Section("Residuals", [paragraph], figures=[figure])


def _confusion_section(data: ReportData, evaluation: ClassificationEvaluation) -> Section:
    names = [printable(str(label)) for label in data.model.classes_]
    counts = np.zeros((len(names), len(names)), dtype=int)
    np.add.at(counts, (evaluation.true_class, evaluation.predicted_class), 1)
    if len(names) <= MAX_CONFUSION_CLASSES:
        rows = [(name, *map(str, row)) for name, row in zip(names, counts, strict=True)]
        paragraph = "Number of rows by true label (rows) and predicted label (columns)."
        table = Table(("true label", *names), rows)
        return Section("Confusion matrix", [paragraph], tables=[table])
    wrong = counts - np.diag(np.diag(counts))
    worst = np.argsort(-wrong, axis=None, kind="stable")[:MAX_CONFUSION_CLASSES]
    pairs = [divmod(int(position), len(names)) for position in worst if wrong.flat[position]]
    rows = [(names[i], names[j], str(wrong[i, j])) for i, j in pairs]
    paragraph = "The most frequent confusions of one label with another."
    table = Table(("true label", "predicted label", "rows"), rows)
    return Section("Confused labels", [paragraph], tables=[table])
