"""Tables with the papers' numbers and ours beside them, in markdown."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.reproduce.experiment import (
    Record,
    Summary,
    by_method,
    paired_t_p,
    rank_sum_p,
    summarise,
    where,
    worse_than_best,
)
from benchmarks.reproduce.published import BEST, Published, Table

__all__ = [
    "PAIRED_T",
    "RANK_SUM",
    "beside_best",
    "compared",
    "digits_of",
    "markdown_table",
    "partitions",
    "phase_title",
    "plus_minus",
    "sets_of",
    "within_one_sd",
]


@dataclass(frozen=True)
class Test:
    """A paper's test of significance."""

    name: str
    p_value: Callable[[Sequence[float], Sequence[float]], float]
    level: float


RANK_SUM = Test("Wilcoxon's rank sum test, p < 0.01", rank_sum_p, 0.01)
PAIRED_T = Test("paired t test, p < 0.05", paired_t_p, 0.05)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table.

    >>> print(markdown_table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    lines = [header, *rows]
    text = ["| " + " | ".join(line) + " |" for line in lines]
    return "\n".join([text[0], "|" + "---|" * len(header), *text[1:]])


def phase_title(recorded: str) -> str:
    """Return the name of a phase as pages write it; older records have other words.

    >>> phase_title("transforms: 2 columns bent, more rows")
    'transforms: 2 columns transformed, more rows'
    """
    return recorded.replace("columns bent", "columns transformed")


def plus_minus(mean: float, sd: float, digits: int) -> str:
    """Return the mean with its deviation, if there is one.

    >>> plus_minus(1.234, 0.1, 2), plus_minus(500.0, 0.0, 1), plus_minus(-1.0, float("nan"), 1)
    ('1.23 ± 0.10', '500.0', '−1.0')
    """
    text = f"{mean:.{digits}f}".replace("-", "−")
    return f"{text} ± {sd:.{digits}f}" if sd > 0 else text


def partitions(records: Sequence[Record]) -> str:
    counts = {len({r["partition"] for r in where(records, set=s)}) for s in sets_of(records)}
    few, many = min(counts), max(counts)
    if few != many:
        return f"{few} to {many} partitions a set"
    return f"{few} partitions" if few > 1 else "one partition"


def sets_of(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(record["set"] for record in records))


def within_one_sd(ours: Summary, theirs: tuple[float, float]) -> bool:
    """Tell whether our mean is at most the published one plus its standard deviation."""
    return ours.mean <= theirs[0] + theirs[1]


def digits_of(measure: str, name: str) -> int:
    if measure == "n_basis":
        return 1
    return 3 if (measure, name) == ("nlpd", "abalone") else 2


def comparison(records: Sequence[Record], published: Table, test: Test) -> str:
    """Return a table with a line for each set and method."""
    names = [name for name in published if name in sets_of(records)]
    any_published = next(iter(published[names[0]].values()))
    measures = {"nmse": "NMSE", "nlpd": "NLPD"}
    if any_published.n_basis:
        measures["n_basis"] = "basis vectors"
    header = ["set", "method"]
    for title in measures.values():
        header += [f"{title}, paper", "ours"]
    rows = []
    for name in names:
        cells = {m: _cells(where(records, set=name), published[name], m, test) for m in measures}
        for method in cells["nmse"]:
            row = [name, method]
            for measure in measures:
                row += cells[measure][method]
            rows.append(row)
    return markdown_table(header, rows)


def _cells(
    records: Sequence[Record], published: dict[str, Published], measure: str, test: Test
) -> dict[str, tuple[str, str]]:
    """Return the paper's cell and ours for each method that has run."""
    samples = by_method(records, measure)
    name = records[0]["set"]
    digits = digits_of(measure, name)
    best, worse = worse_than_best(samples, test.p_value, test.level)
    cells = {}
    for method, numbers in published.items():
        if method not in samples:
            continue
        theirs = getattr(numbers, measure)
        ours = summarise(samples[method].values())
        text = plus_minus(ours.mean, ours.sd, digits)
        if measure != "n_basis":
            text = f"**{text}**" if method == best else text
            text += " ★" if method in worse else ""
            text += " ✓" if within_one_sd(ours, theirs) else " ✗"
        cells[method] = (plus_minus(*theirs, digits), text)
    return cells


def verdict(records: Sequence[Record], published: Table, measure: str) -> str:
    """Return how many means are within one published deviation or better, and which are not."""
    outside, count = [], 0
    for name in sets_of(records):
        for method, values in by_method(where(records, set=name), measure).items():
            ours, theirs = summarise(values.values()), getattr(published[name][method], measure)
            count += 1
            if not within_one_sd(ours, theirs):
                outside.append(f"{method} on {name} ({_excess(ours, theirs)})")
    if not count:
        return ""
    text = f"{measure.upper()} within one published standard deviation of its mean, or better: "
    text += f"{count - len(outside)} of {count}."
    return f"{text} Not: {', '.join(outside)}." if outside else text


def _excess(ours: Summary, theirs: tuple[float, float]) -> str:
    """Say how far a mean is off, and how well it is known.

    >>> _excess(Summary(3.63, 0.2, 16), (3.5, 0.1))
    'by 1.3 sd: 0.03 too high, with a standard error of 0.05'
    """
    over = ours.mean - theirs[0]
    error = f"{ours.sd / ours.count**0.5:.2g}"
    known = f", with a standard error of {error}" if ours.count > 1 else ""
    return f"by {over / theirs[1]:.1f} sd: {over - theirs[1]:.2g} too high{known}"


def compared(records: Sequence[Record], published: Table, test: Test) -> str:
    """Return a table and what it comes to."""
    parts = [
        f"{partitions(records).capitalize()}; ★ by {test.name}.",
        comparison(records, published, test),
        verdict(records, published, "nmse"),
        verdict(records, published, "nlpd"),
    ]
    return "\n\n".join(filter(None, parts))


def beside_best(records: Sequence[Record]) -> str:
    """Return a table of one method, a line for each set, and how often it is at or below best."""
    header = ["set", "partitions", "NMSE, best", "ours", "NLPD, best", "ours"]
    header += ["95 % coverage", "basis vectors", "seconds"]
    rows, marks = [], []
    for name in [name for name in BEST if name in sets_of(records)]:
        found = where(records, set=name)
        row = [name, str(len(found))]
        for measure, best in zip(("nmse", "nlpd"), BEST[name], strict=True):
            theirs, ours, mark = _beside(found, measure, best)
            row += [theirs, f"{ours} {mark}".strip()]
            marks += [mark] if mark else []
        share = summarise(r["coverage"] for r in found).mean
        size = summarise(r["n_basis"] for r in found)
        seconds = summarise(r["seconds"] for r in found)
        row += [f"{100 * share:.1f} %", plus_minus(size.mean, size.sd, 1)]
        rows.append([*row, plus_minus(seconds.mean, seconds.sd, 1)])
    count = f"At or below the best published figure: {marks.count('✓')} of {len(marks)} cells."
    return f"{markdown_table(header, rows)}\n\n{count}"


def _beside(records: Sequence[Record], measure: str, best: float) -> tuple[str, str, str]:
    """Return the best figure, ours, and a mark if the two can be compared."""
    name = records[0]["set"]
    digits = digits_of(measure, name)
    ours = summarise(r[measure] for r in records)
    theirs = "" if math.isnan(best) else plus_minus(best, math.nan, digits)
    mark = ("✓" if ours.mean <= best else "✗") if theirs else ""
    return theirs, plus_minus(ours.mean, ours.sd, digits), mark
