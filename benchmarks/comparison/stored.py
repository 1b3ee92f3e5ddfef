"""The records of the comparison: the newest of each fit, and means over splits."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.comparison.methods import METHODS
from benchmarks.comparison.ranks import Scores
from benchmarks.comparison.sets import SETS

__all__ = ["MEASURES", "comparable", "newest", "of_method", "scores_of"]

Record = Mapping[str, Any]
#: Measures of regressions, and of labels.
MEASURES = {False: ("rmse", "nlpd", "crps"), True: ("error", "nlp")}
#: A method is ranked if it has been tried on this share of the sets that we have.
SHARE_OF_SETS = 0.8
#: Our default with less time is no rival of its own: its ties would push all others down.
UNRANKED = ("sparsegp, 10 s",)


def newest(file: Path) -> list[Record]:
    """Return the newest record of each fit of whole tables, in the order of sets and methods."""
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    records = [record for record in map(json.loads, lines) if record["rows"] is None]
    found = {(r["set"], r["method"], r["split"]): r for r in records}
    known = [key for key in found if key[0] in SETS and key[1] in METHODS]
    places = {name: i for i, name in enumerate((*SETS, *METHODS))}
    return [found[key] for key in sorted(known, key=lambda k: (places[k[0]], places[k[1]], k[2]))]


def of_method(records: Sequence[Record], name: str, method: str) -> list[Record]:
    """Return the fits of a method to a set, without those of tables that are not for it."""
    mine = [r for r in records if r["set"] == name and r["method"] == method]
    return [r for r in mine if "not_for" not in r]


def scores_of(records: Sequence[Record], names: Sequence[str], measure: str) -> Scores:
    """Return means over the splits that a method and we have; infinity where one failed."""
    scores: dict[str, dict[str, float]] = {}
    for name in names:
        fits = {method: of_method(records, name, method) for method in METHODS}
        common = {r["split"] for r in fits[next(iter(METHODS))]}
        for method, found in fits.items():
            values = [r.get(measure, np.inf) for r in found if r["split"] in common]
            if values:
                scores.setdefault(name, {})[method] = float(np.mean(values))
    return scores


def comparable(scores: Scores) -> tuple[list[str], Scores]:
    """Return the methods tried on most sets, and the sets that all of these were tried on."""
    tried = {m: sum(m in of for of in scores.values()) for m in METHODS}
    methods = [
        m
        for m in METHODS
        if m not in UNRANKED and tried[m] and tried[m] >= SHARE_OF_SETS * len(scores)
    ]
    return methods, {n: of for n, of in scores.items() if all(m in of for m in methods)}
