"""The page of the classification paper, SS."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.datasets import CLASS_SETS
from benchmarks.reproduce.claims import Claim, claims_page
from benchmarks.reproduce.comparison import markdown_table, partitions
from benchmarks.reproduce.experiment import Record, where
from benchmarks.reproduce.merge import provenance
from benchmarks.reproduce.ours import FIRST_FRESH
from benchmarks.reproduce.records import missing, read_records
from benchmarks.reproduce.significance import critical_difference
from benchmarks.reproduce.slips import section_of_slips
from benchmarks.reproduce.ss_claims import (
    RANKED,
    claims_of_figure2,
    claims_of_figure3_left,
    claims_of_figure3_right,
    rankings,
)
from benchmarks.reproduce.ss_comparison import (
    TITLES,
    beside_svgp,
    of_methods,
    of_sampling,
    of_seconds,
    of_sites,
)
from benchmarks.reproduce.ss_figure2 import PLOTTED
from benchmarks.reproduce.ss_ours import USPS
from benchmarks.reproduce.ss_plots import (
    plot_ss_figure1,
    plot_ss_figure2,
    plot_ss_figure3_left,
    plot_ss_figure3_right,
)
from benchmarks.reproduce.ss_published import FRIEDMAN_P

__all__ = ["CLASSIFICATION"]

MEASURES = {"error": "Test error, percent", "nlp": "NLP of the test rows"}
PAPERS_PARTITIONS = "25, splice and image 20"


def of_usual_rounds(results: Path, experiment: str) -> list[Record]:
    """Return the records with the most common number of iterations; others are explorations."""
    records = read_records(results, experiment)
    if not records:
        return []
    counts = Counter(r["rounds"] for r in records)
    return where(records, rounds=max(counts, key=lambda rounds: (counts[rounds], rounds)))


def how_run(records: Sequence[Record]) -> str:
    count = records[0]["rounds"]
    said = partitions(records).capitalize()
    return (
        f"{said} (paper: {PAPERS_PARTITIONS}); at most {count} iterations of the outer loop "
        f"(paper: 20). {provenance(records)}"
    )


def section_ss(_: Path, __: Path) -> str:
    return (
        "## SS: the model\n\n"
        "A squared exponential kernel with one length scale, probit, sites by moment matching, and "
        'a posterior that knows the labels of the active rows alone (`posterior="active"`). The '
        "hyperparameters start where Gaussian process regression on the labels of at most 1,000 "
        "rows ends, and follow the predictive loss of the rows outside the active set in all "
        "methods; slope and bias of the probit are among them. The outer loop ends after three "
        "iterations without a gain, and the best model by this loss counts. Partitions are ours, "
        "of the paper's sizes. *Beats* means: a lower mean, and p < 0.05 by Wilcoxon's signed rank "
        "test over the partitions."
    )


def section_figure1(results: Path, images: Path) -> str:
    title = "## SS figure 1: losses"
    records = read_records(results, "ss_figure1")
    drawn = [r for r in records if "loss_curve" in r]
    if not drawn:
        return f"{title}\n\n{missing('ss_figure1')}"
    plot_ss_figure1(drawn, images / "ss_figure1.png")
    bounds = where(records, method="bound")
    rows = [
        [r["set"], f"{r['error']:.2f}", f"{r['bound_on_error']:.2f}"]
        for r in bounds
        if r["partition"] == 0
    ]
    claim = Claim(
        "Eq. 6: the predictive loss over log 2 “is an upper bound on the training set error”",
        {f"{r['set']} {r['partition']}": r["error"] <= r["bound_on_error"] for r in bounds},
    )
    header = ["set, partition 0, 40 active rows", "training error, percent", "bound"]
    return "\n\n".join(
        [
            title,
            f"By the library's own probit. {provenance(records)}",
            "![Four losses of a margin](images/ss_figure1.png)",
            claims_page([claim]),
            markdown_table(header, rows),
        ]
    )


def section_slips(_: Path, __: Path) -> str:
    return section_of_slips("SS")


def section_figure2(results: Path, images: Path) -> str:
    title = "## SS figure 2: two kinds of sites"
    records = of_usual_rounds(results, "ss_figure2")
    if not records:
        return f"{title}\n\n{missing('ss_figure2')}"
    parts = [title, f"{how_run(records)} Adaptive sampling with κ = 2."]
    drawn = [r for r in where(records, partition=PLOTTED) if "test_nlp_curve" in r]
    if drawn:
        plot_ss_figure2(drawn, images / "ss_figure2.png")
        parts.append("![Error and NLP as basis vectors are added](images/ss_figure2.png)")
        parts.append(f"The lines are those of partition {PLOTTED}, the table is over all.")
    return "\n\n".join([*parts, claims_page(claims_of_figure2(records)), of_sites(records)])


#: How the hyperparameters of the left panel were found.
SHARED = (
    "To bound the cost, hyperparameters are learned once for each set, partition and d_max, by "
    "adaptive sampling with κ = 2, and every method fills one active set at these; the paper "
    "learns them for each anew."
)
OWN = "Hyperparameters are learned for each method and κ anew, as in the paper."


def section_figure3_left(results: Path, images: Path) -> str:
    title = "## SS figure 3, left: random and adaptive sampling"
    every = of_usual_rounds(results, "ss_figure3_left")
    if not every:
        return f"{title}\n\n{missing('ss_figure3_left')}"
    own = where(every, hyperparameters="own")
    records, remark = (own, OWN) if own else (every, SHARED)
    plot_ss_figure3_left(records, images / "ss_figure3_left.png")
    tables = [f"**{text}**\n\n{of_sampling(records, m)}" for m, text in MEASURES.items()]
    return "\n\n".join(
        [
            title,
            f"{how_run(records)} {remark}",
            "![Error and NLP against the number of candidates](images/ss_figure3_left.png)",
            claims_page(claims_of_figure3_left(records)),
            *tables,
        ]
    )


def section_figure3_right(results: Path, images: Path) -> str:
    title = "## SS figure 3, right: five ways to choose an active set"
    records = of_usual_rounds(results, "ss_figure3_right")
    if not records:
        return f"{title}\n\n{missing('ss_figure3_right')}"
    plot_ss_figure3_right(records, images / "ss_figure3_right.png")
    ours = where(read_records(results, "ss_ours"), settings={})
    text = (
        f"{how_run(records)} In the tables **bold** is the lowest mean of the paper's methods and "
        "★ is significantly worse than it. *Our default* is that of the last section, with "
        "80 basis vectors."
    )
    tables = [f"**{text}**\n\n{of_methods(records, ours, m)}" for m, text in MEASURES.items()]
    return "\n\n".join(
        [
            title,
            text,
            "![Error and NLP of five methods and four sizes](images/ss_figure3_right.png)",
            claims_page(claims_of_figure3_right(records)),
            *filter(None, [friedman(records)]),
            *tables,
            f"**CPU seconds of one inner loop**\n\n{of_seconds(records)}",
        ]
    )


def friedman(records: Sequence[Record]) -> str:
    """Return the p-values of Friedman's test beside the paper's, with the average ranks."""
    rows = []
    for measure in MEASURES:
        for size, ranking in rankings(records, measure).items():
            published = FRIEDMAN_P[measure].get(size)
            row = ["error" if measure == "error" else "NLP", str(size)]
            row += ["" if published is None else f"{published:g}", f"{ranking.p:.2g}"]
            row += [f"{ranking.ranks[method]:.2f}" for method in RANKED]
            row += [
                f"{critical_difference(len(RANKED), ranking.n_sets, level):.2f}"
                for level in (0.1, 0.05)
            ]
            rows.append(row)
    if not rows:
        return ""
    header = ["measure", "d_max", "p, paper", "ours", *(TITLES[m] for m in RANKED)]
    header += ["critical difference at 0.1", "at 0.05"]
    return (
        "**Friedman's test over the sets**: p-values, average ranks (1 is best), and how far a "
        "rank must be from that of adaptive, κ = 2, to differ (Bonferroni and Dunn)\n\n"
        f"{markdown_table(header, rows)}"
    )


def section_ours(results: Path, _: Path) -> str:
    title = "## Our default classifier beside SVGP"
    records = where(read_records(results, "ss_ours"), settings={})
    if not records:
        return f"{title}\n\n{missing('ss_ours')}"
    svgp = read_records(results, "ss_svgp")
    text = (
        "Only `max_basis` is set (80; USPS, ten digits: 500), and for splice, whose letters are "
        "columns of zeros and ones for both, an RBF with a length scale a column. *SVGP* is "
        "GPyTorch's variational Gaussian process with 80 optimised inducing points and 100 epochs, "
        "on the same partitions where it has run (`python -m benchmarks.reproduce.ss_svgp`). Here "
        "✓ is at or below it, ✗ is not; ECE is the expected calibration error over 15 bins of "
        "confidence. Seconds were measured on different days: ours when the machine took "
        "twice its usual time, for SVGP as well."
    )
    six = [r for r in records if r["set"] in CLASS_SETS]
    fresh = [r for r in six if r["partition"] >= FIRST_FRESH]
    known = [r for r in six if r["partition"] < FIRST_FRESH]
    parts = [
        f"### {heading}\n\n{beside_svgp(found, svgp)}"
        for heading, found in (
            (f"Partitions from {FIRST_FRESH} on, on which no default was chosen", fresh),
            (f"Partitions below {FIRST_FRESH}, on some of which defaults were chosen", known),
            ("USPS, ten digits, the one partition it has", where(records, set=USPS)),
        )
        if found
    ]
    return "\n\n".join([title, text, *parts])


def section_usps(results: Path, _: Path) -> str:
    title = "## USPS, ten digits by least squares"
    records = read_records(results, "usps")
    if not records:
        return f"{title}\n\n{missing('usps')}"
    rows = [usps_row(record) for record in records]
    header = ["length scales tried", "their NLP over the folds", "their error", "taken"]
    header += ["test error, percent", "NLP", "ECE", "CPU seconds of the fit", "of all fits"]
    return (
        f"{title}\n\n"
        '`inference="least_squares"` with 500 basis vectors on pixels smoothed as in CO figure 6. '
        "Neighbouring rows of the training table are alike: parts of consecutive rows are harder "
        "to predict than rows drawn at random, and more like the test rows. So the length scale "
        "is chosen by cross-validation over such parts; the test rows have no part in it.\n\n"
        f"{markdown_table(header, rows)}"
    )


def usps_row(record: Record) -> list[str]:
    return [
        " · ".join(f"{length:g}" for length in record["lengths"]),
        " · ".join(f"{nlp:.4f}" for nlp in record["nlp_of_folds"]),
        " · ".join(f"{error:.2f}" for error in record["error_of_folds"]),
        f"{record['length_scale']:g}",
        f"{record['error']:.2f}",
        f"{record['nlp']:.4f}",
        f"{record['ece']:.4f}",
        f"{record['seconds']:.0f}",
        f"{record['seconds_of_all']:.0f}",
    ]


#: In the order of the page.
CLASSIFICATION = (
    section_ss,
    section_figure1,
    section_figure2,
    section_figure3_left,
    section_figure3_right,
    section_ours,
    section_usps,
    section_slips,
)
