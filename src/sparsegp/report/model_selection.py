"""The candidates for kernel and transforms, and which of them was chosen."""

from collections.abc import Mapping
from typing import Any

from sparsegp.learning.classes.label_regression import LEAST_SQUARES
from sparsegp.learning.history.choices import (
    Tried,
    chosen_kernel,
    inference_by_held_out_rows,
    tried,
)
from sparsegp.learning.history.phases import Phase
from sparsegp.plot.labels import printable
from sparsegp.report.formatting import format_number
from sparsegp.report.policy import MAX_OPEN_ROWS
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table

__all__ = ["model_selection_section"]


def model_selection_section(data: ReportData) -> Section | None:
    """List the candidates; None if kernel and transforms were given by the user."""
    history = getattr(data.model, "history_", [])
    candidates = tried(history)
    if not candidates:
        return None
    compared = _families_compared(data)
    kernel = chosen_kernel(history)
    paragraphs = [] if kernel is None else [f"The chosen kernel is {printable(kernel)}."]
    paragraphs.append(
        "The kernel and the transforms were chosen by the log marginal likelihood (evidence) of a "
        "subset of the training rows. The score is that value minus a penalty for complexity. Only "
        "scores on the same rows can be compared, and the highest wins; for transforms of the "
        "inputs, the gain from a smaller to a larger subset can decide instead."
    )
    if inference_by_held_out_rows(history) == LEAST_SQUARES:
        paragraphs.append(
            "Held-out rows then preferred a regression on the labels, whose kernel was chosen by "
            "itself and may be none of these."
        )
    rows = [_row(candidate) for candidate in candidates]
    tables = [Table.folded(("candidate", "log marginal likelihood", "score"), rows, MAX_OPEN_ROWS)]
    if compared:
        tables.append(_family_table(compared))
    return Section("Choice of kernel and transforms", paragraphs, tables=tables)


def _families_compared(data: ReportData) -> Mapping[str, Any]:
    """Return what neighbours found out about kernel families; empty if there was no choice."""
    if not data.n_neighbors:
        return {}
    entries = [entry for entry in data.model.history_ if entry.get("phase") == Phase.CONDITIONALS]
    return entries[-1] if entries and len(entries[-1].get("log_density", {})) > 1 else {}


def _family_table(compared: Mapping[str, Any]) -> Table:
    rows = [
        (
            f"{printable(str(name))}{' (chosen)' if name == compared['family'] else ''}",
            format_number(float(value)),
        )
        for name, value in compared["log_density"].items()
    ]
    lead = (
        "Because the model uses neighbours, Matérn kernels were then compared with this kernel by "
        "the mean log density of training rows given their nearest neighbours. This shows how "
        "rough the function is between rows that are closer than those of a subset."
    )
    return Table(("kernel family", "mean log density"), rows, lead=lead)


def _row(candidate: Tried) -> tuple[str, str, str]:
    evidence, score = _format_score(candidate.log_evidence), _format_score(candidate.score)
    return printable(candidate.name), evidence, score


def _format_score(value: float | None) -> str:
    return "not computable" if value is None else format_number(value)
