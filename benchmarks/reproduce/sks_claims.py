"""What SKS say about their results, in sections 5 and 6 of the paper, held against ours."""

from collections.abc import Sequence

import numpy as np

from benchmarks.reproduce.claims import Claim, Means, below, means, significantly_below
from benchmarks.reproduce.experiment import Record, paired_t_p, summarise, where

__all__ = ["claims_of_sks_figure1", "claims_of_sks_figures", "claims_of_sks_tables"]

LEAVE_ONE_OUT = ("LOO-CVE", "NLGPP", "GPE")
OTHERS = ("NLPP", "NLML", "LOO-CVE", "GPE")
FRIEDMAN = ("friedman2", "friedman3")
LEVEL = 0.05
#: How near "about", "closely" and "minor" are taken to be.
ABOUT_A_TENTH = 0.15
CLOSELY = 0.1  # nats
MINOR = 0.02  # of the mean
TWO_TO_THREE = (1.5, 4.0)


# ------------------------------------------------------------------ tables 2 to 5


def claims_of_sks_tables(records: Sequence[Record]) -> list[Claim]:
    found = {table: where(records, table=table) for table in ("fixed", "cached", "adapted")}
    return [
        *_claims_at_fixed_parameters(found["fixed"]),
        *_claims_of_caches(found["fixed"], found["cached"]),
        *_claims_of_adaptation(found["fixed"], found["adapted"]),
    ]


def _claims_at_fixed_parameters(records: Sequence[Record]) -> list[Claim]:
    nlpd, nmse = means(records, "nlpd", "set"), means(records, "nmse", "set")
    size = means(records, "n_basis", "set")
    lowest = below(nlpd, "NLGPP", *OTHERS)
    beaten = [
        significantly_below(records, "nlpd", "NLGPP", [other], paired_t_p, LEVEL, list(nlpd))
        for other in OTHERS
    ]
    five = ("boston", "abalone", "bank8fm", "bank32nh", "cpuact")
    return [
        Claim(
            "“The NLGPP algorithm gives the best average NPDL performance on six datasets” "
            "(without cache; all but Friedman's)",
            {name: holds for name, holds in lowest.items() if name not in FRIEDMAN},
        ),
        Claim(
            "“In five cases the results are statistically significant” (all but cpusmall; some "
            "other method is significantly worse)",
            {
                name: any(by_other.get(name, False) for by_other in beaten)
                for name in five
                if name in beaten[0]
            },
            untested="fewer than five partitions",
        ),
        Claim(
            "“In terms of NMSE performance it gives best average performance only in the case of "
            "Abalone dataset”",
            {
                name: holds == (name == "abalone")
                for name, holds in below(nmse, "NLGPP", *OTHERS).items()
            },
        ),
        Claim(
            "“The LOO-CVE algorithm gives better average NPDL performance compared to the NLML "
            "algorithm for Boston housing, Abalone, Friedman2 and bank32NH”",
            below(nlpd, "LOO-CVE", "NLML", cases=("boston", "abalone", "friedman2", "bank32nh")),
        ),
        Claim(
            "“Further, it requires lesser number of basis vectors on bank8FM, cpusmall and cpuact”",
            below(size, "LOO-CVE", "NLML", cases=("bank8fm", "cpusmall", "cpuact")),
        ),
        Claim(
            "“Among the LOO-CV based measures, the GPE measure minimization results in the highest "
            "number of basis vectors”",
            {
                name: row["GPE"] >= max(row["LOO-CVE"], row["NLGPP"])
                for name, row in size.items()
                if set(LEAVE_ONE_OUT) <= row.keys()
            },
        ),
    ]


def _in_both(a: Sequence[Record], b: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """Return the records of two tables on the partitions that a method has seen in both."""

    def key(record: Record) -> tuple[str, str, int]:
        return record["set"], record["method"], record["partition"]

    common = {key(r) for r in a} & {key(r) for r in b}
    first, second = ([r for r in some if key(r) in common] for some in (a, b))
    return first, second


def _claims_of_caches(without: Sequence[Record], cached: Sequence[Record]) -> list[Claim]:
    without, cached = _in_both(without, cached)
    before, after = means(without, "n_basis", "set"), means(cached, "n_basis", "set")
    fewer = {
        f"{method} on {name}": after[name][method] < before[name][method]
        for name in after
        if name in before
        for method in after[name]
        if method != "NLPP" and method in before[name]
    }
    return [
        Claim(
            "With a cache “the NLGPP algorithm again gives excellent average NPDL performance over "
            "all the datasets” (here: the lowest)",
            below(means(cached, "nlpd", "set"), "NLGPP", *OTHERS),
        ),
        Claim(
            "“The average number of basis vectors used by all the algorithms is less compared to "
            "their respective results without cache implementation except in only one case” (the "
            "paper's tables have two: NLML and NLGPP on Abalone)",
            fewer,
        ),
    ]


def _claims_of_adaptation(fixed: Sequence[Record], adapted: Sequence[Record]) -> list[Claim]:
    fixed, adapted = _in_both(fixed, adapted)
    before = {m: means(fixed, m, "set") for m in ("nmse", "nlpd")}
    after = {m: means(adapted, m, "set") for m in ("nmse", "nlpd")}

    def lower(
        measure: str, sets: Sequence[str], methods: Sequence[str], slack: float = 0.0
    ) -> dict:
        return {
            f"{measure.upper()} of {method} on {name}": new <= old + slack * abs(old)
            for name in sets
            for method in methods
            if (old := before[measure].get(name, {}).get(method)) is not None
            and (new := after[measure].get(name, {}).get(method)) is not None
        }

    every = (*OTHERS, "NLGPP")
    worse = lower("nmse", FRIEDMAN, ("NLPP", "NLML"))
    return [
        Claim(
            "On Boston and Abalone “we see improved generalization performances of all algorithms "
            "except for minor variations in the NMSE performances on Abalone” (here: 2 %)",
            lower("nmse", ("boston",), every)
            | lower("nlpd", ("boston", "abalone"), every)
            | lower("nmse", ("abalone",), every, MINOR),
        ),
        Claim(
            "On Friedman's sets “we see slight degradation in the performances of NLPP and NLML”",
            {case: not holds for case, holds in worse.items()},
        ),
        Claim(
            "There “the performances of all LOO-CV based algorithms have improved significantly” "
            "(here: lower means)",
            lower("nmse", FRIEDMAN, LEAVE_ONE_OUT),
        ),
        Claim(
            "With adaptation “as earlier the NLGPP algorithm gives excellent NPDL performance” "
            "(here: the lowest; in the paper on three of six sets)",
            below(after["nlpd"], "NLGPP", *OTHERS),
        ),
    ]


# ------------------------------------------------------------------ figures


def claims_of_sks_figure1(records: Sequence[Record]) -> list[Claim]:
    turning, spread = {}, {}
    for method in dict.fromkeys(r["method"] for r in records):
        found = where(records, method=method)
        curves = [np.asarray(r["curve"]) for r in found]
        turning[method] = all(curve.argmin() < len(curve) - 1 for curve in curves)
        sizes = np.array([r["n_basis"] for r in found if r["adaptation"]])
        if len(sizes) > 1:
            spread[method] = float(np.std(sizes) / np.mean(sizes))
    automatic = {method: turns for method, turns in turning.items() if method != "NLPP"}
    near = {m: value <= ABOUT_A_TENTH for m, value in spread.items() if m != "NLPP"}
    return [
        Claim(
            "“After a certain number of basis vectors are added, the measures start increasing”",
            automatic,
        ),
        Claim(
            "“This may not be the case with the NLPP measure”",
            {"NLPP": not turning["NLPP"]} if "NLPP" in turning else {},
        ),
        Claim(
            "“The optimal number of basis vectors shows some variation as we optimize over "
            "hyperparameters”, “only about 10 %” (here: a deviation of at most 15 %)",
            near,
            ", ".join(f"{m} {100 * spread[m]:.0f} %" for m in near) + "." if near else "",
        ),
    ]


def claims_of_sks_figures(records: Sequence[Record]) -> list[Claim]:
    """Return what the paper says of its figures 2 to 4 and of times."""
    nlpd, nmse = _ends(records, "nlpd_curve"), _ends(records, "nmse_curve")
    early = _ends(records, "nlpd_curve", first=True)
    return [
        Claim(
            "“The NLGPP algorithm gives excellent NPDL performance” (here: the lowest at the end "
            "of the curves)",
            below(nlpd, "NLGPP", *OTHERS),
        ),
        Claim(
            "“The GPE algorithm closely follows the NLGPP algorithm in the initial iterations” "
            f"(here: NLPD within {CLOSELY:g} at the smallest size) “but the NLGPP algorithm "
            "outperforms as the iterations progress”",
            {
                name: abs(row["GPE"] - row["NLGPP"]) <= CLOSELY
                and nlpd[name]["NLGPP"] <= nlpd[name]["GPE"]
                for name, row in early.items()
            },
        ),
        Claim(
            "NLGPP “gives inferior [NMSE] performance on the Boston housing and Friedman2 "
            "datasets” (here: the highest at the end)",
            {
                name: row["NLGPP"] >= max(row.values())
                for name, row in nmse.items()
                if name in ("boston", "friedman2")
            },
        ),
        _claim_of_times(records),
    ]


def _ends(records: Sequence[Record], curve: str, *, first: bool = False) -> Means:
    """Return the mean of a curve where it ends, or begins: set → method → mean."""
    at = 0 if first else -1
    return means([r | {"value": r[curve][at]} for r in records], "value", "set")


def _claim_of_times(records: Sequence[Record]) -> Claim:
    seconds = _ends(records, "selection_seconds")
    ratios = {
        f"{method} on {name}": row[method] / summarise((row["NLPP"], row["NLML"])).mean
        for name, row in seconds.items()
        for method in LEAVE_ONE_OUT
        if {"NLPP", "NLML", method} <= row.keys()
    }
    low, high = TWO_TO_THREE
    text = (
        "“The actual computational time … of the proposed algorithms are about 2 to 3 times higher "
        f"than those of the NLML and NLPP algorithms” (here: {low:g} to {high:g} times, for equal "
        "numbers of basis vectors)"
    )
    figures = (
        f"They take {min(ratios.values()):.2g} to {max(ratios.values()):.2g} times as long."
        if ratios
        else ""
    )
    return Claim(text, {case: low <= r <= high for case, r in ratios.items()}, figures)
