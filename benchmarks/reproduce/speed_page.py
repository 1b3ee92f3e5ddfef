"""The speed of learning from streams, for the page of CO."""

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.reproduce.co_claims import RULES
from benchmarks.reproduce.comparison import markdown_table
from benchmarks.reproduce.experiment import Record

__all__ = ["section_speed"]


def section_speed(results: Path, _: Path) -> str:
    title = "## Learning from a stream: speed, drift, real streams"
    folder = results.parent.parent / "results"
    files = sorted(folder.glob("online_speed*.json")) if folder.is_dir() else []
    records: list[Record] = [record for file in files for record in json.loads(file.read_text())]
    parts = [
        f"**{heading}**\n\n{table}"
        for heading, table in (
            ("Rows a second, 256 columns, one BLAS thread", _table_of_rows(records)),
            ("A long stream whose function turns", _table_of_drift(records)),
            ("Real streams in the order of time: predict, then learn", _table_of_streams(records)),
        )
        if table
    ]
    if not parts:
        return f"{title}\n\nNot run yet: `python -m benchmarks.online_speed rows --json FILE`."
    return "\n\n".join([title, "Written by `python -m benchmarks.online_speed`.", *parts])


def _table_of_rows(records: Sequence[Record]) -> str:
    found = [r for r in records if "rows_a_second_ten_outputs" in r]
    rows = [
        [
            str(r["n_basis"]),
            "joins the basis" if r["news"] else "is projected",
            RULES[r["deletion"]] if r["news"] else "",
            str(r["rows_a_second"]),
            str(r["rows_a_second_ten_outputs"]),
            f"{r['ratio']:g}",
        ]
        for r in found
    ]
    header = ["basis vectors", "every row", "deletion", "one output", "ten outputs", "ratio"]
    return markdown_table(header, rows) if rows else ""


def _table_of_drift(records: Sequence[Record]) -> str:
    rows = [
        [
            f"{r['rows']:,}",
            f"{r['rmse_first_tenth']:g}",
            f"{r['rmse_last_tenth']:g}",
            f"{r['smallest_variance']:.1e}",
            f"{r['drift_of_inverse']:.1e}",
            str(r["rows_a_second"]),
        ]
        for r in records
        if "drift_of_inverse" in r
    ]
    header = ["rows", "RMSE, first tenth", "last tenth", "smallest variance"]
    header += ["drift of the inverse Gram matrix", "rows a second"]
    return markdown_table(header, rows) if rows else ""


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}".replace("-", "−")


def _table_of_streams(records: Sequence[Record]) -> str:
    found = [r for r in records if "set" in r and "model" in r]
    rows = [
        [
            r["set"],
            f"{r['rows']:,}",
            r["model"],
            *(_figure(r.get(measure)) for measure in ("rmse", "nlpd", "nmse")),
            f"{r['seconds']:g}",
        ]
        for r in found
    ]
    header = ["stream", "rows", "model", "RMSE", "NLPD", "NMSE", "seconds"]
    return markdown_table(header, rows) if rows else ""
