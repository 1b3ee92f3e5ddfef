"""What was left to the evidence: which candidates were tried, and what won."""

from sparsegp.learning.history.choices import Tried, chosen_kernel, tried
from sparsegp.plot.names import readable
from sparsegp.report.shown import Section, Table, number
from sparsegp.report.subject import Subject

__all__ = ["choices_section"]

N_SHOWN = 20


def choices_section(subject: Subject) -> Section | None:
    """List what was tried; None if nothing was left open."""
    history = getattr(subject.model, "history_", [])
    candidates = tried(history)
    if not candidates:
        return None
    kernel = chosen_kernel(history)
    told = [] if kernel is None else [f"The kernel that won is {readable(kernel)}."]
    told.append(
        "Candidates were tried on some of the rows before the fit. The score is the log evidence "
        "less what a candidate costs; on the same rows the highest is the likeliest. Columns may "
        "be judged by how far the score rises from more to most rows instead."
    )
    rows = [_row(candidate) for candidate in candidates]
    table = Table(("candidate", "log evidence", "score"), rows[:N_SHOWN], rows[N_SHOWN:])
    return Section("What was chosen by evidence", told, tables=[table])


def _row(candidate: Tried) -> tuple[str, str, str]:
    return readable(candidate.name), _shown(candidate.log_evidence), _shown(candidate.score)


def _shown(value: float | None) -> str:
    return "cannot be evaluated" if value is None else number(value)
