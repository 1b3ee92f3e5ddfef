"""The section of our default settings beside the best published figures."""

from pathlib import Path

from benchmarks.plain import PLAIN
from benchmarks.reproduce.comparison import beside_best
from benchmarks.reproduce.experiment import where
from benchmarks.reproduce.ours import FIRST_FRESH
from benchmarks.reproduce.records import missing, read_records

__all__ = ["OURS"]


def section_ours(results: Path, _: Path) -> str:
    title = "## Our defaults beside the best published figures"
    records = where(read_records(results, "ours"), settings={})
    if not records:
        return f"{title}\n\n{missing('ours')}"
    text = (
        "Only `max_basis` is set, as in the papers; *best* is the best of any method in either "
        "paper (kin40k is in no table: an aim). Here ✓ is at or below it, ✗ is not."
    )
    fresh = [r for r in records if r["partition"] >= FIRST_FRESH]
    plain = where(read_records(results, "ours"), settings=PLAIN)
    parts = [
        f"### {heading}\n\n{beside_best(found)}"
        for heading, found in (
            ("All partitions", records),
            (f"Partitions from {FIRST_FRESH} on, on which no default was chosen", fresh),
            ("The plain model, an RBF of standardised columns and target", plain),
        )
        if found
    ]
    return "\n\n".join([title, text, *parts])


OURS = (section_ours,)
