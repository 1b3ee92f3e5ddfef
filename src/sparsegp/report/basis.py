"""The table of basis vectors."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.learning.history.choices import has_refined_inputs
from sparsegp.plot import plot_path
from sparsegp.plot.labels import printable
from sparsegp.plot.selection_path import LOG_AXIS_RANGE
from sparsegp.plot.svg import Hover, inline_svg
from sparsegp.report.formatting import format_number, format_value
from sparsegp.report.policy import MAX_BASIS_ROWS, MAX_BASIS_WEIGHTS, MAX_OPEN_BASIS_ROWS
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table

__all__ = ["basis_section"]

TITLE = "Basis vectors, one by one"
#: Points of the selection path whose values the page shows under the pointer.
N_HOVER_POINTS = 40


def basis_section(data: ReportData) -> Section:
    """List the basis vectors in the order of their selection, with their weights."""
    model, about = data.model, data.about
    vectors = model.basis_vectors_[:MAX_BASIS_ROWS]
    target = data.basis_target
    weight_names, weights = _weights(model)
    rows = []
    for i, vector in enumerate(vectors):
        own_target = [] if target is None else [_format_target(target[i])]
        values = [format_value(v, name, about) for v, name in zip(vector, data.names, strict=True)]
        rows.append((str(i + 1), *map(format_number, weights[i]), *own_target, *values))
    target_name = [] if target is None else [printable(about.target)]
    head = ("", *weight_names, *target_name, *map(printable, data.names))
    paragraphs = [_description(model)]
    if target is None:
        paragraphs.append(
            "Their targets are not shown: neither a model nor its file keeps the training targets."
        )
    if model.n_basis_ > MAX_BASIS_ROWS:
        paragraphs.append(f"The first {MAX_BASIS_ROWS} of {model.n_basis_:,} are listed.")
    table = Table.folded(head, rows, MAX_OPEN_BASIS_ROWS)
    path = np.asarray(model.selection_path_, dtype=np.float64)
    if len(path) < 2:
        return Section(TITLE, paragraphs, tables=[table])
    paragraphs.append(
        "The figure shows the selection criterion as basis vectors are added; lower is better."
    )
    figure = inline_svg(
        lambda ax: plot_path(path, ax=ax, n_basis=model.n_basis_).set(title=""),
        name="path",
        says="Selection criterion against the number of basis vectors",
        width=4.8,
        hover=_hover(path),
    )
    return Section(TITLE, paragraphs, figures=[figure], tables=[table])


def _hover(path: npt.NDArray[np.float64]) -> list[Hover]:
    """Return some points of the selection path, and their values."""
    drawn = path - path.min() + 1.0 if np.ptp(path) > LOG_AXIS_RANGE else path
    shown = np.unique(np.linspace(0, len(path) - 1, N_HOVER_POINTS).astype(int))
    return [
        (i + 1.0, float(drawn[i]), f"{i + 1:,} basis vectors: {format_number(path[i])}")
        for i in shown
    ]


def _weights(model: Any) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Return column names and the weights of the kernel functions: (m, k)."""
    if not hasattr(model, "classes_"):
        return ["weight"], np.asarray(model._posterior.alpha)
    weights = np.concatenate([np.asarray(p.alpha) for p in model._fitted.posteriors], axis=1)
    if weights.shape[1] == 1:
        return [f"weight ({printable(str(model.classes_[1]))})"], weights
    shown = model.classes_[:MAX_BASIS_WEIGHTS]
    names = [f"weight ({printable(str(label))})" for label in shown]
    return names, weights[:, :MAX_BASIS_WEIGHTS]


def _description(model: Any) -> str:
    origin = "The basis vectors (inducing points) are training rows"
    if has_refined_inputs(model.history_):
        origin += " whose inputs were then optimised by the gradient of the marginal likelihood"
    units = "" if hasattr(model, "classes_") else ", in units of the transformed target"
    corrected = ""
    if getattr(model, "n_neighbors_", 0):
        corrected = ", corrected by the nearest training rows"
    return (
        f"{origin}. They are listed in the order in which they were selected. The prediction is "
        f"the sum of their kernel functions k(x, z), each times its weight{units}{corrected}."
    )


def _format_target(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return format_number(float(value))
    return printable(str(value))
