"""The result of ``sparsegp fit``: as JSON, as notes in the model file, and on the terminal."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparsegp.cli.display import print_line, show_rows, show_table
from sparsegp.cli.scores import SCORE_LABELS
from sparsegp.cli.tables.target import Target
from sparsegp.tables.encoding import TableEncoding
from sparsegp.tables.encoding.kinds import CATEGORY, MISSING_INDICATOR, ORDERED, PERIODIC

__all__ = ["FitResult", "print_columns", "print_result"]


@dataclass(frozen=True)
class FitResult:
    """What is printed at the end; the fields are the members of ``--json``."""

    task: str
    target: str
    rows: int
    held_out: int
    without_target: int  # rows that were left out
    scores: dict[str, float | None]
    n_basis: int
    n_neighbors: int | None  # None for classification
    kernel: str
    kernel_chosen: str | None  # None if the kernel was given
    transform_x: dict[str, str]
    transform_y: str | None
    tried: list[dict[str, Any]]
    seconds: float
    cut_short: list[str]
    peak_memory_bytes: int | None
    model: str | None
    report: str | None
    columns: list[dict[str, Any]]
    left_out: dict[str, str]
    notes: list[str]
    warnings: list[str]

    def model_notes(self) -> dict[str, Any]:
        """Return what the model file stores beside the model: target and scores."""
        return {
            "target": self.target,
            "rows": self.rows,
            "held_out": self.held_out,
            "n_neighbors": self.n_neighbors,
            "scores": self.scores,
            "seconds": self.seconds,
            "cut_short": self.cut_short,
        }


def print_columns(encoding: TableEncoding, target: Target) -> None:
    """Print which columns are left out, and remarks on the others."""
    for name, reason in encoding.left_out.items():
        print_line(f"left out: {name!r} {reason}")
    for note in (*encoding.notes, *target.notes):
        print_line(f"note: {note}")


def print_result(path: Path, result: FitResult) -> None:
    """Print warnings, the columns with their transforms, and the scores."""
    for warning in result.warnings:
        print_line(f"warning: {warning}")
    show_rows(
        f"Columns of {path.name}",
        ("column", "used as", "transform"),
        [
            (column["name"], _describe_kind(column), transform)
            for column, transform in zip(result.columns, result.transform_x.values(), strict=True)
        ],
    )
    held_out = f"{result.held_out:,} held-out rows" if result.held_out else "no held-out rows"
    title = f"{result.task} of {result.target}: {result.rows:,} training rows, {held_out}"
    show_table(title, _summary(result))


def _summary(result: FitResult) -> dict[str, str]:
    summary = {
        SCORE_LABELS[name][0]: _format_score(value, percent=SCORE_LABELS[name][1])
        for name, value in result.scores.items()
        if name in SCORE_LABELS
    }
    summary["basis vectors"] = f"{result.n_basis:,}"
    if result.n_neighbors is not None:
        summary["neighbours"] = f"{result.n_neighbors:,}"
    if result.kernel_chosen is not None:
        summary["kernel"] = result.kernel_chosen
    if result.transform_y is not None:
        summary["transform of the target"] = result.transform_y
    if result.tried:
        summary["candidates compared"] = f"{len(result.tried)}"
    summary["seconds to fit"] = f"{result.seconds:.1f}"
    if result.cut_short:
        summary["shortened by --time-limit"] = "\n".join(result.cut_short)
    memory = result.peak_memory_bytes
    summary["peak memory"] = "unknown" if memory is None else f"{memory / 2**20:,.0f} MiB"
    summary["model"] = result.model or "not saved: give --out to save it"
    if result.report is not None:
        summary["report"] = result.report
    return summary


def _describe_kind(column: dict[str, Any]) -> str:
    kind, n_levels = column["kind"], len(column["levels"])
    return {
        CATEGORY: f"category with {n_levels} levels",
        ORDERED: f"rank of {n_levels} levels",
        MISSING_INDICATOR: "missing-value indicator",
        PERIODIC: f"{column.get('part')} ({column.get('wave')})",
    }.get(kind, kind)


def _format_score(value: float | None, *, percent: bool) -> str:
    if value is None:
        return "not defined"
    return f"{100 * value:.1f} %" if percent else f"{value:.4g}"
