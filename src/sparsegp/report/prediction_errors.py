"""The rows that the model errs on most."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot import plot_residuals
from sparsegp.plot.predictions import evenly_spaced
from sparsegp.plot.svg import inline_svg
from sparsegp.report.evaluation import ClassificationEvaluation, Evaluation
from sparsegp.report.formatting import format_number
from sparsegp.report.policy import INTERVAL_NAME, MAX_RESIDUAL_ROWS, N_WORST_ROWS
from sparsegp.report.predictions import rows_table
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section

__all__ = ["prediction_errors_section"]

TITLE = "Largest errors"


def prediction_errors_section(
    data: ReportData, evaluation: Evaluation, shares: npt.NDArray[np.float64]
) -> Section:
    """List the rows with the largest errors, and draw the errors of a regression."""
    if isinstance(evaluation, ClassificationEvaluation):
        return _of_classes(data, evaluation, shares)
    error = evaluation.y - evaluation.mean
    shown = evenly_spaced(evaluation.mean, MAX_RESIDUAL_ROWS)

    def draw(ax: Any) -> None:
        parts = evaluation.y, evaluation.mean, evaluation.lower, evaluation.upper
        plot_residuals(*parts, ax=ax, n_shown=MAX_RESIDUAL_ROWS).set(title="")

    figure = inline_svg(
        draw,
        name="residuals",
        says="Errors against predictions, with prediction intervals",
        width=4.8,
        hover=[
            (
                evaluation.mean[i],
                error[i],
                f"row {data.row_names[i]}: predicted {format_number(evaluation.mean[i])}, observed "
                f"{format_number(evaluation.y[i])}",
            )
            for i in shown
        ],
    )
    n = len(evaluation.y)
    some = "" if n <= MAX_RESIDUAL_ROWS else f" for {len(shown)} of {n:,} rows"
    paragraphs = [
        f"Observed minus predicted{some}, with the {INTERVAL_NAME} interval around each "
        "prediction. A trend or a curve in the points is structure that the model misses.",
        "The table lists the rows with the largest errors. Look at them first: a wrong entry in "
        "the table, or an input that the model does not have, often explains several of them.",
    ]
    worst = np.argsort(-np.abs(error), kind="stable")[:N_WORST_ROWS]
    table = rows_table(data, evaluation, worst, shares)
    return Section(TITLE, paragraphs, figures=[figure], tables=[table])


def _of_classes(
    data: ReportData, evaluation: ClassificationEvaluation, shares: npt.NDArray[np.float64]
) -> Section:
    wrong = np.flatnonzero(evaluation.predicted_class != evaluation.true_class)
    if not len(wrong):
        return Section(TITLE, ["Every row was labelled correctly."])
    worst = wrong[np.argsort(-evaluation.loss[wrong], kind="stable")][:N_WORST_ROWS]
    paragraph = (
        f"{len(wrong):,} of {len(evaluation.loss):,} rows were given the wrong label. The table "
        "begins with those where the model was most certain of it: their true labels may be "
        "mistakes, or the rows may differ from others in something that the inputs do not capture."
    )
    return Section(TITLE, [paragraph], tables=[rows_table(data, evaluation, worst, shares)])
