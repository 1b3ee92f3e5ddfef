"""The top of the page: how accurate and how well calibrated the model is."""

import numpy as np

from sparsegp.plot.labels import printable
from sparsegp.report.evaluation import ClassificationEvaluation, Evaluation
from sparsegp.report.formatting import format_number, format_percent
from sparsegp.report.policy import COVERAGE_TOLERANCE, INTERVAL_LEVEL, INTERVAL_NAME
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Table

__all__ = ["calibration_verdict", "scores_table", "summary_sentence"]


def summary_sentence(data: ReportData, evaluation: Evaluation) -> str:
    """Return the two sentences to read if nothing else is read."""
    target, n = printable(data.about.target), len(data.y)
    rows = f"{n:,} {printable(data.about.rows)}"
    if isinstance(evaluation, ClassificationEvaluation):
        accuracy, confidence = 1.0 - evaluation.error, evaluation.confidence
        return (
            f"On {rows}, the model predicts {target} correctly for {format_percent(accuracy)} of "
            "the rows; always predicting the most frequent label would be correct for "
            f"{format_percent(_largest_class_share(evaluation))}. Its mean confidence is "
            f"{format_percent(confidence)}: "
            f"{calibration_verdict(accuracy, confidence, n, classes=True)}."
        )
    return (
        f"On {rows}, the model explains {_explained(evaluation.nmse)} of the variance of {target}, "
        f"with a root mean squared error of {format_number(evaluation.rmse)}. Its "
        f"{INTERVAL_NAME} intervals contain {format_percent(evaluation.coverage)} of the "
        f"targets: {calibration_verdict(evaluation.coverage, INTERVAL_LEVEL, n, classes=False)}."
    )


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


def scores_table(data: ReportData, evaluation: Evaluation) -> Table:
    """Return the scores, each with its definition."""
    loss = format_number(evaluation.loss.mean())
    if isinstance(evaluation, ClassificationEvaluation):
        scores = [
            ("error", format_percent(evaluation.error), "fraction of wrong labels"),
            ("NLP", loss, "mean negative log probability of the true label; lower is better"),
            (
                "confidence",
                format_percent(evaluation.confidence),
                "mean probability of the predicted label; should equal the fraction of correct "
                "labels",
            ),
        ]
    else:
        scores = [
            (
                "NMSE",
                format_number(evaluation.nmse),
                "mean squared error divided by the variance of the target",
            ),
            (
                "RMSE",
                format_number(evaluation.rmse),
                "root mean squared error, in units of the target",
            ),
            (
                "NLPD",
                loss,
                "mean negative log predictive density of the target; lower is better",
            ),
            (
                f"{INTERVAL_NAME} coverage",
                format_percent(evaluation.coverage),
                f"fraction of targets inside their {INTERVAL_NAME} interval",
            ),
        ]
    size = (
        "basis vectors",
        f"{data.model.n_basis_:,}",
        "inducing points of the sparse approximation",
    )
    neighbours = (
        "neighbours",
        f"{data.n_neighbors:,}",
        "nearest training rows that correct the prediction of the basis vectors",
    )
    rows = [*scores, size, neighbours] if data.n_neighbors else [*scores, size]
    return Table(("score", "value", "definition"), rows)


def _explained(nmse: float) -> str:
    return "none" if not nmse < 1.0 else format_percent(1.0 - nmse)


def _largest_class_share(evaluation: ClassificationEvaluation) -> float:
    largest = int(np.argmax(np.bincount(evaluation.true_class)))
    return float(np.mean(evaluation.true_class == largest))
