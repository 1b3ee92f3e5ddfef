"""The tables of the page: the time to reach a peer, and all methods on every set."""

from collections.abc import Sequence
from typing import Any

from benchmarks.peers.reached import (
    AS_FAST,
    DEFAULTS,
    Race,
    best_try,
    is_ours,
    ladder,
    measures_of,
    methods,
    race,
    races,
)
from benchmarks.peers.registry import (
    CLASSIFICATION,
    DISCRETE,
    OURS_PLAIN,
    REGRESSION,
    SGPR,
    SVGP,
)
from benchmarks.reproduce.comparison import markdown_table
from benchmarks.reproduce.experiment import where

__all__ = ["figure", "section_all", "section_races"]

Record = dict[str, Any]

TENTH, THIRD = 1 / 10, 1 / 3
COVERED = (0.92, 0.97)
COLUMNS = {  # measure: heading and digits
    "nmse": ("NMSE", 2),
    "rmse": ("RMSE", 4),
    "nlpd": ("NLPD", 3),
    "coverage": ("covered", 3),
    "error": ("error", 2),
    "nlp": ("NLP", 4),
    "fit_seconds": ("fit s", 1),
    "predict_seconds": ("predict s", 2),
    "peak_mb": ("MB", 0),
}
#: Rungs of our ladder that have a line in the tables of all; the plots have the others.
SHOWN_RUNGS, SHOWN_LIMITS = (80, 320, 500, 1500), (1.0, 4.0, 16.0)


def figure(value: float, digits: int) -> str:
    """Return a number as the page writes it.

    >>> figure(-1.25, 1), figure(1234.5, 0)
    ('−1.2', '1,234')
    """
    return f"{value:,.{digits}f}".replace("-", "−")


def section_races(records: Sequence[Record]) -> str:
    """Return the two tables that our claim of speed stands on."""
    targets = races(records, (SGPR, SVGP), REGRESSION)
    labels = races(records, (SVGP,), CLASSIFICATION)
    parts = ["## Time to reach a sparse Gaussian process that is optimised by gradients"]
    if targets:
        by_default, plain = (
            races(records, (SGPR, SVGP), REGRESSION, ours) for ours in (DEFAULTS, (OURS_PLAIN,))
        )
        parts += [
            "GPyTorch's SGPR: 500 inducing inputs, 100 steps of Adam, the better of its own "
            "start and "
            "length scales of √D, denormals flushed. Where it does not finish, SVGP stands in: on "
            "houseelectric, if that has run, with 1,024 inducing inputs and 3 epochs, beside one "
            "fit of ours (`python -m benchmarks.scale.houseelectric`). Ours is the quickest fit "
            "that is as good by both measures, of those with defaults (by the number of basis "
            "vectors or by a time limit) and of plain ones, which leave the target as it is: "
            "defaults warp a skewed target, for better densities and sometimes larger errors.",
            _table_of_races(targets),
            f"NLPD and RMSE are {_verdict(targets)}.",
            f"With defaults alone they are {_verdict(by_default)}.",
            f"With plain settings alone they are {_verdict(plain)}." if plain else "",
            _coverage(records),
        ]
    if labels:
        parts += [
            "GPyTorch's SVGP on labels: 320 inducing inputs, 100 epochs.",
            _table_of_races(labels),
            f"NLP is {_verdict(labels)}.",
        ]
    if any(entry.uneven for entry in (*targets, *labels)):
        parts.append(
            f"† A matrix product was more than {AS_FAST} times as fast beside one of the two "
            f"runs as "
            "beside the other: the ratio is not to be trusted."
        )
    if not targets and not labels:
        parts.append("Not run yet: `python -m benchmarks.peers`.")
    return "\n\n".join(part for part in parts if part)


def _verdict(found: Sequence[Race]) -> str:
    ratios = [entry.ratio for entry in found if entry.ratio is not None]
    tenth, third = (sum(ratio <= most for ratio in ratios) for most in (TENTH, THIRD))
    return (
        f"reached on {len(ratios)} of {len(found)} splits; in at most a tenth of its time on "
        f"{tenth}, "
        f"in at most a third on {third}"
    )


def _coverage(records: Sequence[Record]) -> str:
    """Return what is said of our 95 % intervals at the largest basis."""
    low, high = COVERED
    ends = [
        ladder(where(records, set=name, partition=k))[-1:]
        for name in REGRESSION
        if name not in DISCRETE
        for k in sorted({r["partition"] for r in where(records, set=name)})
    ]
    within = [low <= end[0]["coverage"] <= high for end in ends if end]
    return (
        f"Our 95 % intervals at the largest basis cover 92 to 97 % of the targets in "
        f"{sum(within)} of "
        f"{len(within)} splits, sets of discrete targets ({', '.join(DISCRETE)}) left out."
    )


def _table_of_races(found: Sequence[Race]) -> str:
    measures = measures_of(found[0].peer["set"])
    names = [COLUMNS[m][0] for m in measures]
    theirs = [f"its {name}" for name in names]
    ours = [f"our {name}" for name in names]
    header = ["set", "rows", "peer", *theirs, "its s", "our fit", *ours, "our s", "our s / its s"]
    header.append("larger ones as good")
    lines = []
    for entry in found:
        peer, own = entry.peer, entry.ours
        left = [peer["set"], f"{peer['n_training']:,}", peer["method"], *_numbers(peer, measures)]
        left.append(figure(peer["fit_seconds"], 1))
        if own is None or entry.ratio is None:
            right = ["**not reached**", *[""] * (len(measures) + 3)]
        else:
            right = [_rung(own), *_numbers(own, measures), figure(own["fit_seconds"], 1)]
            marks = (" ✗" if entry.ratio > THIRD else "") + (" †" if entry.uneven else "")
            right += [f"{entry.ratio:.3f}{marks}", "{} of {}".format(*entry.larger)]
        lines.append([*left, *right])
    return markdown_table(header, lines)


def _numbers(record: Record, measures: Sequence[str]) -> list[str]:
    return [figure(record[measure], COLUMNS[measure][1]) for measure in measures]


# ------------------------------------------------------------------ all methods


def section_all(records: Sequence[Record]) -> str:
    """Return a table for each set, of the first split."""
    parts = ["## All methods on every set"]
    for name in (*REGRESSION, *CLASSIFICATION):
        of_split = where(records, set=name, partition=0)
        if of_split:
            parts.append(f"### {name}\n\n{_table_of_set(name, of_split)}")
    if len(parts) == 1:
        parts.append("Not run yet: `python -m benchmarks.peers`.")
    return "\n\n".join(parts)


def _table_of_set(name: str, records: Sequence[Record]) -> str:
    classes = name in CLASSIFICATION
    own = ("error", "nlp") if classes else ("nmse", "rmse", "nlpd", "coverage")
    measures = (*own, "fit_seconds", "predict_seconds", "peak_mb")
    header = ["method", *(COLUMNS[m][0] for m in measures), "to reach it"]
    lines = []
    for method in methods(records):
        if is_ours(method):
            rungs = [r for r in ladder(records, method) if _shown(r)]
            lines += [[f"sparsegp, {_rung(r)}", *_numbers(r, measures), ""] for r in rungs]
            continue
        best = best_try(records, method)
        if best is None:
            reason = where(records, method=method)[-1]["failed"]
            lines.append([method, _cell(reason), *[""] * len(measures)])
        else:
            lines.append([method, *_numbers(best, measures), _reach(records, method)])
    return markdown_table(header, lines)


def _reach(records: Sequence[Record], method: str) -> str:
    entry = race(records, method)
    if entry is None:
        return ""
    return "not reached" if entry.ours is None else f"{figure(entry.ours['fit_seconds'], 1)} s"


def _rung(record: Record) -> str:
    """Return what one of our fits was asked for."""
    settings = record["settings"]
    if "time_limit" in settings:
        return f"limit {settings['time_limit']:g} s"
    plain = ", plain" if record["method"] == OURS_PLAIN else ""
    return f"{settings['max_basis']}{plain}"


def _shown(record: Record) -> bool:
    settings = record["settings"]
    if "time_limit" in settings:
        return settings["time_limit"] in SHOWN_LIMITS
    return settings["max_basis"] in SHOWN_RUNGS


def _cell(text: str) -> str:
    """Return a message that does not break a table."""
    return text.replace("|", "/").replace("\n", " ")
