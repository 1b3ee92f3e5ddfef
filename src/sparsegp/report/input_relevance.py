"""Which inputs matter."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot import plot_relevance
from sparsegp.plot.labels import printable
from sparsegp.plot.svg import inline_svg
from sparsegp.report.formatting import format_number, format_percent
from sparsegp.report.policy import MAX_OPEN_ROWS
from sparsegp.report.relevance import length_scales, relevance
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table

__all__ = ["input_relevance_section"]


def input_relevance_section(data: ReportData, shares: npt.NDArray[np.float64]) -> Section:
    """Draw the relevance of each input to the kernel and to the predictions.

    ``shares`` (D,) are those of ``relevance.variance_shares``.
    """
    lost = relevance(data.model, data.X)
    scales = length_scales(data.kernel, len(data.names))
    figures = [
        _bars(data, lost, "relevance", "loss of correlation", "Relevance to the kernel"),
        _bars(
            data, shares, "shares", "share of the variance", "Share of the predictions' variance"
        ),
    ]
    rows = [
        (
            printable(data.names[i]),
            format_percent(lost[i]),
            ", ".join(map(format_number, scales[i])) or "none",
            format_percent(shares[i]),
        )
        for i in np.argsort(-lost, kind="stable")
    ]
    paragraphs = [
        "Relevance to the kernel: how much two function values decorrelate on average when their "
        "rows differ in this input alone. It summarises the length scales in a form that is "
        "comparable across inputs of all types. Share of the predictions' variance: how much of "
        "the variance of the predictions involves this input, alone or through interactions (total "
        "Sobol index); correlated inputs can both have large shares.",
        "The length scale is the distance along an input over which the function changes, in "
        "units of the transformed input; for a categorical input, different categories multiply "
        "the covariance by exp(−1/length scale). An input with a long length scale and a large "
        "share has a nearly linear effect.",
    ]
    head = ("input", "loss of correlation", "length scale", "share of variance")
    table = Table.folded(head, rows, MAX_OPEN_ROWS)
    return Section("Relevance of the inputs", paragraphs, figures=figures, tables=[table])


def _bars(
    data: ReportData, values: npt.NDArray[np.float64], name: str, measure: str, title: str
) -> str:
    def draw(ax: Any) -> None:
        plot_relevance(values, data.names, ax=ax, n_shown=MAX_OPEN_ROWS).set(
            xlabel=measure, title=title
        )

    n_bars = min(MAX_OPEN_ROWS, len(data.names))
    return inline_svg(draw, name=name, says=title, width=4.0, height=1.0 + 0.26 * n_bars)
