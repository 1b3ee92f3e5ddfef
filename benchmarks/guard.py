"""Performance regression check: ratios of the working tree against the last recorded ones.

    python -m benchmarks.guard [--margin SHARE] [--full] [--scale S] [--record] [--file FILE]

Every ratio is measured within one process against work that does not change: a fit against the
product K_xzᵀK_xz of its size, predictions against their matrix products, our import against
scikit-learn's. Lower is better. What seems slower by more than the margin than the last record with
as many threads is measured again, up to twice, and the best counts; if it still is, the exit status
is 1. ``--record`` adds the figures to the file, to be committed with the change that explains
them. ``--full`` adds the largest size. Plain settings and defaults are timed apart. On a busy
machine long work waits for the others more than short work does: nothing is recorded then.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.footprint import import_seconds
from benchmarks.machine import busy_share, commit, describe, gemm_rate
from benchmarks.prediction_speed import measure as measure_predictions
from benchmarks.profile_fit import SIZES, VARIANTS, Size, profile
from benchmarks.reproduce.records import write_text
from benchmarks.selection_speed import table
from sparsegp.arrays import n_threads
from sparsegp.tables.rows import Rows

__all__ = ["best_of", "last_record", "slower"]

FILE = Path(__file__).parent / "results" / "guard.json"
MARGIN = 0.25
MOST_TRIES = 3
MOST_BUSY = 0.1  # share of the cores that others may take
PREDICTED_ROWS, BASIS_OF_PREDICTIONS = 50_000, 500

Ratios = dict[str, float]
Record = dict[str, Any]


# ------------------------------------------------------------------ what is measured


def fit_ratios(rows: Rows, size: Size, variant: str) -> Ratios:
    """Return a whole fit in products, and its selections over its final pass."""
    found = profile(rows, size, VARIANTS[variant])
    seconds = {phase["phase"]: phase["seconds"] for phase in found["phases"]}
    name = f"{variant}, {size.n} rows, {size.m} basis vectors"
    return {
        f"fit / product ({name})": found["products"],
        f"selection / final pass ({name})": seconds["selection"] / seconds["final pass"],
    }


def prediction_ratios(n: int, m: int) -> Ratios:
    """Return predictions of means alone and with deviations over the products of the latter."""
    found = measure_predictions(n, m, repeats=3)
    size = f"{n} rows, {m} basis vectors"
    return {
        f"predict with std / its products ({size})": found["std_over_floor"],
        f"predict / products with std ({size})": found["mean_seconds"] / found["floor_seconds"],
    }


def import_ratio() -> Ratios:
    """Return our import over that of scikit-learn before it."""
    found = import_seconds(repeats=3)
    return {"import / import of sklearn": found["beyond_sklearn"] / found["sklearn_seconds"]}


def measures(scale: float, *, full: bool) -> list[Callable[[], Ratios]]:
    """Return the measurements, each of which gives some ratios."""
    sizes = [Size(round(s.n * scale), s.D, round(s.m * scale)) for s in SIZES]
    sizes = sizes if full else sizes[:-1]
    rows = table(max(size.n for size in sizes))
    fits = [partial(fit_ratios, rows, size, name) for size in sizes for name in VARIANTS]
    n, m = (round(scale * count) for count in (PREDICTED_ROWS, BASIS_OF_PREDICTIONS))
    return [import_ratio, partial(prediction_ratios, n, m), *fits]


# ------------------------------------------------------------------ what is compared


def last_record(records: Sequence[Record], threads: int) -> Record | None:
    """Return the last record with as many threads."""
    found = [record for record in records if record["threads"] == threads]
    return found[-1] if found else None


def slower(ratios: Mapping[str, float], before: Mapping[str, float], margin: float) -> list[str]:
    """Return the names of ratios that have grown by more than the margin.

    >>> slower({"a": 1.3, "b": 1.2, "new": 9.0}, {"a": 1.0, "b": 1.0}, 0.25)
    ['a']
    """
    return [
        name for name in ratios if ratios[name] > (1.0 + margin) * before.get(name, ratios[name])
    ]


def best_of(measure: Callable[[], Ratios], before: Mapping[str, float], margin: float) -> Ratios:
    """Measure, and again if something seems slower; return the best of each ratio."""
    ratios = measure()
    for _ in range(MOST_TRIES - 1):
        if not slower(ratios, before, margin):
            break
        again = measure()
        ratios = {name: min(value, again[name]) for name, value in ratios.items()}
    return ratios


def _show(ratios: Mapping[str, float], before: Mapping[str, float], margin: float) -> None:
    worse = slower(ratios, before, margin)
    for name, value in ratios.items():
        change = f"{value / before[name] - 1.0:+6.0%}" if name in before else ""
        print(f"{name:62} {value:10.3f} {change}{'  SLOWER' if name in worse else ''}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--margin", type=float, default=MARGIN, help=f"default: {MARGIN}")
    parser.add_argument("--full", action="store_true", help="the largest size too")
    parser.add_argument("--scale", type=float, default=1.0, help="of all sizes, to try it out")
    parser.add_argument("--record", action="store_true", help="add the figures to the file")
    parser.add_argument("--file", type=Path, default=FILE, help=f"default: {FILE.name}")
    options = parser.parse_args(arguments)
    records: list[Record] = json.loads(options.file.read_text()) if options.file.exists() else []
    last = last_record(records, n_threads())
    before = last["ratios"] if last else {}
    since = f"compared with {last['commit']}" if last else "nothing to compare with yet"
    print(f"{since}, {n_threads()} threads", flush=True)
    busy = busy_share()
    ratios: Ratios = {}
    for measure in measures(options.scale, full=options.full):
        found = best_of(measure, before, options.margin)
        _show(found, before, options.margin)
        ratios |= found
    busy = max(busy, busy_share())
    if busy > MOST_BUSY:
        print(f"others took {busy:.0%} of the cores: these ratios are not to be trusted")
        if options.record:
            print("nothing is recorded: run it again when the machine is quiet")
            return 2
    if options.record:
        record = {
            "commit": commit(),
            "when": datetime.now(UTC).isoformat(timespec="seconds"),
            "threads": n_threads(),
            "gemm_gflops": round(gemm_rate(), 1),
            "busy_share": busy,
            "machine": describe(),
            "ratios": {name: round(value, 4) for name, value in ratios.items()},
        }
        write_text(options.file, json.dumps([*records, record], indent=1) + "\n")
    worse = slower(ratios, before, options.margin)
    print(f"slower by more than {options.margin:.0%}: {', '.join(worse) or 'nothing'}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
