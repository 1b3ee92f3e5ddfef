"""Put new records in the place of older ones.

    python -m benchmarks.reproduce.merge FOLDER [--changed METHOD ...] [--results FOLDER]

FOLDER holds files that experiments wrote with ``--out``. A cell is all that a record says but its
partition and its numbers: a set, a method, a size. Where a cell was run again, the older records of
it go, but for two cases. If on every partition that both have the numbers are the same up to
rounding, today's code makes the older ones, too, and they stay, with ``confirmed_by``, the commit
that made them again. If the errors are near each other, within 3 % and densities within 0.03, or
if over five partitions or more they differ by chance alone (means of the differences within two
standard errors of zero, as where today's code draws other random numbers), they stay with
``near_to``: many partitions of nearly the same tell more than a few. ``--changed`` names
methods that are no longer the same: of these none stays. Cells that were not run again stay as they
are.
"""

import argparse
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Record
from benchmarks.reproduce.records import RESULTS, one_a_line, write_text

__all__ = ["merged", "provenance"]

#: Fields that say what was run, beside the partition.
IDENTITY = (
    *("table", "set", "method", "d_max", "size", "sizes", "kappa", "rounds", "hyperparameters"),
    *("deletion", "tolerance", "width", "rows", "problem", "sweeps", "recycle", "largest"),
    *("adaptation", "settings", "row", "approximation", "cached"),
)
#: Fields that no two runs share.
OF_A_RUN = ("commit", "confirmed_by", "near_to")
ROUNDING = 1e-3
#: Measures that must be near each other, and how near: relative and absolute.
NEAR = {"nmse": (0.03, 0.0), "nlpd": (0.0, 0.03), "error": (0.03, 0.0), "nlp": (0.0, 0.03)}
NEAR |= {f"test_{measure}": NEAR[measure] for measure in ("error", "nlp")}
#: Partitions from which differences are judged by their mean.
FEWEST_PAIRS = 5
#: What the first records of an experiment do not say.
UNSAID = {"co_sinc": {"tolerance": 1e-6}}


def cell_of(record: Record) -> tuple[str, ...]:
    """Return what a record is of, without its partition."""
    named = [f"{key}={record[key]}" for key in IDENTITY if key in record]
    curve = record.get("curve")
    return (*named, *([f"curve={curve}"] if isinstance(curve, str) else []))


def merged(
    old: Sequence[Record], new: Sequence[Record], changed: Sequence[str] = ()
) -> list[Record]:
    """Return all records after a run."""
    before, after = _by_cell(old), _by_cell(new)
    result: list[Record] = []
    for cell in dict.fromkeys([*before, *after]):
        ours, theirs = after.get(cell, {}), before.get(cell, {})
        together = (_kept(ours, theirs, changed) if ours else theirs) | ours
        result += [together[k] for k in sorted(together)]
    return result


def _kept(
    ours: dict[int, Record], theirs: dict[int, Record], changed: Sequence[str]
) -> dict[int, Record]:
    """Return those of the older records of a cell that stay, with the reason."""
    shared, some = ours.keys() & theirs.keys(), next(iter(ours.values()))
    common = {k for k in shared if theirs[k].get("commit") != some["commit"]}
    if not common:  # those of this commit are in place already, and what stays beside them
        return theirs if shared else {}
    if all(_same(ours[k], theirs[k]) for k in common):
        reason = "confirmed_by"
    elif some.get("method") not in changed and _alike([(ours[k], theirs[k]) for k in common]):
        reason = "near_to"
    else:
        return {}
    return {k: record | {reason: some["commit"]} for k, record in theirs.items()}


def _alike(pairs: Sequence[tuple[Record, Record]]) -> bool:
    """Tell whether records are near each other, each or in the mean."""
    return all(_near(*pair) for pair in pairs) or _differ_by_chance(pairs)


def _differ_by_chance(pairs: Sequence[tuple[Record, Record]]) -> bool:
    """Tell whether the differences of all measures have means within two standard errors of 0."""
    measures = [m for m in NEAR if all(m in one for pair in pairs for one in pair)]
    if len(pairs) < FEWEST_PAIRS or not measures:
        return False
    differences = np.array([[a[m] - b[m] for m in measures] for a, b in pairs])  # (pairs, measures)
    error = np.std(differences, axis=0, ddof=1) / math.sqrt(len(pairs))
    return bool(np.all(np.abs(np.mean(differences, axis=0)) <= 2.0 * error))


def _near(a: Record, b: Record) -> bool:
    """Tell whether two records have nearly the same errors; one without any has not."""
    shared = [(a[m], b[m], *NEAR[m]) for m in NEAR if m in a and m in b]
    return bool(shared) and all(
        math.isclose(x, y, rel_tol=relative, abs_tol=absolute)
        for x, y, relative, absolute in shared
    )


def _by_cell(records: Sequence[Record]) -> dict[tuple[str, ...], dict[int, Record]]:
    cells: dict[tuple[str, ...], dict[int, Record]] = defaultdict(dict)
    for record in records:
        cells[cell_of(record)][record.get("partition", 0)] = record
    return cells


def _same(a: Any, b: Any) -> bool:
    """Tell whether two values are equal up to rounding; seconds and commits never are."""
    if isinstance(a, dict):
        keys = [key for key in a if key not in OF_A_RUN and "seconds" not in key]
        return all(key in b and _same(a[key], b[key]) for key in keys)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float):
        return math.isclose(a, b, rel_tol=ROUNDING, abs_tol=ROUNDING)
    return bool(a == b)


def provenance(records: Sequence[Record]) -> str:
    """Return which commits made the records.

    >>> provenance([{"commit": "a1"}, {"commit": "a1"}, {"confirmed_by": "a1"}, {}])
    'Records: 2 by commit a1, 1 earlier one that a1 makes again, 1 earlier one not run again.'
    """
    by: dict[str, int] = defaultdict(int)
    for record in records:
        if "confirmed_by" in record:
            by[f"earlier {{}} that {record['confirmed_by']} makes again"] += 1
        elif "near_to" in record:
            by[f"earlier {{}} near to those of {record['near_to']}"] += 1
        elif "commit" in record:
            by[f"by commit {record['commit']}"] += 1
        else:
            by["earlier {} not run again"] += 1
    said = [
        f"{count} {what.format('one' if count == 1 else 'ones')}"
        for what, count in sorted(by.items(), key=lambda item: ("earlier" in item[0], item[0]))
    ]
    return f"Records: {', '.join(said)}."


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--changed", nargs="+", default=[], metavar="METHOD")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    for file in sorted(options.folder.glob("*.json")):
        target = options.results / file.name
        old = json.loads(target.read_text()) if target.exists() else []
        old = [UNSAID.get(file.stem, {}) | record for record in old]
        records = merged(old, json.loads(file.read_text()), options.changed)
        write_text(target, one_a_line(records))
        print(f"{file.stem}: {len(old)} records before, {len(records)} now. {provenance(records)}")


if __name__ == "__main__":
    main()
