"""Default and plain fits beside tuned LightGBM on fifteen tables."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.reproduce.comparison import markdown_table, partitions, sets_of
from benchmarks.reproduce.experiment import Record, summarise, where
from benchmarks.reproduce.pit_plot import plot_pit
from benchmarks.reproduce.records import missing, read_records

__all__ = ["AUTO", "BARS", "LIGHTGBM", "PLAINLY", "TABLES_PAGE", "mark", "table_of_tables"]

PLAINLY, AUTO, LIGHTGBM = "plain", "auto", "LightGBM"
#: Of a histogram of what share of its distribution a target exceeds.
BARS = 20

#: How much more NMSE than LightGBM's counts as equal, and the accepted coverage of 95 % intervals.
AS_GOOD, COVERED = 1.02, (0.93, 0.97)

MEASURES = {
    "nmse": ("NMSE", 2),
    "nlpd": ("NLPD", 3),
    "coverage": ("covered", 3),
    "seconds": ("s", 1),
}


def section_tables(results: Path, images: Path) -> str:
    title = "## Fifteen tables beside LightGBM"
    records = read_records(results, "tables")
    if not records:
        return f"{title}\n\n{missing('tables')}"
    max_basis = max(record.get("max_basis", 0) for record in records)
    return "\n\n".join(
        [
            title,
            f"`max_basis={max_basis}`, {partitions(records)}; sizes as in the papers, else 90 % to "
            "train. *Plain*: an RBF of standardised columns and target. *Auto*, our defaults: "
            '`kernel="auto"`, `transform_X="auto"`, `transform_y="auto"`. LightGBM: learning rate '
            "0.05, the best of 31, 63 and 127 leaves, early stopping on a tenth of the training "
            "rows, whose errors give its one variance. NMSE in percent, NLPD of the target divided "
            "by its standard deviation, share of targets in 95 % intervals, seconds of the fit "
            "on a busy machine. "
            "✓: NMSE and NLPD both at or "
            "below LightGBM's; ≈: NLPD below and NMSE at most 2 % above LightGBM's.",
            table_of_tables(records, max_basis),
            _verdict(records, max_basis),
            *_histograms(_of_size(records, max_basis), images),
        ]
    )


def _histograms(records: Sequence[Record], images: Path) -> list[str]:
    """Return the figure of where targets lie in their own distributions, if it can be drawn."""
    counted: dict[str, Sequence[int]] = {}
    for name in sets_of(records):
        runs = [r["pit"] for r in where(records, set=name, method=AUTO) if "pit" in r]
        if runs:
            counted[name] = [sum(bar) for bar in zip(*runs, strict=True)]
    if not counted:
        return []
    plot_pit(counted, images / "pit.png")
    return [
        "Probability integral transform (PIT) of held-out targets under their predictive "
        "distributions, default settings. Calibrated error bars make every bar equally high; the "
        "band holds 99 % of the bars of a calibrated model.",
        "![Histograms of predicted probabilities of the targets](images/pit.png)",
    ]


def mark(records: Sequence[Record], method: str) -> str | None:
    """Return "✓" if a method is at or below LightGBM on one set by both measures.

    "≈" if only its NMSE is above, by at most 2 %; "" if it loses; None if one has not run.
    """
    ours, theirs = where(records, method=method), where(records, method=LIGHTGBM)
    if not ours or not theirs:
        return None
    nmse, nlpd = ((_mean(ours, measure), _mean(theirs, measure)) for measure in ("nmse", "nlpd"))
    if nlpd[0] >= nlpd[1] or nmse[0] > AS_GOOD * nmse[1]:
        return ""
    return "✓" if nmse[0] <= nmse[1] else "≈"


def table_of_tables(records: Sequence[Record], max_basis: int) -> str:
    """Return a line for each set and method."""
    records = _of_size(records, max_basis)
    header = ["set", "method", *(title for title, _ in MEASURES.values()), "", "chosen"]
    rows = []
    for name in sets_of(records):
        of_set = where(records, set=name)
        for method in (PLAINLY, AUTO, LIGHTGBM):
            found = where(of_set, method=method)
            if found:
                numbers = [_number(found, m, digits) for m, (_, digits) in MEASURES.items()]
                sign = "" if method == LIGHTGBM else mark(of_set, method) or ""
                rows.append([name, method, *numbers, sign, _chosen(found)])
    return markdown_table(header, rows)


def _verdict(records: Sequence[Record], max_basis: int) -> str:
    records = _of_size(records, max_basis)
    lines = []
    for method in (PLAINLY, AUTO):
        if not where(records, method=method):
            continue
        by_set = {name: where(records, set=name) for name in sets_of(records)}
        marks = [mark(of_set, method) for of_set in by_set.values()]
        compared = [sign for sign in marks if sign is not None]
        runs = where(records, method=method)
        low, high = COVERED
        within = [low <= record["coverage"] <= high for record in runs]
        lines.append(
            f"- *{method}*: at or below LightGBM by both measures on {compared.count('✓')} of "
            f"{len(compared)} sets, and within 2 % of its NMSE on {compared.count('≈')} "
            f"more; 93 to 97 % covered in {sum(within)} of {len(within)} runs."
        )
    return "\n".join(lines)


def _of_size(records: Sequence[Record], max_basis: int) -> list[Record]:
    return [r for r in records if r.get("max_basis", max_basis) == max_basis]


def _mean(records: Sequence[Record], measure: str) -> float:
    return summarise(record[measure] for record in records).mean


def _number(records: Sequence[Record], measure: str, digits: int) -> str:
    return f"{_mean(records, measure):.{digits}f}".replace("-", "−")


def _chosen(records: Sequence[Record]) -> str:
    """Return what was chosen, in one partition or another."""
    if "kernel" not in records[0]:
        return ", ".join(sorted({f"{record['n_leaves']} leaves" for record in records}))
    kernels = dict.fromkeys(record["kernel"] for record in records)
    targets = dict.fromkeys(record["target"] for record in records)
    bent = sorted({record["n_bent"] for record in records})
    counts = f"{bent[0]}" if len(bent) == 1 else f"{bent[0]} to {bent[-1]}"
    return f"{' or '.join(kernels)}; {' or '.join(targets)}; {counts} columns transformed"


TABLES_PAGE = (section_tables,)
