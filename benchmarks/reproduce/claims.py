"""What the papers say about their results, held against ours.

A claim is a sentence and the cases it speaks of: sizes, sets, methods. It holds, or not, by
comparing means over partitions, and the page says where not.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Record, by_method, summarise, where

__all__ = [
    "Claim",
    "claims_of_kc_figure1",
    "claims_of_kc_table1",
    "claims_of_sks_figure1",
    "claims_of_sks_tables",
    "list_of",
    "means",
]

LARGE_SETS = ("calhouse", "house8l", "house16h")
LEAVE_ONE_OUT = ("LOO-CVE", "NLGPP", "GPE")

Means = Mapping[Any, Mapping[str, float]]  # case → method → mean


@dataclass(frozen=True)
class Claim:
    """A sentence, and for each case whether it holds there."""

    text: str
    cases: Mapping[str, bool]
    figures: str = ""  # numbers that belong to it

    def __str__(self) -> str:
        failed = [case for case, holds in self.cases.items() if not holds]
        count = f"{len(self.cases) - len(failed)} of {len(self.cases)}"
        verdict = f"**holds** ({count})"
        if failed:
            word = "**does not hold**" if len(failed) == len(self.cases) else "**holds in part**"
            verdict = f"{word} ({count}; not: {', '.join(failed)})"
        return f"{self.text}: {verdict}.{' ' + self.figures if self.figures else ''}"


def list_of(claims: Iterable[Claim]) -> str:
    """Return those claims that have cases, as a list in markdown."""
    return "\n".join(f"- {claim}" for claim in claims if claim.cases)


def means(records: Iterable[Record], measure: str, by: str) -> dict[Any, dict[str, float]]:
    """Return the mean of a measure for each value of the field ``by`` and each method."""
    records = list(records)
    return {
        case: {
            method: summarise(values.values()).mean
            for method, values in by_method(where(records, **{by: case}), measure).items()
        }
        for case in dict.fromkeys(record[by] for record in records)
    }


def below(table: Means, better: str, *others: str, cases: Iterable[Any] | None = None) -> dict:
    """Return for each case whether one method's mean is at most that of all others."""
    return {
        str(case): all(row[better] <= row[other] for other in others)
        for case, row in table.items()
        if (cases is None or case in cases) and {better, *others} <= row.keys()
    }


def claims_of_kc_figure1(records: list[Record]) -> list[Claim]:
    nmse, nlpd = means(records, "nmse", "d_max"), means(records, "nlpd", "d_max")
    greedy = ("KAPPA", "DMAX", "SB")
    better_than_info = {
        size: all(nmse[size][method] < nmse[size]["INFO"] for method in greedy) for size in nmse
    }
    sizes = {
        "small": [d for d in nmse if d < 600],
        "about 100": [d for d in nmse if d <= 100],
        "below 200": [d for d in nmse if d < 200],
    }
    return [
        Claim(
            "INFO has a worse NMSE than KAPPA, DMAX and SB below d_max = 600",
            {str(d): better_than_info[d] for d in sizes["small"]},
        ),
        Claim(
            "INFO has a worse NMSE than even RAND at d_max = 100",
            below(nmse, "RAND", "INFO", cases=sizes["about 100"]),
        ),
        Claim("DMAX has a lower NMSE than KAPPA at every d_max", below(nmse, "DMAX", "KAPPA")),
        Claim(
            "DMAX has a lower NMSE than SB below d_max = 200",
            below(nmse, "DMAX", "SB", cases=sizes["below 200"]),
        ),
        Claim("SB has a lower NMSE than KAPPA", below(nmse, "SB", "KAPPA")),
        Claim("INFO has a worse NLPD than RAND at every d_max", below(nlpd, "RAND", "INFO")),
        _claim_of_times(records),
    ]


def _claim_of_times(records: list[Record]) -> Claim:
    total = [r | {"seconds": r["selection_seconds"] + r["final_pass_seconds"]} for r in records]
    times = means(total, "seconds", "d_max")
    largest = max(times)
    ratio = {method: times[largest][method] / times[largest]["INFO"] for method in times[largest]}
    return Claim(
        "In CPU time INFO ≤ KAPPA ≤ DMAX ≤ SB",
        {
            str(d): row["INFO"] <= row["KAPPA"] <= row["DMAX"] <= row["SB"]
            for d, row in times.items()
        },
        f"At d_max = {largest} SB takes {ratio['SB']:.1f} times as long as INFO (paper: 60), "
        f"DMAX {ratio['DMAX']:.1f} times (paper: 3), KAPPA {ratio['KAPPA']:.1f} times.",
    )


def claims_of_kc_table1(records: list[Record]) -> list[Claim]:
    nmse, nlpd = means(records, "nmse", "set"), means(records, "nlpd", "set")
    others = ("ADAPT-INFO", "FIXED-SB")
    return [
        Claim(
            "ADAPT-DMAX has the lowest NLPD (paper: on all but bank32nh)",
            below(nlpd, "ADAPT-DMAX", *others, cases=set(nlpd) - {"bank32nh"}),
        ),
        Claim(
            "ADAPT-DMAX has a lower NMSE than ADAPT-INFO on the sets of 10,000 rows",
            below(nmse, "ADAPT-DMAX", "ADAPT-INFO", cases=LARGE_SETS),
        ),
        Claim(
            "ADAPT-DMAX has a lower NLPD than ADAPT-INFO on the sets of 10,000 rows",
            below(nlpd, "ADAPT-DMAX", "ADAPT-INFO", cases=LARGE_SETS),
        ),
    ]


def claims_of_sks_tables(records: list[Record]) -> list[Claim]:
    found = {table: where(records, table=table) for table in ("fixed", "cached", "adapted")}
    claims: list[Claim] = []
    if found["fixed"]:
        claims += _claims_at_fixed_parameters(found["fixed"])
    if found["fixed"] and found["cached"]:
        claims.append(_claim_of_caches(found["fixed"], found["cached"]))
    if found["adapted"]:
        nlpd = means(found["adapted"], "nlpd", "set")
        claims.append(
            Claim(
                "With adaptation NLGPP has the lowest NLPD (paper: on three of six sets)",
                below(nlpd, "NLGPP", *(nlpd_methods(nlpd) - {"NLGPP"})),
            )
        )
    if found["fixed"] and found["adapted"]:
        claims.append(_claim_of_adaptation(found["fixed"], found["adapted"]))
    return claims


def nlpd_methods(table: Means) -> set[str]:
    return {method for row in table.values() for method in row}


def _claims_at_fixed_parameters(records: list[Record]) -> list[Claim]:
    nlpd, size = means(records, "nlpd", "set"), means(records, "n_basis", "set")
    return [
        Claim(
            "NLGPP has the lowest NLPD (paper, without cache: on six of eight sets)",
            below(nlpd, "NLGPP", *(nlpd_methods(nlpd) - {"NLGPP"})),
        ),
        Claim(
            "LOO-CVE has a lower NLPD than NLML (paper: on these sets)",
            below(nlpd, "LOO-CVE", "NLML", cases=("boston", "abalone", "friedman2", "bank32nh")),
        ),
        Claim(
            "Of the leave-one-out measures GPE takes the most basis vectors",
            {name: row["GPE"] >= max(row["LOO-CVE"], row["NLGPP"]) for name, row in size.items()},
        ),
    ]


def _claim_of_caches(without: list[Record], cached: list[Record]) -> Claim:
    before, after = means(without, "n_basis", "set"), means(cached, "n_basis", "set")
    cases = {
        f"{method} on {name}": after[name][method] < before[name][method]
        for name in after
        if name in before
        for method in after[name]
        if method != "NLPP"
    }
    return Claim("With a cache fewer basis vectors are chosen (paper: but in one case)", cases)


def _claim_of_adaptation(fixed: list[Record], adapted: list[Record]) -> Claim:
    before, after = means(fixed, "nmse", "set"), means(adapted, "nmse", "set")
    cases = {
        f"{method} on {name}": after[name][method] < before[name][method]
        for name in ("friedman2", "friedman3")
        if name in before and name in after
        for method in LEAVE_ONE_OUT
    }
    return Claim("On Friedman's sets adaptation lowers the NMSE of leave-one-out measures", cases)


def claims_of_sks_figure1(records: list[Record]) -> list[Claim]:
    turning = {}
    for method in dict.fromkeys(r["method"] for r in records):
        curves = [np.asarray(r["curve"]) for r in where(records, method=method)]
        turning[method] = all(curve.argmin() < len(curve) - 1 for curve in curves)
    automatic = {method: turns for method, turns in turning.items() if method != "NLPP"}
    claims = [Claim("The measure falls and rises again", automatic)]
    if "NLPP" in turning:
        claims.append(Claim("NLPP does not turn", {"NLPP": not turning["NLPP"]}))
    return claims
