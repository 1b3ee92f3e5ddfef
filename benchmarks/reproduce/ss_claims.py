"""What SS say about their results, held against ours.

One method beats another on a set if its mean is lower and Wilcoxon's signed rank test over the
partitions says so at 0.05; it is within noise of another if the other does not beat it. Cases with
so few partitions that nothing can be significant are left out. Over the six sets Friedman's test
and that of Bonferroni and Dunn decide.
"""

from collections.abc import Iterable, Sequence

from benchmarks.datasets import CLASS_SETS
from benchmarks.reproduce.claims import Claim, means
from benchmarks.reproduce.experiment import FRESH, Record, by_method, summarise, where
from benchmarks.reproduce.significance import Ranking, rank_methods, signed_rank_p
from benchmarks.reproduce.ss_published import FRIEDMAN_P

__all__ = [
    "beats",
    "claims_of_figure2",
    "claims_of_figure3_left",
    "claims_of_figure3_right",
    "rankings",
]

LEVEL = 0.05
FEWEST_PAIRS = 6  # p is 2/2⁵ at least if there are five
LEVEL_OF_DUNN = 0.1
TIMES_FASTER = 5.0
ALMOST_SAME = 1.5

PROPOSED = "adaptive2"
RIVALS = ("entropy", "information_gain")
#: The methods that SS rank over the sets.
RANKED = (PROPOSED, "validation", *RIVALS)
DIFFICULT = ("banana", "waveform", "splice")
EASY = ("twonorm", "ringnorm")
NAMES = {"error": "error", "nlp": "NLP"}


def pairs(
    records: Iterable[Record], measure: str, better: str, other: str
) -> tuple[list[float], list[float]]:
    """Return the values of two methods on the partitions that both have seen, if those suffice."""
    samples = by_method(records, measure)
    ours, theirs = samples.get(better, {}), samples.get(other, {})
    common = sorted(ours.keys() & theirs.keys())
    if len(common) < FEWEST_PAIRS:
        return [], []
    return [ours[k] for k in common], [theirs[k] for k in common]


def beats(ours: Sequence[float], theirs: Sequence[float]) -> bool:
    """Tell whether one method has significantly lower values than another."""
    lower = summarise(ours).mean < summarise(theirs).mean
    return lower and signed_rank_p(ours, theirs) < LEVEL


def cases_of(
    records: Iterable[Record], sets: Iterable[str] | None = None
) -> dict[str, list[Record]]:
    """Return the records of each set and d_max, by a name for the pair."""
    found: dict[str, list[Record]] = {}
    for r in records:
        if sets is None or r["set"] in sets:
            found.setdefault(f"{r['set']} {r['d_max']}", []).append(r)
    return found


def claim_of_beating(
    text: str, cases: dict[str, list[Record]], measures: Sequence[str], better: str, *others: str
) -> Claim:
    """Return the claim that one method beats others, with how often its mean is lower at all."""
    verdicts, lower = {}, []
    for case, found in cases.items():
        compared = [pairs(found, measure, better, o) for o in others for measure in measures]
        compared = [(ours, theirs) for ours, theirs in compared if ours]
        if compared:
            verdicts[case] = all(beats(ours, theirs) for ours, theirs in compared)
            lower.append(all(summarise(a).mean < summarise(b).mean for a, b in compared))
    figures = f"Lower means, significant or not: {sum(lower)} of {len(lower)}."
    return Claim(text, verdicts, figures)


# ------------------------------------------------------------------ figure 2


def claims_of_figure2(records: Sequence[Record]) -> list[Claim]:
    cases = {}
    for name in dict.fromkeys(r["set"] for r in records):
        for measure, title in NAMES.items():
            found = pairs(
                where(records, set=name), f"test_{measure}", "moment_matching", "predictive_loss"
            )
            if found[0]:
                cases[f"{title} on {name}"] = signed_rank_p(*found) >= LEVEL
    return [
        Claim(
            "“Statistical analysis showed that the performance differences were not significant”, "
            "test rows",
            cases,
        )
    ]


# ------------------------------------------------------------------ figure 3, left


def claims_of_figure3_left(records: Sequence[Record]) -> list[Claim]:
    cases = cases_of(records)
    lower = {}
    for case, found in cases.items():
        for kappa, row in means(found, "nlp", "kappa").items():
            if kappa < FRESH and row.keys() >= {"adaptive", "random"}:
                lower[f"{case} κ = {kappa}"] = row["adaptive"] < row["random"]
    return [
        claim_of_beating(
            "“The adaptive sampling method consistently performed better across all the datasets, "
            "particularly with respect to the NLP loss measure” (here: κ = 2, two of the six sets)",
            {case: where(found, kappa=2) for case, found in cases.items()},
            ["nlp"],
            "adaptive",
            "random",
        ),
        Claim(
            "Figure 3: adaptive sampling has a lower mean NLP than random sampling at every κ < 59",
            lower,
        ),
        Claim(
            "“The performance difference reduces as the working set size κ increases” (2 to 59)",
            {case: s for case, found in cases.items() if (s := _shrinks(found)) is not None},
        ),
        Claim(
            "“κ value of 2 is sufficient for the adaptive sampling method to get similar NLP "
            "generalization performance as the validation based method” (here: within noise)",
            {
                case: s
                for case, found in cases.items()
                if (s := _near_validation(found)) is not None
            },
        ),
    ]


def _shrinks(records: Sequence[Record]) -> bool | None:
    """Tell whether random and adaptive are closer at κ = 59 than at 2; None if not run."""
    gap = []
    for kappa in (2, FRESH):
        ours, theirs = pairs(where(records, kappa=kappa), "nlp", "adaptive", "random")
        if not ours:
            return None
        gap.append(summarise(theirs).mean - summarise(ours).mean)
    return abs(gap[1]) < abs(gap[0])


def _near_validation(records: Sequence[Record]) -> bool | None:
    found = [*where(records, method="adaptive", kappa=2), *where(records, method="validation")]
    ours, theirs = pairs(found, "nlp", "adaptive", "validation")
    return not beats(theirs, ours) if ours else None


# ------------------------------------------------------------------ figure 3, right


def claims_of_figure3_right(records: Sequence[Record]) -> list[Claim]:
    return [
        *_claims_beside_rivals(records),
        *_claims_between_rivals(records),
        *_claims_beside_validation(records),
        *_claims_over_sets(records),
    ]


def _claims_beside_rivals(records: Sequence[Record]) -> list[Claim]:
    """Return where the proposed method is said to beat entropy and information gain."""
    return [
        claim_of_beating(
            "“Better test set error and NLP performance of the proposed method [here: κ = 2] over "
            "the entropy and information gain based methods on almost all the datasets”",
            cases_of(records),
            ["error", "nlp"],
            PROPOSED,
            *RIVALS,
        ),
        claim_of_beating(
            "“The proposed method performed better on difficult datasets like Banana, Waveform and "
            "Splice for all values of d_max with respect to both the measures”",
            cases_of(records, DIFFICULT),
            ["error", "nlp"],
            PROPOSED,
            *RIVALS,
        ),
        claim_of_beating(
            "“On Twonorm and Ringnorm datasets it performed better w.r.t. the NLP loss measure for "
            "all the values of d_max”",
            cases_of(records, EASY),
            ["nlp"],
            PROPOSED,
            *RIVALS,
        ),
        claim_of_beating(
            "“It performed better than the entropy based method on the Ringnorm dataset for all "
            "values of d_max w.r.t. the test set error”",
            cases_of(records, ["ringnorm"]),
            ["error"],
            PROPOSED,
            "entropy",
        ),
    ]


def _claims_between_rivals(records: Sequence[Record]) -> list[Claim]:
    """Return what is said of entropy and information gain themselves."""
    tiny = [r for r in records if r["d_max"] <= 80]
    return [
        claim_of_beating(
            "“The information gain based method performed better than the entropy based method on "
            "the Banana, Waveform and Ringnorm datasets”",
            cases_of(records, ("banana", "waveform", "ringnorm")),
            ["error", "nlp"],
            "information_gain",
            "entropy",
        ),
        claim_of_beating(
            "“The entropy based method performed better than the information gain based method "
            "w.r.t. the test set error in the case of Twonorm dataset”",
            cases_of(records, ["twonorm"]),
            ["error"],
            "entropy",
            "information_gain",
        ),
        Claim(
            "“The entropy based method performed better than all the methods at lower values of "
            "d_max on the Image dataset” (here: the lowest mean at 40 and 80)",
            {
                f"{NAMES[measure]} {size}": min(row, key=row.__getitem__) == "entropy"
                for measure in NAMES
                for size, row in means(where(tiny, set="image"), measure, "d_max").items()
                if "entropy" in row and len(row) > 1
            },
        ),
    ]


def _claims_beside_validation(records: Sequence[Record]) -> list[Claim]:
    """Return the claims that the proposed method is about as good, and five times as fast."""
    tiny = [r for r in records if r["d_max"] <= 80]
    near, fast, ratios = {}, {}, []
    for case, found in cases_of(records).items():
        ours, theirs = pairs(found, "nlp", PROPOSED, "validation")
        if not ours:
            continue
        near[case] = not beats(theirs, ours)
        seconds, longer = pairs(found, "inner_loop_seconds", PROPOSED, "validation")
        ratios.append(summarise(longer).mean / max(summarise(seconds).mean, 1e-9))
        fast[case] = ratios[-1] >= TIMES_FASTER
    figures = f"{min(ratios):.1f} to {max(ratios):.1f} times (paper: about 5)." if ratios else ""
    return [
        claim_of_beating(
            "“The validation based method performed better w.r.t. the test set error at lower "
            "values of d_max (40 and 80)” than adaptive sampling, κ = 2",
            cases_of(tiny),
            ["error"],
            "validation",
            PROPOSED,
        ),
        Claim("Adaptive, κ = 2, is within noise of validation in NLP (figure 3)", near),
        Claim(
            "“The proposed method was 5 times faster than the validation based method on almost "
            "all the datasets”",
            fast,
            figures,
        ),
        Claim(
            "“Except for the validation based method, all the methods required almost the same "
            f"computational time” (here: κ = 1 and entropy within a factor of {ALMOST_SAME:g})",
            _same_times(records),
        ),
    ]


def _same_times(records: Sequence[Record]) -> dict[str, bool]:
    """Tell for each case whether adaptive sampling, κ = 1, is about as fast as entropy."""
    found = {}
    for case, some in cases_of(records).items():
        ours, theirs = pairs(some, "inner_loop_seconds", "adaptive1", "entropy")
        if ours:
            ratio = summarise(ours).mean / max(summarise(theirs).mean, 1e-9)
            found[case] = 1.0 / ALMOST_SAME <= ratio <= ALMOST_SAME
    return found


def rankings(records: Sequence[Record], measure: str) -> dict[int, Ranking]:
    """Return for each d_max the average ranks of four methods, if all six sets have them."""
    found = {}
    for size in sorted({r["d_max"] for r in records}):
        table = means(where(records, d_max=size), measure, "set")
        whole = {
            name: {method: row[method] for method in RANKED}
            for name, row in table.items()
            if row.keys() >= set(RANKED)
        }
        if whole.keys() >= CLASS_SETS.keys():
            found[size] = rank_methods(whole)
    return found


def _claims_over_sets(records: Sequence[Record]) -> list[Claim]:
    ranked = {measure: rankings(records, measure) for measure in NAMES}
    agree = {
        f"{NAMES[measure]} {size}": (ranking.p < LEVEL) == (FRIEDMAN_P[measure][size] < LEVEL)
        for measure, by_size in ranked.items()
        for size, ranking in by_size.items()
        if size in FRIEDMAN_P[measure]
    }
    like_validation = {
        f"{NAMES[measure]} {size}": not ranking.differs(PROPOSED, "validation", LEVEL_OF_DUNN)
        for measure, by_size in ranked.items()
        for size, ranking in by_size.items()
    }
    return [
        Claim(
            "Friedman's test at 0.05 says what it says in the paper: methods differ, but not at "
            "d_max = 320",
            agree,
        ),
        Claim(
            "By Bonferroni and Dunn's test at 0.1 adaptive, κ = 2, and validation do not differ",
            like_validation,
        ),
        Claim(
            "By the same test adaptive, κ = 2, differs from entropy and information gain in NLP at "
            "d_max = 40 and 80",
            {
                f"{rival.replace('_', ' ')} {size}": ranking.differs(PROPOSED, rival, LEVEL_OF_DUNN)
                and ranking.ranks[PROPOSED] < ranking.ranks[rival]
                for size, ranking in ranked["nlp"].items()
                if size <= 80
                for rival in RIVALS
            },
        ),
        Claim(
            "By the same test at 0.05 they do not differ in error",
            {
                f"{rival.replace('_', ' ')} {size}": not ranking.differs(PROPOSED, rival, LEVEL)
                for size, ranking in ranked["error"].items()
                for rival in RIVALS
            },
        ),
        Claim(
            "The p-value of Friedman's test is larger at the largest d_max than at the smallest",
            {
                NAMES[measure]: by_size[max(by_size)].p > by_size[min(by_size)].p
                for measure, by_size in ranked.items()
                if len(by_size) > 1
            },
        ),
    ]
