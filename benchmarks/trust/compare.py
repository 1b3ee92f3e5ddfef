"""Two source trees on the ladder of seconds, in turn: each fit by one, then by the other.

    python -m benchmarks.trust.compare --sources old=PATH new=src [--sets …] [--steps 1 2 4 8]
                                       [--seeds 0] --results FILE
    python -m benchmarks.trust.compare --results FILE

``old`` and ``new`` are names, a path is a folder with ``sparsegp`` in it. Each has a process of its
own, and only one of them works at a time: what else the machine does counts for both. Fits and
limits are those of ``benchmarks.trust``. Without sources the fits of the file are compared.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from math import expm1, log
from pathlib import Path
from statistics import mean, median

from benchmarks.trust.cases import Record, Records, judges
from benchmarks.trust.trial import SETS, fit_one
from benchmarks.trust.trial_page import catastrophes, doublings, ladders

#: A fit that takes longer than this share of its limit overruns it.
ALLOWED = 1.1
Case = tuple[str, int, int]  # set, seconds, seed


class _Worker:
    """A process that fits with the package of a source tree."""

    def __init__(self, source: str) -> None:
        path = os.pathsep.join((source, str(Path.cwd())))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.trust.compare", "--work"],
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def fit(self, case: Case) -> Record:
        """Return the scores of a fit."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        found: Record = json.loads(self._process.stdout.readline())
        return found


def work() -> None:
    """Fit what is asked for on standard input, a line each."""
    for line in sys.stdin:
        name, step, seed = json.loads(line)
        print(json.dumps(fit_one(name, "seconds", step, seed)), flush=True)


def run(sources: dict[str, str], cases: Iterable[Case], records: Records) -> None:
    """Fit what has no record yet, by every source in turn."""
    workers = {name: _Worker(path) for name, path in sources.items()}
    for name, step, seed in cases:
        for source, worker in workers.items():
            record: Record = {"ladder": "seconds", "set": name, "step": step, "seed": seed}
            record |= {"source": source}
            if record not in records:
                records.add(record | worker.fit((name, step, seed)))
                print(records.all[-1], flush=True)


def summary(records: list[Record], half: Callable[[str], bool]) -> str:
    """Return a table: a line for each source, means over the fits that all sources have.

    Errors (geometric mean) and densities are beside those of the first source; late fits, of 2 s or
    more, took more than 1.1 times their limit.
    """
    found: dict[tuple[object, ...], dict[str, Record]] = defaultdict(dict)
    for record in records:
        if half(str(record["set"])):
            key = (record["set"], record["step"], record["seed"])
            found[key][str(record["source"])] = record
    names = list(dict.fromkeys(str(record["source"]) for record in records))
    shared = [fits for fits in found.values() if len(fits) == len(names)]
    lines = [
        "| source | fits | error: mean, median | NLPD: mean, median | share of the limit | late | "
        "steps that got worse: error, NLPD | catastrophes |",
        "|---" * 8 + "|",
    ]
    for name in names:
        own = [fits[name] for fits in shared]
        pairs = [(fits[name], fits[names[0]]) for fits in shared]
        ratios = [log(_value(a, "error") / _value(b, "error")) for a, b in pairs]
        nats = [_value(a, "nlpd") - _value(b, "nlpd") for a, b in pairs]
        taken = [_value(fit, "seconds") / _value(fit, "step") for fit in own]
        both = zip(taken, own, strict=True)
        late = sum(share > ALLOWED and _value(fit, "step") > 1 for share, fit in both)
        by_case = ladders(own)  # type: ignore[arg-type]
        worse = doublings(by_case).values()
        counts = ", ".join(str(sum(step[m] for step in worse)) for m in ("error", "nlpd"))
        lines.append(
            f"| {name} | {len(own)} | {100 * expm1(mean(ratios)):+.1f} %, "
            f"{100 * expm1(median(ratios)):+.1f} % | {mean(nats):+.3f}, {median(nats):+.3f} | "
            f"{mean(taken):.2f} | {late} | {counts} of {len(worse)} | "
            f"{len(catastrophes(by_case))} |"
        )
    return "\n".join(lines)


def by_set(records: list[Record]) -> str:
    """Return error and density of each set, source and number of seconds."""
    found: dict[tuple[str, str], dict[int, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        key = (str(record["set"]), str(record["source"]))
        found[key][int(_value(record, "step"))].append(record)
    steps = sorted({step for fits in found.values() for step in fits})
    lines = [
        f"| set | source | {' | '.join(f'{s} s' for s in steps)} |",
        "|---" * (len(steps) + 2) + "|",
    ]
    for (name, source), fits in sorted(found.items()):
        cells = [
            " / ".join(f"{mean(_value(f, m) for f in fits[s]):.3f}" for m in ("error", "nlpd"))
            if fits[s]
            else "-"
            for s in steps
        ]
        label = f"*{name}*" if judges(name) else name
        lines.append(f"| {label} | {source} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _value(record: Record, name: str) -> float:
    return float(str(record[name]))


def main() -> None:
    """Fit, or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--sources", nargs="+", help="NAME=FOLDER")
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    parser.add_argument("--steps", nargs="+", type=int, default=[1, 2, 4, 8])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--results", type=Path)
    asked = parser.parse_args()
    if asked.work:
        work()
        return
    records = Records(asked.results, ("source", "ladder", "set", "step", "seed"))
    if asked.sources:
        sources = dict(source.split("=", 1) for source in asked.sources)
        run(
            sources,
            ((n, step, seed) for seed in asked.seeds for n in asked.sets for step in asked.steps),
            records,
        )
    for label, half in (("develop", lambda name: not judges(name)), ("judge", judges)):
        if any(half(str(record["set"])) for record in records.all):
            print(f"\n{label}:\n\n{summary(records.all, half)}")
    print(f"\n{by_set(records.all)}")


if __name__ == "__main__":
    main()
