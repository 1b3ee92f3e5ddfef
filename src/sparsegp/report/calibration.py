"""Whether the model knows how sure it may be."""

import numpy as np

from sparsegp.plot import plot_coverage, plot_pit, plot_reliability
from sparsegp.plot.names import readable
from sparsegp.plot.svg import inline_svg
from sparsegp.report.judged import Labels, Numbers
from sparsegp.report.shown import Section
from sparsegp.report.subject import Subject

__all__ = ["calibration_section"]


def calibration_section(subject: Subject, judged: Numbers | Labels) -> Section:
    """Draw promises against what happened."""
    if isinstance(judged, Labels):
        return _of_labels(subject, judged)
    coverage = inline_svg(
        lambda ax: plot_coverage(judged.pit, ax=ax),
        name="coverage",
        says="Observed against promised coverage of central intervals",
        width=4.0,
    )
    bins = max(4, min(20, len(judged.pit) // 20))
    histogram = inline_svg(
        lambda ax: plot_pit(judged.pit, ax=ax, n_bins=bins),
        name="pit",
        says="Histogram of the probability integral transform",
        width=4.0,
    )
    told = [
        "An interval of 80 % should hold 80 % of the targets: the curve should follow the "
        "diagonal. Above it error bars are too wide, below it too narrow.",
        "The histogram shows which part of its predicted distribution each target fell into. It "
        "should be level, up to the chance that the band allows.",
    ]
    return Section("Calibration", told, figures=[coverage, histogram])


def _of_labels(subject: Subject, judged: Labels) -> Section:
    classes = subject.model.classes_
    if len(classes) == 2:
        probability, happened = judged.probability[:, 1], judged.place == 1
        whose = f"of {readable(str(classes[1]))}"
    else:
        probability = judged.probability.ravel()
        happened = (judged.place[:, None] == np.arange(len(classes))).ravel()
        whose = "of every class for every row"
    figure = inline_svg(
        lambda ax: plot_reliability(probability, happened, ax=ax),
        name="reliability",
        says="How often a label was true against the probability it was given",
        width=4.0,
        height=3.8,
    )
    told = (
        f"Probabilities {whose}, in ten groups of as many cases: what was given 80 % should have "
        "happened in 80 % of them. The bars say what chance allows (95 %)."
    )
    return Section("Calibration", [told], figures=[figure])
