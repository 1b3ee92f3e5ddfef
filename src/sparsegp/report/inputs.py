"""Which inputs matter."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot import plot_relevance
from sparsegp.plot.names import readable
from sparsegp.plot.svg import inline_svg
from sparsegp.report.relevance import length_scales, prediction_shares, relevance
from sparsegp.report.shown import Section, Table, number, percent
from sparsegp.report.subject import Subject

__all__ = ["inputs_section"]

N_SHOWN = 20


def inputs_section(subject: Subject) -> Section:
    """Draw the relevance of each input."""
    lost = relevance(subject.model, subject.X)
    shares = prediction_shares(subject)
    scales = length_scales(subject.kernel, len(subject.names))
    figures = [
        _bars(subject, lost, "relevance", "correlation lost", "Relevance to the kernel"),
        _bars(subject, shares, "shares", "share of the variance", "Part in the prediction"),
    ]
    rows = [
        (
            readable(subject.names[i]),
            percent(lost[i]),
            ", ".join(map(number, scales[i])) or "none",
            percent(shares[i]),
        )
        for i in np.argsort(-lost, kind="stable")
    ]
    told = [
        "To the kernel: how much correlation of the function two rows lose if they differ in one "
        "column alone. These are its length scales, made comparable over columns of any kind. In "
        "the prediction: how much of its variance goes with the input, alone or with others.",
        "A length scale says how far one must go along a column for the function to change, in "
        "units of the scaled column; of categories, that a mismatch costs one over it. A long "
        "scale with a large part is a straight line. Inputs that go together may both have large "
        "parts.",
    ]
    head = ("input", "correlation lost", "length scale", "part in the prediction")
    table = Table(head, rows[:N_SHOWN], rows[N_SHOWN:])
    return Section("Relevance of the inputs", told, figures=figures, tables=[table])


def _bars(
    subject: Subject, values: npt.NDArray[np.float64], name: str, measure: str, title: str
) -> str:
    def draw(ax: Any) -> None:
        plot_relevance(values, subject.names, ax=ax, n_shown=N_SHOWN).set(
            xlabel=measure, title=title
        )

    n_bars = min(N_SHOWN, len(subject.names))
    return inline_svg(draw, name=name, says=title, width=4.0, height=1.0 + 0.26 * n_bars)
