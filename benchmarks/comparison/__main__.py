"""Default against default on more than fifty tables; every fit in a process of its own.

    python -m benchmarks.comparison [--sets NAME ...] [--methods NAME ...] [--splits K ...]
                                    [--max-rows N] [--limit SECONDS] [--threads N] [--again]
    python -m benchmarks.comparison --page

Runs what is not recorded yet, set by set from few rows to many, the methods in turn; stop it at
any time. A fit is a line of ``benchmarks/results/comparison.jsonl``; the newest of a set, split and
method counts. ``--page`` writes ``benchmarks/comparison.md`` and its picture. Libraries are those
of the interpreter that runs it; what is not installed is skipped. ``--max-rows`` tries things out
on few rows of each table; such records are not on the page. LightGBM is tuned for as many seconds
as the recorded default fit of ours took on that split, so that one comes first.
"""

import argparse
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.comparison.methods import METHODS, OURS, TUNED
from benchmarks.comparison.runner import Conditions, run
from benchmarks.comparison.sets import CLASSIFICATION, SETS
from benchmarks.machine import commit, describe
from benchmarks.trust.cases import Records

RESULTS = Path(__file__).resolve().parents[1] / "results" / "comparison.jsonl"
KEY = ("set", "split", "rows", "method")
SHARE_OF_MEMORY = 0.8
#: Modules of packages with other names; workers find our own in this tree.
MODULES = {"scikit-learn": "sklearn", "sparsegp": "benchmarks"}


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.comparison",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS, metavar="NAME")
    methods = list(METHODS)
    made.add_argument("--methods", nargs="+", default=methods, choices=methods, metavar="NAME")
    made.add_argument("--splits", nargs="+", type=int, default=[0], metavar="K")
    made.add_argument("--max-rows", type=int, help="rows of a table, training and test")
    made.add_argument("--limit", type=float, default=1800.0, help="seconds a fit (default: 1800)")
    made.add_argument("--threads", type=int, default=1, help="default: 1")
    made.add_argument("--again", action="store_true", help="repeat what is recorded")
    made.add_argument("--out", type=Path, default=RESULTS)
    made.add_argument("--page", action="store_true", help="write the page from stored records")
    return made


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is asked for."""
    options = parser().parse_args(arguments)
    if options.page:
        from benchmarks.comparison.page import write_page

        print(write_page(options.out))
        return
    records = Records(options.out, KEY)
    about = describe()
    memory = int(SHARE_OF_MEMORY * (about["memory_gb"] or 0.0) * 1e9) or None
    conditions = Conditions(options.threads, options.limit, memory)
    for k in options.splits:
        for name in options.sets:
            for method in options.methods:
                key = {"set": name, "split": k, "rows": options.max_rows, "method": method}
                if (key in records and not options.again) or not _runs(method, name):
                    continue
                seconds = _our_seconds(records, key) if method == TUNED else None
                if method == TUNED and seconds is None:
                    print(f"{name}, {k}: no seconds of ours yet to tune LightGBM for", flush=True)
                    continue
                found = run(key | {"seconds": seconds}, conditions)
                records.add(key | found | _when(about, options.threads))
                print(_told(records.all[-1]), flush=True)


def _runs(method: str, name: str) -> bool:
    """Tell whether the libraries of a method are installed, and it is for such sets."""
    if name in CLASSIFICATION and METHODS[method].regression_only:
        return False
    names = (MODULES.get(package, package) for package in METHODS[method].packages)
    return all(find_spec(package) is not None for package in names)


def _our_seconds(records: Records, key: dict[str, Any]) -> float | None:
    """Return the seconds that our newest default fit of a split took."""
    ours = key | {"method": OURS}
    found = [r for r in records.all if all(r[field] == ours[field] for field in KEY)]
    seconds = [r["fit_seconds"] for r in found if "fit_seconds" in r]
    return float(str(seconds[-1])) if seconds else None


def _when(about: dict[str, Any], threads: int) -> dict[str, Any]:
    machine = {name: about[name] for name in ("processor", "cores", "memory_gb", "blas")}
    return {
        "threads": threads,
        "machine": machine | {"load": round(os.getloadavg()[0], 2)} if _has_load() else machine,
        "commit": commit(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _has_load() -> bool:
    return hasattr(os, "getloadavg")


def _told(record: dict[str, Any]) -> str:
    """Return a line about a fit."""
    shown = ("rmse", "nlpd", "crps", "error", "nlp", "fit_seconds", "peak_mb", "not_for", "failed")
    parts = [f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in record.items()]
    known = dict(part.split(" ", 1) for part in parts if " " in part)
    told = ", ".join(f"{k} {known[k]}" for k in shown if k in known)
    return f"{record['set']}, {record['split']}, {record['method']}: {told}"


if __name__ == "__main__":
    main()
