"""What the page says of tables as they are, beside tuned LightGBM."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.reproduce.comparison import markdown_table, partitions, sets_of
from benchmarks.reproduce.experiment import Record, summarise, where
from benchmarks.reproduce.pit_plot import plot_pit
from benchmarks.reproduce.records import missing, read_records

__all__ = ["AUTO", "BARS", "LIGHTGBM", "PLAINLY", "TABLES_PAGE", "table_of_tables", "won"]

PLAINLY, AUTO, LIGHTGBM = "plain", "auto", "LightGBM"
#: Of a histogram of what share of its distribution a target exceeds.
BARS = 20

#: How much more NMSE than LightGBM's still counts as the same, and where intervals of 95 % may end.
AS_GOOD, COVERED = 1.02, (0.93, 0.97)

MEASURES = {
    "nmse": ("NMSE", 2),
    "nlpd": ("NLPD", 3),
    "coverage": ("covered", 3),
    "seconds": ("s", 1),
}


def section_tables(results: Path, images: Path) -> str:
    title = "## Tables as they are, beside LightGBM"
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
            "✓: NMSE at most 1.02 times LightGBM's, and NLPD below LightGBM's.",
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
        "Where held-out targets lie in the distributions that were predicted for them, with all "
        "left to the evidence. Honest error bars make every bar equally high; the band is where "
        "99 % of bars would be by chance.",
        "![Histograms of predicted probabilities of the targets](images/pit.png)",
    ]


def won(records: Sequence[Record], method: str) -> bool | None:
    """Tell whether a method beats LightGBM on one set; None if one of them has not run."""
    ours, theirs = where(records, method=method), where(records, method=LIGHTGBM)
    if not ours or not theirs:
        return None
    nmse, nlpd = ((_mean(ours, measure), _mean(theirs, measure)) for measure in ("nmse", "nlpd"))
    return nmse[0] <= AS_GOOD * nmse[1] and nlpd[0] < nlpd[1]


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
                mark = "✓" if method != LIGHTGBM and won(of_set, method) else ""
                rows.append([name, method, *numbers, mark, _chosen(found)])
    return markdown_table(header, rows)


def _verdict(records: Sequence[Record], max_basis: int) -> str:
    records = _of_size(records, max_basis)
    lines = []
    for method in (PLAINLY, AUTO):
        if not where(records, method=method):
            continue
        by_set = {name: where(records, set=name) for name in sets_of(records)}
        compared = [v for v in (won(of_set, method) for of_set in by_set.values()) if v is not None]
        runs = where(records, method=method)
        low, high = COVERED
        within = [low <= record["coverage"] <= high for record in runs]
        lines.append(
            f"- *{method}*: as good as LightGBM by both measures on {sum(compared)} of "
            f"{len(compared)} sets; 93 to 97 % covered in {sum(within)} of {len(within)} runs."
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
    return f"{' or '.join(kernels)}; {' or '.join(targets)}; {counts} columns bent"


TABLES_PAGE = (section_tables,)
