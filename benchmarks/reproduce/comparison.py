"""Tables with the papers' numbers and ours beside them, in markdown."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.reproduce.agreement import AGREES, BETTER, WORSE, Cell, verdict
from benchmarks.reproduce.experiment import (
    Record,
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
    "all_cells",
    "beside_best",
    "cells",
    "compared",
    "digits_of",
    "markdown_table",
    "partitions",
    "phase_title",
    "plus_minus",
    "sets_of",
]

#: How many runs the paper has: set → number.
Runs = Mapping[str, int]
#: Measure → its title.
MEASURES = {"nmse": "NMSE", "nlpd": "NLPD", "n_basis": "basis vectors"}


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


def digits_of(measure: str, name: str) -> int:
    if measure == "n_basis":
        return 1
    return 3 if (measure, name) == ("nlpd", "abalone") else 2


def comparison(records: Sequence[Record], published: Table, test: Test, runs: Runs) -> str:
    """Return a table with a line for each set and method; ``runs`` are those of the paper."""
    names = [name for name in published if name in sets_of(records)]
    any_published = next(iter(published[names[0]].values()))
    measures = MEASURES if any_published.n_basis else {m: MEASURES[m] for m in ("nmse", "nlpd")}
    header = ["set", "method"]
    for title in measures.values():
        header += [f"{title}, paper", "ours"]
    rows = []
    for name in names:
        found = where(records, set=name)
        columns = {m: _texts(found, published[name], m, test, runs[name]) for m in measures}
        for method in columns["nmse"]:
            row = [name, method]
            for measure in measures:
                row += columns[measure][method]
            rows.append(row)
    return markdown_table(header, rows)


def _texts(
    records: Sequence[Record],
    published: dict[str, Published],
    measure: str,
    test: Test,
    n_runs: int,
) -> dict[str, tuple[str, str]]:
    """Return the paper's cell and ours for each method that has run."""
    samples = by_method(records, measure)
    best, worse = worse_than_best(samples, test.p_value, test.level)
    texts = {}
    for method, cell in cells(records, published, measure, n_runs).items():
        text = plus_minus(cell.ours.mean, cell.ours.sd, cell.digits)
        if measure != "n_basis":
            text = f"**{text}**" if method == best else text
            text += " ★" if method in worse else ""
            text += f" {cell.mark}"
        text += f" ({cell.ours.count})" if cell.ours.count != n_runs else ""
        texts[method] = (plus_minus(*cell.theirs, cell.digits), text)
    return texts


def cells(
    records: Sequence[Record], published: dict[str, Published], measure: str, n_runs: int
) -> dict[str, Cell]:
    """Return our means of a set beside the published ones, for each method that has run.

    ``n_runs`` is the paper's number of partitions.
    """
    samples, name = by_method(records, measure), records[0]["set"]
    return {
        method: Cell(
            f"{method} on {name}",
            summarise(samples[method].values()),
            getattr(numbers, measure),
            digits_of(measure, name),
            n_runs,
        )
        for method, numbers in published.items()
        if method in samples
    }


def all_cells(records: Sequence[Record], published: Table, measure: str, runs: Runs) -> list[Cell]:
    """Return the cells of all sets."""
    return [
        cell
        for name in sets_of(records)
        for cell in cells(where(records, set=name), published[name], measure, runs[name]).values()
    ]


def compared(records: Sequence[Record], published: Table, test: Test, runs: Runs) -> str:
    """Return a table and what it comes to."""
    parts = [
        f"{partitions(records).capitalize()} (paper: {_span(runs[s] for s in sets_of(records))}); "
        f"★ by {test.name}.",
        comparison(records, published, test, runs),
        verdict("NMSE", all_cells(records, published, "nmse", runs)),
        verdict("NLPD", all_cells(records, published, "nlpd", runs)),
        _sizes(records, published, runs),
    ]
    return "\n\n".join(filter(None, parts))


def _span(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return f"{found[0]} to {found[-1]}" if len(found) > 1 else str(found[0])


def _sizes(records: Sequence[Record], published: Table, runs: Runs) -> str:
    """Return how many automatic sizes agree; those that were given say nothing."""
    if not next(iter(next(iter(published.values())).values())).n_basis:
        return ""
    found = [cell for cell in all_cells(records, published, "n_basis", runs) if cell.theirs[1]]
    counts = Counter(cell.mark for cell in found)
    return (
        f"**Basis vectors**, {len(found)} automatic sizes: {counts[AGREES]} agree, "
        f"{counts[BETTER]} are smaller, {counts[WORSE]} larger."
    )


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
