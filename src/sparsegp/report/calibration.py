"""Calibration: whether predicted probabilities agree with observed frequencies."""

import numpy as np

from sparsegp.plot import plot_coverage, plot_pit, plot_reliability
from sparsegp.plot.labels import printable
from sparsegp.plot.reliability import reliability_bins
from sparsegp.plot.svg import inline_svg
from sparsegp.report.evaluation import (
    ClassificationEvaluation,
    Evaluation,
    RegressionEvaluation,
)
from sparsegp.report.formatting import format_percent
from sparsegp.report.policy import (
    CALIBRATION_LEVELS,
    INTERVAL_LEVEL,
    INTERVAL_NAME,
    MAX_PIT_BINS,
    MIN_PIT_BINS,
    ROWS_PER_PIT_BIN,
)
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table
from sparsegp.report.summary import calibration_verdict

__all__ = ["calibration_section"]

TITLE = "Calibration"

#: Intervals that are off by less are called somewhat too wide or narrow.
SOMEWHAT = 0.1
_VERDICTS = {"well calibrated": "about right", "too narrow": "too narrow", "too wide": "too wide"}


def calibration_section(data: ReportData, evaluation: Evaluation) -> Section:
    """Draw observed against nominal frequencies."""
    if isinstance(evaluation, ClassificationEvaluation):
        return _classification_section(data, evaluation)
    coverage = inline_svg(
        lambda ax: plot_coverage(evaluation.pit, ax=ax).set(title=""),
        name="coverage",
        says="Share of rows inside their interval against the level of the interval",
        width=4.0,
        hover=[
            (
                level,
                evaluation.share_inside(level),
                f"{format_percent(evaluation.share_inside(level))} of the rows are inside their "
                f"{100 * level:.0f} % interval",
            )
            for level in np.linspace(0.05, 0.95, 19)
        ],
    )
    bins = max(MIN_PIT_BINS, min(MAX_PIT_BINS, len(evaluation.pit) // ROWS_PER_PIT_BIN))
    histogram = inline_svg(
        lambda ax: plot_pit(evaluation.pit, ax=ax, n_bins=bins).set(title=""),
        name="pit",
        says="Histogram of the predicted probability of a value below the observed one",
        width=4.0,
    )
    paragraphs = [
        _in_words(evaluation),
        "The first figure shows the share of rows whose observed value lies inside the interval, "
        "for intervals of every level. The curve should follow the diagonal; above it the "
        "intervals are too wide, below it too narrow.",
        "The second figure counts rows by the predicted probability of a value below the observed "
        "one (the PIT). If the probabilities are right, all bars are about equally high, most of "
        "them within the shaded band. A hump in the middle means that the model is too cautious, "
        "high bars at both ends that it is too sure of itself, and a slope that its predictions "
        "are too low or too high.",
    ]
    rows = [
        (f"{100 * level:.0f} %", format_percent(evaluation.share_inside(level)))
        for level in CALIBRATION_LEVELS
    ]
    table = Table(("level of the interval", "rows inside"), rows)
    return Section(TITLE, paragraphs, figures=[coverage, histogram], tables=[table])


def _in_words(evaluation: RegressionEvaluation) -> str:
    n, inside = len(evaluation.y), evaluation.coverage
    verdict = calibration_verdict(inside, INTERVAL_LEVEL, n, classes=False)
    sentence = (
        f"The {INTERVAL_NAME} intervals are {_VERDICTS[verdict]}: they contain "
        f"{format_percent(inside)} of the observed values."
    )
    level = max(CALIBRATION_LEVELS, key=lambda one: abs(evaluation.share_inside(one) - one))
    there = evaluation.share_inside(level)
    other = calibration_verdict(there, level, n, classes=False)
    if other in ("well calibrated", verdict):
        return sentence
    slightly = "somewhat " if abs(there - level) < SOMEWHAT else ""
    return (
        f"{sentence} But the {100 * level:.0f} % intervals are {slightly}{_VERDICTS[other]}: they "
        f"contain {format_percent(there)}."
    )


def _classification_section(data: ReportData, evaluation: ClassificationEvaluation) -> Section:
    classes = data.model.classes_
    if len(classes) == 2:
        probability, happened = evaluation.probability[:, 1], evaluation.true_class == 1
        cases, which = "rows", f"of the label {printable(str(classes[1]))}"
    else:
        probability = evaluation.probability.ravel()
        happened = (evaluation.true_class[:, None] == np.arange(len(classes))).ravel()
        cases, which = "cases", "of every label for every row"
    bins = reliability_bins(probability, happened)
    parts = zip(bins.predicted, bins.observed, bins.count, strict=True)
    figure = inline_svg(
        lambda ax: plot_reliability(probability, happened, ax=ax).set(title=""),
        name="reliability",
        says="Observed frequency against predicted probability",
        width=4.0,
        height=3.8,
        hover=[
            (p, f, f"{n:,} {cases}: predicted {format_percent(p)}, observed {format_percent(f)}")
            for p, f, n in parts
        ],
    )
    accuracy, confidence = 1.0 - evaluation.error, evaluation.confidence
    verdict = calibration_verdict(accuracy, confidence, len(evaluation.loss), classes=True)
    paragraphs = [
        f"On average the model is {verdict}: it gives the label it predicts a probability of "
        f"{format_percent(confidence)}, and {format_percent(accuracy)} of its labels are correct.",
        "If the model gives 100 rows a probability of 80 %, about 80 of them should turn out that "
        "way. Points on the diagonal mean that this holds.",
        f"The figure shows the predicted probabilities {which} in up to ten groups of similar "
        "size; rows with the same probability are always in the same group. The vertical bars are "
        "95 % confidence intervals: a point whose bar touches the diagonal may be off by chance.",
    ]
    return Section(TITLE, paragraphs, figures=[figure])
