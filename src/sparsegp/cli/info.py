"""``sparsegp info``: the description of a model file."""

import json
import re
from pathlib import Path
from typing import Any

from sparsegp.cli.display import show_rows, show_table
from sparsegp.files import info as read_info
from sparsegp.tables.encoding import TableEncoding
from sparsegp.tables.encoding.describe import describe_columns

__all__ = ["info"]


def info(model: Path, *, as_json: bool = False) -> None:
    """Print the description of a model."""
    about = read_info(model)
    if as_json:
        print(json.dumps(about, allow_nan=False))
        return
    show_table(model.name, _facts(about))
    columns = _column_rows(about)
    if columns:
        show_rows("Columns", ("column", "used as", "if missing", "categories"), columns)


def _facts(about: dict[str, Any]) -> dict[str, str]:
    notes = about["notes"] if isinstance(about["notes"], dict) else {}
    facts = {
        "estimator": about["estimator"],
        "task": about["task"],
        "target": notes.get("target"),
        "classes": about["classes"] and ", ".join(about["classes"]),
        "basis vectors": about["n_basis"],
        "neighbours": about.get("n_neighbors", notes.get("n_neighbors")),
        "columns": about["n_features"],
        "kernel": _short_kernel(about["kernel"]),
        "noise": about.get("noise"),
        "noise variance": about.get("noise_variance"),
        "training rows": notes.get("rows", about.get("n_seen")),
        "standard deviations": "yes" if about["variance"] else "no, means only",
        "written by": f"sparsegp {about['library_version']}, format {about['format_version']}",
    }
    scores = notes.get("scores")
    if isinstance(scores, dict):
        facts |= {f"{name} (held-out rows)": value for name, value in scores.items()}
    return {name: _short(value) for name, value in facts.items() if value is not None}


def _column_rows(about: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    notes = about["notes"]
    stored = about.get("encoding")
    if stored is None and isinstance(notes, dict):
        stored = notes.get("table")  # where 0.1.0 had it
    return [] if stored is None else describe_columns(TableEncoding.from_json(stored))


def _short_kernel(text: str) -> str:
    """Return a kernel without bounds and with numbers rounded.

    >>> _short_kernel("RBF(length_scale=(1.23456789,), length_scale_bounds=(0.001, 10000.0))")
    'RBF(length_scale=(1.235,))'
    """
    text = re.sub(r", \w+_bounds=(\([^)]*\)|'fixed')", "", text)
    return re.sub(r"\d+\.\d+(e[-+]\d+)?", lambda found: f"{float(found[0]):.4g}", text)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
