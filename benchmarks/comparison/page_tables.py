"""The tables of the page: where we lose, all figures, densities chosen, failures, versions."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.comparison.methods import METHODS
from benchmarks.comparison.ranks import Scores, tied
from benchmarks.comparison.stored import Record, of_method
from benchmarks.reproduce.comparison import markdown_table

__all__ = [
    "section_density",
    "section_failures",
    "section_figures",
    "section_losses",
    "section_versions",
]

Tables = Sequence[tuple[str, Scores]]


def section_losses(
    tables: Tables, ours: str, titles: Mapping[str, str], causes: Mapping[str, str]
) -> str:
    """Return every set on which another method is better by more than a tie."""
    lost: dict[str, list[str]] = {}
    n_sets = {name for _, scores in tables for name, of in scores.items() if ours in of}
    for measure, scores in tables:
        for name, of in scores.items():
            others = {m: v for m, v in of.items() if not m.startswith(ours)}
            if ours not in of or not others:
                continue
            best = min(others, key=lambda m, others=others: others[m])
            if others[best] < of[ours] and not tied(of[ours], others[best], measure):
                told = f"{titles[measure]} {_number(of[ours])}, {best} {_number(others[best])}"
                lost.setdefault(name, []).append(told)
    rows = [[n, "<br>".join(told), causes.get(n, "not known")] for n, told in lost.items()]
    told = (
        f"Sets where the best of all other methods is better by more than a tie: {len(rows)} of "
        f"{len(n_sets)}. The best of a dozen on one split is partly luck."
    )
    table = markdown_table(["table", "ours, the best", "suspected cause"], rows) if rows else ""
    return f"## Where we lose\n\n{told}\n\n{table}"


def section_figures(tables: Tables, records: Sequence[Record], titles: Mapping[str, str]) -> str:
    """Return every score, and the seconds of a fit."""
    parts = ["## All figures", "Means of splits. **Bold** is the lowest of a row, × a failure."]
    for measure, scores in tables:
        if scores:
            parts += [f"### {titles[measure]}", _grid(scores)]
    names = list(dict.fromkeys(r["set"] for r in records))
    seconds: Scores = {
        name: {
            method: float(np.mean(values))
            for method in METHODS
            if (values := [r["fit_seconds"] for r in of_method(records, name, method)
                           if "fit_seconds" in r])
        }
        for name in names
    }  # fmt: skip
    return "\n\n".join([*parts, "### Seconds of a fit", _grid(seconds, bold=False)])


def _grid(scores: Scores, *, bold: bool = True) -> str:
    methods = [m for m in METHODS if any(m in of for of in scores.values())]
    rows = []
    for name, of in scores.items():
        lowest = min(of.values(), default=np.inf)
        cells = []
        for method in methods:
            text = _number(of[method]) if method in of else ""
            best = bold and method in of and of[method] == lowest < np.inf
            cells.append(f"**{text}**" if best else text)
        rows.append([name, *cells])
    return markdown_table(["", *methods], rows)


def _number(value: float) -> str:
    """Return three digits.

    >>> _number(-0.01234), _number(1234.5), _number(float("inf"))
    ('−0.012', '1,234', '×')
    """
    if not np.isfinite(value):
        return "×"
    digits = 3 if abs(value) < 10 else 1 if abs(value) < 100 else 0
    return f"{value:,.{digits}f}".replace("-", "−")


def section_density(records: Sequence[Record]) -> str:
    """Return which densities were chosen, and how many targets the 95 % intervals hold."""
    rows = []
    for method in METHODS:
        mine = [r for r in records if r["method"] == method and "density" in r]
        if mine:
            names = Counter(r["density"] for r in mine)
            share = float(np.mean([r["coverage"] for r in mine]))
            off = float(np.mean([abs(r["coverage"] - 0.95) for r in mine]))
            told = ", ".join(f"{name}: {count}" for name, count in names.most_common())
            rows.append([method, told, f"{100 * share:.1f} %", f"{100 * off:.1f}"])
    head = ["", "density: fits", "targets in 95 % intervals", "mean distance from 95 %, points"]
    return markdown_table(head, rows) if rows else ""


def section_failures(records: Sequence[Record]) -> str:
    """Return what did not end, and what a method is not for."""
    failed = [r for r in records if "failed" in r]
    if not failed:
        return ""
    rows = [[r["set"], r["method"], r["failed"].replace("|", "/")] for r in failed]
    return f"## Failures\n\n{markdown_table(['table', 'method', 'why'], rows)}"


def section_versions(records: Sequence[Record]) -> str:
    """Return machines, versions and commits."""
    versions: dict[str, set[str]] = {}
    for record in records:
        for name, version in record.get("versions", {}).items():
            versions.setdefault(name, set()).add(version)
    known = ", ".join(f"{n} {'/'.join(sorted(v))}" for n, v in sorted(versions.items()))
    machines = Counter(
        f"{r['machine']['processor']}, {r['machine']['cores']} cores, "
        f"{r['machine']['memory_gb']} GB, {r['machine']['blas']}, threads: {r['threads']}"
        for r in records
    )
    commits = sorted({str(r["commit"]) for r in records if r["method"].startswith("sparsegp")})
    told = "; ".join(f"{name} ({count} fits)" for name, count in machines.items())
    return (
        f"## Machine and versions\n\n{told}. {known}. Commits of ours: {', '.join(commits)}. "
        "Records are in `results/comparison.jsonl`."
    )
