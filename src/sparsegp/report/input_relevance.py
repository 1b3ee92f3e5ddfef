"""Which inputs matter: to the predictions, and to the kernel."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.plot import plot_relevance
from sparsegp.plot.labels import printable
from sparsegp.plot.svg import inline_svg
from sparsegp.report.formatting import format_number, format_percent
from sparsegp.report.inputs import Input
from sparsegp.report.policy import MAX_OPEN_ROWS
from sparsegp.report.relevance import length_scales, relevance
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table

__all__ = ["input_relevance_section", "length_scales_section"]

Floats = npt.NDArray[np.float64]


def input_relevance_section(inputs: Sequence[Input], shares: Floats) -> Section:
    """Draw how much of the predictions' variance involves each input.

    ``shares`` are those of ``relevance.variance_shares``.
    """
    names = [each.name for each in inputs]
    n_shown, n = min(MAX_OPEN_ROWS, len(names)), len(names)
    order = np.argsort(-shares, kind="stable")[:n_shown]

    def draw(ax: Any) -> None:
        plot_relevance(100.0 * shares, names, ax=ax, n_shown=n_shown)
        ax.set(xlabel="share of the predictions’ variance (%)", title="")

    figure = inline_svg(
        draw,
        name="shares",
        says="Share of the predictions’ variance that involves each input",
        width=4.8,
        height=1.0 + 0.26 * n_shown,
        hover=[
            (50.0 * shares[i], place, f"{printable(names[i])}: {format_percent(shares[i])}")
            for place, i in enumerate(order)
        ],
    )
    paragraphs = [
        "How much of the variation of the predictions involves each input, alone or together with "
        "others (total Sobol index). Because inputs act together, the shares can add up to more "
        "than 100 %. If two inputs carry nearly the same information, either may get the larger "
        "share."
    ]
    if n_shown < n:
        paragraphs.append(f"{n_shown} of {n} inputs are shown.")
    return Section("Inputs that matter", paragraphs, figures=[figure])


def length_scales_section(data: ReportData, shares: Floats) -> Section:
    """List length scales, and how relevant each input is to the kernel.

    ``shares`` (D,) are those of ``inputs.shares_of_columns``.
    """
    lost = relevance(data.model, data.X)
    scales = length_scales(data.kernel, len(data.names))
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
        "Loss of correlation: how much two function values decorrelate on average when their rows "
        "differ in this input alone. It summarises the length scales in a form that can be "
        "compared across inputs of all types.",
        "The length scale is the distance along an input over which the function changes, in "
        "units of the transformed input; for a categorical input, different categories multiply "
        "the covariance by exp(−1/length scale). An input with a long length scale and a large "
        "share of the variance has a nearly linear effect.",
    ]
    head = ("input", "loss of correlation", "length scale", "share of variance")
    table = Table.folded(head, rows, MAX_OPEN_ROWS)
    return Section("Length scales", paragraphs, tables=[table])
