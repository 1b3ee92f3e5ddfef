"""The pages of the two regression papers, KC and SKS."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.plain import PLAIN
from benchmarks.reproduce.claims import (
    claims_of_kc_figure1,
    claims_of_kc_table1,
    claims_of_sks_figure1,
    claims_of_sks_tables,
    list_of,
)
from benchmarks.reproduce.comparison import (
    PAIRED_T,
    RANK_SUM,
    beside_best,
    compared,
    markdown_table,
    partitions,
    plus_minus,
)
from benchmarks.reproduce.experiment import Record, by_method, summarise, where
from benchmarks.reproduce.ours import FIRST_FRESH
from benchmarks.reproduce.plots import plot_kc_figure1, plot_sks_figure1
from benchmarks.reproduce.published import KC_TABLE_1, SKS_ADAPTED, SKS_CACHED, SKS_FIXED
from benchmarks.reproduce.records import missing, read_records

__all__ = ["KEERTHI_CHU", "OURS", "PREDICTIVE_APPROACHES"]

#: What the paper leaves open about its sets.
REMARK_ON_SKS_TABLES = (
    'Friedman 2 and 3 were generated "as described by Friedman (1991)": impedance and phase of '
    "series circuits, with capacities in microfarads and noise of a third of the signal. Tested is "
    "the function itself, without noise. The paper does not say so, but its figures do: an exact "
    "Gaussian process on the 200 rows then has an NMSE of 11.5 ± 1.4 and an NLPD of 0.69 ± 0.05 on "
    "Friedman 3 (the best of the paper: 11.63 and 0.70), 9.1 ± 2.5 and 6.49 ± 0.05 on Friedman 2 "
    "(10.00 and 6.50; scikit-learn's process, 16 partitions). With noise in the test rows it has "
    "20.3 and 0.96, 18.4 and 6.83; with the generators of scikit-learn, which take farads, 13.5 "
    "to 19.6 and an NLPD below −0.5 on Friedman 3. A basis grows until 20 additions have brought "
    "no new best value, and keeps them, where our own rule goes back to the minimum: the paper "
    'observes a measure "for a few more iterations" and does not say whether they are kept, but '
    "its bases are as large as with them. Hyperparameters are those of the better of two optima on "
    "the subset (on cpuact they differ by up to 16 in log marginal likelihood). On cpuact "
    "all criteria are 0.03 to 0.1 above the paper. Neither more starts nor longer searches on the "
    "subset change that, and its size only part of what NLML lacks: the measure is flat from 150 "
    "to 500 basis vectors, so that ours ends at 198 where the paper's has 425, and with 500 the "
    "NMSE is 0.02 lower (five partitions)."
)
#: What the paper leaves open about adaptation.
REMARK_ON_KC_TABLE = (
    "Adaptation is short, as the paper says: four iterations of five evaluations, with nothing "
    "learned before. How the paper's begins and ends is not said. Ours begins twice, from length "
    "scales of a quarter of √D and of a third, and the end of higher marginal likelihood counts: "
    "on calhouse the shorter ones lead ADAPT-DMAX to an NMSE of 20, as in the paper, the longer "
    "ones to 22; on bank32nh the shorter ones lead nowhere. With 15 evaluations an iteration the "
    "likelihood at a basis of 500 fits too closely: ADAPT-INFO then has an NMSE of 42 on house8l "
    "and of 50 on house16h. On bank8fm eight iterations instead of four lower it by 0.03. "
    "FIXED-SB has the better of two optima on 2,000 rows; on house8l, whose targets go far, the "
    "first one alone is the better model (44.8 on five partitions), and both become worse if they "
    "are searched for until nothing improves (47 and 50 instead of 43 and 48 on the first "
)


def section_kc_figure1(results: Path, images: Path) -> str:
    title = "## KC figure 1: five selections on kin40k, fixed hyperparameters"
    records = where(read_records(results, "kc_figure1"), set="kin40k")
    if not records:
        return f"{title}\n\n{missing('kc_figure1')}"
    plot_kc_figure1(records, images / "kc_figure1.png")
    tables = [
        f"**{text}**\n\n{_by_size(records, measure, digits)}"
        for measure, text, digits in (
            ("nmse", "NMSE", 2),
            ("nlpd", "NLPD, standardised target", 3),
            ("seconds", "CPU seconds, selection and final pass", 2),
        )
    ]
    return "\n\n".join(
        [
            title,
            f"10,000 training and 30,000 test rows, {partitions(records)}. The paper has no "
            "table, only the figure, so what it says of it is compared.",
            "![NMSE, NLPD and CPU time of five selections](images/kc_figure1.png)",
            list_of(claims_of_kc_figure1(records)),
            *tables,
        ]
    )


def _by_size(records: Sequence[Record], measure: str, digits: int) -> str:
    total = [r | {"seconds": r["selection_seconds"] + r["final_pass_seconds"]} for r in records]
    methods = list(dict.fromkeys(r["method"] for r in total))
    rows = []
    for size in sorted({r["d_max"] for r in total}):
        samples = by_method(where(total, d_max=size), measure)
        found = [summarise(samples[method].values()) for method in methods]
        rows.append([str(size), *(plus_minus(s.mean, s.sd, digits) for s in found)])
    return markdown_table(["d_max", *methods], rows)


def section_kc_table1(results: Path, _: Path) -> str:
    title = "## KC table 1: adaptation with 500 basis vectors"
    records = [r for r in read_records(results, "kc_table1") if r["set"] in KC_TABLE_1]
    if not records:
        return f"{title}\n\n{missing('kc_table1')}"
    claims = list_of(claims_of_kc_table1(records))
    table = compared(records, KC_TABLE_1, RANK_SUM)
    return "\n\n".join([title, claims, REMARK_ON_KC_TABLE, table])


def section_sks_tables(results: Path, _: Path) -> str:
    records = read_records(results, "sks_tables")
    parts = ["## SKS tables 2 to 5: five criteria and the automatic size"]
    if records:
        parts += [list_of(claims_of_sks_tables(records)), REMARK_ON_SKS_TABLES]
    for table, title, published in (
        ("fixed", "Tables 2 and 3, left: fixed hyperparameters, no cache", SKS_FIXED),
        ("cached", "Tables 2 and 3, right: fixed hyperparameters, cache", SKS_CACHED),
        ("adapted", "Tables 4 and 5: adapted hyperparameters", SKS_ADAPTED),
    ):
        found = where(records, table=table)
        body = compared(found, published, PAIRED_T) if found else None
        parts.append(f"### {title}\n\n{body or missing(f'sks_tables --tables {table}')}")
    return "\n\n".join(parts)


def section_sks_figure1(results: Path, images: Path) -> str:
    title = "## SKS figure 1: the measures on Friedman 3"
    records = where(read_records(results, "sks_figure1"), set="friedman3")
    if not records:
        return f"{title}\n\n{missing('sks_figure1')}"
    plot_sks_figure1(records, images / "sks_figure1.png")
    return "\n\n".join(
        [
            title,
            "![Five measures against the number of basis vectors](images/sks_figure1.png)",
            list_of(claims_of_sks_figure1(records)),
        ]
    )


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


#: The sections of three pages, in order.
OURS = (section_ours,)
KEERTHI_CHU = (section_kc_figure1, section_kc_table1)
PREDICTIVE_APPROACHES = (section_sks_tables, section_sks_figure1)
