"""What the papers say about their results, held against ours.

A claim is a sentence of a paper, in its own words where it has quotation marks, and the cases it
speaks of: sizes, sets, methods. In each case it is confirmed or refuted by the means over our
partitions, or by the paper's own test; where we have nothing to compare it is untested, and the
page says why.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.reproduce.experiment import (
    Record,
    by_method,
    on_shared_partitions,
    summarise,
    where,
)

__all__ = ["Claim", "Means", "below", "claims_page", "list_of", "means", "significantly_below"]

Means = Mapping[Any, Mapping[str, float]]  # case → method → mean
#: With fewer partitions in common no test is significant.
FEWEST_PAIRS = 5


@dataclass(frozen=True)
class Claim:
    """A sentence, and for each case whether it is confirmed there."""

    text: str
    cases: Mapping[str, bool]
    figures: str = ""  # numbers that belong to it
    untested: str = ""  # why there are no cases

    @property
    def verdict(self) -> str:
        """Say in a word or three what became of it."""
        if not self.cases:
            return "untested"
        held = sum(self.cases.values())
        if held == len(self.cases):
            return "confirmed"
        return "confirmed in part" if held else "refuted"

    def __str__(self) -> str:
        if not self.cases:
            why = f" ({self.untested})" if self.untested else ""
            return f"{self.text}: **untested**{why}."
        failed = [case for case, holds in self.cases.items() if not holds]
        count = f"{len(self.cases) - len(failed)} of {len(self.cases)}"
        count += f"; not: {', '.join(failed)}" if failed else ""
        text = f"{self.text}: **{self.verdict}** ({count})."
        return f"{text} {self.figures}" if self.figures else text


def list_of(claims: Iterable[Claim]) -> str:
    """Return the claims as a list in markdown."""
    return "\n".join(f"- {claim}" for claim in claims)


def claims_page(claims: Sequence[Claim]) -> str:
    """Return the list under a line that counts the verdicts."""
    verdicts = [claim.verdict for claim in claims]
    words = ("confirmed", "confirmed in part", "refuted", "untested")
    said = ", ".join(f"{verdicts.count(word)} {word}" for word in words)
    count = f"{len(claims)} claim{'s' if len(claims) > 1 else ''}"
    return f"**What the paper says**, {count}: {said}.\n\n{list_of(claims)}"


def means(records: Iterable[Record], measure: str, by: str) -> dict[Any, dict[str, float]]:
    """Return the mean of a measure for each value of the field ``by`` and each method.

    Means are over the partitions that all methods of the case have seen.
    """
    records = list(records)
    samples = {
        case: on_shared_partitions(by_method(where(records, **{by: case}), measure))
        for case in dict.fromkeys(record[by] for record in records)
    }
    return {
        case: {method: summarise(values.values()).mean for method, values in of_case.items()}
        for case, of_case in samples.items()
    }


def below(table: Means, better: str, *others: str, cases: Iterable[Any] | None = None) -> dict:
    """Return for each case whether one method's mean is at most that of all others."""
    wanted = None if cases is None else set(cases)
    return {
        str(case): all(row[better] <= row[other] for other in others)
        for case, row in table.items()
        if (wanted is None or case in wanted) and {better, *others} <= row.keys()
    }


def significantly_below(
    records: Sequence[Record],
    measure: str,
    better: str,
    others: Sequence[str],
    p_value: Callable[[Sequence[float], Sequence[float]], float],
    level: float,
    sets: Iterable[str],
) -> dict[str, bool]:
    """Return for each set with enough partitions whether one method beats all others by a test."""
    found = {}
    for name in sets:
        samples = by_method(where(records, set=name), measure)
        if not {better, *others} <= samples.keys():
            continue
        common = sorted(set.intersection(*(set(samples[m]) for m in (better, *others))))
        if len(common) < FEWEST_PAIRS:
            continue
        ours = [samples[better][k] for k in common]
        found[name] = all(
            summarise(ours).mean < summarise(theirs).mean and p_value(ours, theirs) < level
            for theirs in ([samples[other][k] for k in common] for other in others)
        )
    return found
