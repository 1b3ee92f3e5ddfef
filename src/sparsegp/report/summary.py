"""The top of the page: how good the predictions are, in words and in numbers."""

import numpy as np

from sparsegp.plot.labels import printable
from sparsegp.report.evaluation import (
    ClassificationEvaluation,
    Evaluation,
    RegressionEvaluation,
)
from sparsegp.report.formatting import format_number, format_percent
from sparsegp.report.policy import COVERAGE_TOLERANCE, INTERVAL_LEVEL, INTERVAL_NAME
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Table

__all__ = ["calibration_verdict", "cut_short_note", "scores_table", "summary_sentence"]

#: What a verdict on intervals or probabilities means for those who use them.
_MEANING = {
    "well calibrated": "you can take them at face value",
    "too narrow": "they are too narrow, and the true value lies outside more often than they say",
    "too wide": "they are too wide, so the predictions are better than they claim",
    "overconfident": "the model is overconfident, so read its probabilities with caution",
    "underconfident": "the model is underconfident, and right more often than it claims",
}


def summary_sentence(data: ReportData, evaluation: Evaluation) -> str:
    """Return the sentences to read if nothing else is read."""
    n = len(data.y)
    rows = f"{n:,} {_noun(printable(data.about.rows), n)}"
    if isinstance(evaluation, ClassificationEvaluation):
        return _about_classes(data, evaluation, rows)
    verdict = calibration_verdict(evaluation.coverage, INTERVAL_LEVEL, n, classes=False)
    return (
        f"On {rows}, {_about_errors(data, evaluation)} Its {INTERVAL_NAME} intervals contain "
        f"{format_percent(evaluation.coverage)} of the observed values: {_MEANING[verdict]}."
    )


def _about_errors(data: ReportData, evaluation: RegressionEvaluation) -> str:
    target, error = printable(data.about.target), format_number(evaluation.mae, 3)
    average = format_number(evaluation.mae_of_average, 3)
    if not np.isfinite(evaluation.r2):
        return f"the model’s predictions of {target} are off by {error} on average."
    if evaluation.r2 <= 0.0:
        return (
            f"the model predicts {target} no better than a constant would: it is off by {error} on "
            f"average, and always predicting the mean would be off by {average}."
        )
    return (
        f"the model explains {format_percent(evaluation.r2)} of the variance of {target}. It is "
        f"off by {error} on average; always predicting the mean would be off by {average}."
    )


def _about_classes(data: ReportData, evaluation: ClassificationEvaluation, rows: str) -> str:
    accuracy, confidence = 1.0 - evaluation.error, evaluation.confidence
    largest = int(np.argmax(np.bincount(evaluation.true_class)))
    share = float(np.mean(evaluation.true_class == largest))
    verdict = calibration_verdict(accuracy, confidence, len(data.y), classes=True)
    meaning = _MEANING[verdict].replace("take them", "take its probabilities")
    return (
        f"On {rows}, the model predicts {printable(data.about.target)} correctly for "
        f"{format_percent(accuracy)} of the rows; always guessing the most frequent label "
        f"({printable(str(data.model.classes_[largest]))}) would be correct for "
        f"{format_percent(share)}. Its average confidence is {format_percent(confidence)}: "
        f"{meaning}."
    )


def _noun(rows: str, n: int) -> str:
    """Return the description of the rows, in the singular for one row."""
    return rows.replace("rows", "row", 1) if n == 1 else rows


def calibration_verdict(observed: float, nominal: float, n: int, *, classes: bool) -> str:
    """Tell whether the observed frequency in n rows agrees with the nominal probability.

    >>> calibration_verdict(0.94, 0.95, 1000, classes=False)
    'well calibrated'
    >>> calibration_verdict(0.80, 0.95, 1000, classes=False)
    'too narrow'
    """
    two_standard_errors = 2.0 * np.sqrt(max(nominal * (1.0 - nominal), 1e-4) / n)
    if abs(observed - nominal) <= max(COVERAGE_TOLERANCE, two_standard_errors):
        return "well calibrated"
    if classes:
        return "overconfident" if observed < nominal else "underconfident"
    return "too narrow" if observed < nominal else "too wide"


def cut_short_note(data: ReportData) -> str:
    """Return what a reader of a fit that ran out of time should know; empty for other fits."""
    if not getattr(data.model, "cut_short_", None):
        return ""
    limit = getattr(data.model, "time_limit", None)
    within = "" if limit is None else f" of {format_number(float(limit))} s"
    return (
        f"The fit was cut short by its time limit{within}. Allow more time (time_limit) before "
        "you draw conclusions from this page: the model will probably get better."
    )


def scores_table(data: ReportData, evaluation: Evaluation) -> Table:
    """Return the scores, each with its definition."""
    loss = format_number(evaluation.loss.mean())
    if isinstance(evaluation, ClassificationEvaluation):
        scores = [
            ("correct", format_percent(1.0 - evaluation.error), "share of rows labelled correctly"),
            (
                "confidence",
                format_percent(evaluation.confidence),
                "average probability of the predicted label; ideally the share of correct rows",
            ),
            (
                "log loss",
                loss,
                "average of −log(probability of the true label); lower is better",
            ),
        ]
    else:
        scores = _regression_scores(data, evaluation, loss)
    size = ("basis vectors", f"{data.model.n_basis_:,}", "rows that the model is built on")
    neighbours = (
        "neighbours",
        f"{data.n_neighbors:,}",
        "nearest training rows that refine each prediction",
    )
    rows = [*scores, size, neighbours] if data.n_neighbors else [*scores, size]
    return Table(("score", "value", "what it means"), rows)


def _regression_scores(
    data: ReportData, evaluation: RegressionEvaluation, loss: str
) -> list[tuple[str, str, str]]:
    units = f"in the units of {printable(data.about.target)}"
    width = float(np.median(evaluation.upper - evaluation.lower))
    return [
        (
            "R²",
            format_number(evaluation.r2),
            "share of the variance explained; 1 is perfect, 0 is no better than the mean",
        ),
        ("average error", format_number(evaluation.mae), f"mean absolute error, {units}"),
        ("RMSE", format_number(evaluation.rmse), f"root mean squared error, {units}"),
        (
            f"{INTERVAL_NAME} coverage",
            format_percent(evaluation.coverage),
            f"share of observed values inside their {INTERVAL_NAME} interval",
        ),
        ("interval width", format_number(width), f"median width of these intervals, {units}"),
        (
            "NLPD",
            loss,
            "average of −log(predicted density of the observed value); lower is better",
        ),
    ]
