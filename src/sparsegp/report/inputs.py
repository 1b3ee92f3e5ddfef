"""Which inputs matter."""

import numpy as np

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
    n_bars = min(N_SHOWN, len(subject.names))
    figure = inline_svg(
        lambda ax: plot_relevance(lost, subject.names, ax=ax, n_shown=N_SHOWN).set_xlabel(
            "correlation lost"
        ),
        name="relevance",
        says="Relevance of each input to the kernel",
        height=1.0 + 0.26 * n_bars,
    )
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
        "How much correlation of the function two rows lose if they differ in one column alone: "
        "the length scales of the kernel, made comparable over columns of any kind.",
        "The length scale says how far one must go along a column for the function to change, in "
        "units of the scaled column (for categories: what a mismatch costs is one over it). The "
        "last column says how much of the variance of the prediction goes with the input, alone or "
        "with others; inputs that go together may both have large shares. A long scale with a "
        "large share is a straight line.",
    ]
    head = ("input", "correlation lost", "length scale", "share of the prediction")
    table = Table(head, rows[:N_SHOWN], rows[N_SHOWN:])
    return Section("Relevance of the inputs", told, figures=[figure], tables=[table])
