"""The phases of the fit and how long each took."""

from typing import Any

from sparsegp.plot.labels import printable
from sparsegp.report.formatting import format_number
from sparsegp.report.policy import MAX_FACT_LENGTH
from sparsegp.report.report_data import ReportData
from sparsegp.report.sections import Section, Table

__all__ = ["timings_section"]

#: Entries of a phase that have a column of their own.
OWN_COLUMNS = ("phase", "seconds")
COUNT_PREFIX = "n_"


def timings_section(data: ReportData) -> Section:
    """List the phases of the fit."""
    history = getattr(data.model, "history_", [])
    rows = [
        (
            printable(str(entry.get("phase", ""))),
            f"{entry.get('seconds', 0.0):.2f}",
            "; ".join(
                _format_fact(name, fact) for name, fact in entry.items() if name not in OWN_COLUMNS
            ),
        )
        for entry in history
    ]
    total = sum(entry.get("seconds", 0.0) for entry in history)
    tables = [Table(("phase", "seconds", "result"), rows)]
    cuts = [printable(str(cut)).partition(": ") for cut in getattr(data.model, "cut_short_", [])]
    if cuts:
        told = [(phase, what) for phase, _, what in cuts]
        lead = "What the time limit cut short:"
        tables.insert(0, Table(("phase", "what was done instead"), told, lead=lead))
    return Section("Fitting time", [f"The fit took {total:.1f} seconds."], tables=tables)


def _format_fact(name: str, value: Any) -> str:
    """Return one result of a phase.

    >>> _format_fact("n_evaluations", 26), _format_fact("converged", True)
    ('evaluations: 26', 'converged: yes')
    """
    return f"{name.removeprefix(COUNT_PREFIX).replace('_', ' ')}: {_format_result(value)}"


def _format_result(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return format_number(value)
    if isinstance(value, dict):
        text = ", ".join(f"{name} {_format_result(one)}" for name, one in value.items())
    elif isinstance(value, list | tuple):
        text = ", ".join(map(_format_result, value))
    else:
        text = printable(str(value))
    return text if len(text) <= MAX_FACT_LENGTH else text[: MAX_FACT_LENGTH - 1] + "…"
