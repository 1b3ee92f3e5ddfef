"""Calibration: whether predicted probabilities agree with observed frequencies."""

import numpy as np

from sparsegp.plot import plot_coverage, plot_pit, plot_reliability
from sparsegp.plot.labels import printable
from sparsegp.plot.svg import inline_svg
from sparsegp.report.evaluation import ClassificationEvaluation, Evaluation
from sparsegp.report.policy import MAX_PIT_BINS, MIN_PIT_BINS, ROWS_PER_PIT_BIN
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section

__all__ = ["calibration_section"]


def calibration_section(data: ReportData, evaluation: Evaluation) -> Section:
    """Draw observed against nominal frequencies."""
    if isinstance(evaluation, ClassificationEvaluation):
        return _classification_section(data, evaluation)
    coverage = inline_svg(
        lambda ax: plot_coverage(evaluation.pit, ax=ax),
        name="coverage",
        says="Observed against nominal coverage of central intervals",
        width=4.0,
    )
    bins = max(MIN_PIT_BINS, min(MAX_PIT_BINS, len(evaluation.pit) // ROWS_PER_PIT_BIN))
    histogram = inline_svg(
        lambda ax: plot_pit(evaluation.pit, ax=ax, n_bins=bins),
        name="pit",
        says="Histogram of the probability integral transform",
        width=4.0,
    )
    paragraphs = [
        "Coverage of intervals: the fraction of targets inside central prediction intervals "
        "against the level of the intervals. An 80 % interval should contain 80 % of the targets, "
        "so the curve should follow the diagonal. Above it, intervals are too wide; below it, too "
        "narrow.",
        "PIT histogram: the probability integral transform (PIT) is the predicted probability of a "
        "value up to the observed one. For a calibrated model its histogram is flat, and the band "
        "contains 95 % of the bars. A hump means that intervals are too wide, a U shape that they "
        "are too narrow.",
    ]
    return Section("Calibration", paragraphs, figures=[coverage, histogram])


def _classification_section(data: ReportData, evaluation: ClassificationEvaluation) -> Section:
    classes = data.model.classes_
    if len(classes) == 2:
        probability, happened = evaluation.probability[:, 1], evaluation.true_class == 1
        which = f"of the label {printable(str(classes[1]))}"
    else:
        probability = evaluation.probability.ravel()
        happened = (evaluation.true_class[:, None] == np.arange(len(classes))).ravel()
        which = "of all labels for all rows"
    figure = inline_svg(
        lambda ax: plot_reliability(probability, happened, ax=ax),
        name="reliability",
        says="Observed frequency against predicted probability",
        width=4.0,
        height=3.8,
    )
    paragraph = (
        f"Predicted probabilities {which}, in ten bins with the same number of cases. Of the cases "
        "with a predicted probability of 80 %, 80 % should be true. Error bars are 95 % "
        "confidence intervals of the observed frequency."
    )
    return Section("Calibration", [paragraph], figures=[figure])
