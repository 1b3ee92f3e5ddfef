"""``sparsegp info``: what is in a model file."""

import json
import re
from pathlib import Path
from typing import Any

from sparsegp.cli.display import show_rows, show_table
from sparsegp.cli.tables.cells import CATEGORY
from sparsegp.cli.tables.columns import FLAG, Column, Columns
from sparsegp.files import info as read_info

__all__ = ["described_columns", "info"]


def info(model: Path, *, as_json: bool = False) -> None:
    """Print what a file says about its model."""
    about = read_info(model)
    if as_json:
        print(json.dumps(about, allow_nan=False))
        return
    show_table(model.name, _facts(about))
    columns = _columns(about)
    if columns:
        show_rows("Columns", ("column", "kind", "if missing", "levels"), columns)


def _facts(about: dict[str, Any]) -> dict[str, str]:
    notes = about["notes"] if isinstance(about["notes"], dict) else {}
    facts = {
        "estimator": about["estimator"],
        "task": about["task"],
        "target": notes.get("target"),
        "classes": about["classes"] and ", ".join(about["classes"]),
        "basis vectors": about["n_basis"],
        "columns": about["n_features"],
        "kernel": _short_kernel(about["kernel"]),
        "noise": about.get("noise"),
        "noise variance": about.get("noise_variance"),
        "rows learned": notes.get("rows", about.get("n_seen")),
        "with variance": "yes" if about["variance"] else "no, the mean alone",
        "written by": f"sparsegp {about['library_version']}, format {about['format_version']}",
    }
    scores = notes.get("scores")
    if isinstance(scores, dict):
        facts |= {f"{name} (held out)": value for name, value in scores.items()}
    return {name: _short(value) for name, value in facts.items() if value is not None}


def _columns(about: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    notes = about["notes"]
    if not isinstance(notes, dict) or "table" not in notes:
        return []
    return described_columns(Columns.from_json(notes["table"]))


def described_columns(columns: Columns) -> list[tuple[str, str, str, str]]:
    """Return for each input its name, its kind, what a missing value becomes, and its levels."""
    return [
        (
            column.feature,
            column.kind,
            _if_missing(column),
            ", ".join(column.levels[:6]) + (", …" if len(column.levels) > 6 else ""),
        )
        for column in columns.columns
    ]


def _if_missing(column: Column) -> str:
    if column.kind == FLAG:
        return ""
    if column.kind == CATEGORY:
        return "own level"
    return "refused" if column.fill is None else _short(column.fill)


def _short_kernel(text: str) -> str:
    """Return a kernel without its bounds and with fewer digits.

    >>> _short_kernel("RBF(length_scale=(1.23456789,), length_scale_bounds=(0.001, 10000.0))")
    'RBF(length_scale=(1.235,))'
    """
    text = re.sub(r", \w+_bounds=(\([^)]*\)|'fixed')", "", text)
    return re.sub(r"\d+\.\d+(e[-+]\d+)?", lambda found: f"{float(found[0]):.4g}", text)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
