"""Tables of ``benchmarks/ablation.md`` from the results of ``benchmarks.ablation``.

    python -m benchmarks.ablation_page [--by-set VARIANT ...]

Half of the sets, by the parity of the SHA-256 of their names, is for development: mechanisms are
kept or deleted by it. The other half, held out, tests these decisions. A change is the difference
between the variant and the default on the same split: of the RMSE relative, of the NLPD absolute. A
set counts as worse (better) without a mechanism if its NLPD rises (falls) by more than ``CLEAR``
nats, its RMSE by more than ``CLEAR_SHARE``, or its error rate by more than ``CLEAR_POINTS``, on
average over the seeds, and in every one of them in that direction.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.ablation import RESULTS

SUMMARY = Path(__file__).parent / "results" / "ablation.json"
PAGE = Path(__file__).parent / "ablation.md"
MARK = "<!-- tables: python -m benchmarks.ablation_page -->"
TITLES = {
    "noise": "Noise and calibration",
    "search": "Searches of the regressor",
    "idle": "Idle trials of the regressor",
    "plain": "Plain regressor",
    "classes": "Classifier",
}
#: Halves of the sets, by their names in the summary.
HALVES = {"choosing": "development sets", "judging": "held-out sets"}
CLEAR, CLEAR_SHARE, CLEAR_POINTS = 0.01, 0.01, 0.005
TASKS = {
    "noise": "default",
    "search": "default",
    "idle": "default",
    "plain": "plain",
    "classes": "default",
}
#: Lines of source that would go with each mechanism. Classes in model files of today and options of
#: the public interface stay: without its choice a kind of noise can still be asked for.
LINES = {
    "no level": 45,
    "no tails": 15,
    "no floor": 20,
    "no level, no floor": 65,
    "no Student rows": 1,
    "no noise process": 1,
    "no choice of noise": 150,
    "no choice, no level": 195,
    "no choice, no floor": 170,
    "no choice, no level, no floor": 215,
    "noise=gaussian": 165,
    "noise=gaussian, no level": 210,
    "Gaussian everything": 230,
    "no extension while evaluations gain": 25,
    "no tempered starts": 20,
    "always tempered starts": 4,
    "no look back at the start": 8,
    "no early end of trials": 35,
    "no end of idle trials": 5,
    "no shrinkage of length scales": 45,
    "plain, no length-scale prior": 75,
    "no reachable length scales": 52,
    "no limit of long ones": 8,
    "no limit of short ones": 22,
    "one first slope": 15,
    "long searches of many coordinates": 6,
    "no lower limit of label noise": 2,
    "basis stays": 12,
}
Record = dict[str, Any]


def half(name: str) -> str:
    """Return which half a set belongs to, as the summary in JSON names it."""
    return "judging" if sha256(name.encode()).digest()[-1] % 2 else "choosing"


def changes(records: Sequence[Record], task: str) -> dict[str, dict[str, list[Record]]]:
    """Return, by variant and set, the change of each seed against the default."""
    first = "noise" if task in ("search", "idle") else task
    reference = {
        (r["set"], r["seed"]): r
        for r in records
        if r["task"] == first and r["variant"] == TASKS[task]
    }
    found: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for r in records:
        if r["task"] != task or r["variant"] in (TASKS[task], "all done"):
            continue
        base = reference[r["set"], r["seed"]]
        error = "error" if task == "classes" else "rmse"
        now = base if error not in r else r
        crps = "brier" if task == "classes" else "crps"
        found[r["variant"]][r["set"]].append(
            {
                "rmse": (now[error] - base[error]) / max(base[error], 1e-9),
                "error": now[error] - base[error],
                "nlpd": now["nlpd"] - base["nlpd"],
                "crps": (now[crps] - base[crps]) / base[crps],
                "coverage": now.get("coverage", np.nan),
                "seconds": (now.get("seconds") or np.nan) / base["seconds"],
                "acts": now is not base and now["nlpd"] != base["nlpd"],
            }
        )
    return found


def clearly(seeds: Sequence[Record], key: str, least: float) -> int:
    """Return 1 if a set is worse in this measure, -1 if it is better, 0 if neither is clear."""
    values = np.array([one[key] for one in seeds])
    if abs(values.mean()) <= least or np.any(np.sign(values) != np.sign(values.mean())):
        return 0
    return int(np.sign(values.mean()))


def summary(by_set: dict[str, list[Record]], names: Sequence[str], task: str) -> Record | None:
    """Return the change of one variant over some sets."""
    sets = {name: seeds for name, seeds in by_set.items() if name in names}
    if not sets:
        return None

    def mean(key: str) -> tuple[float, float]:
        values = np.array([np.mean([one[key] for one in seeds]) for seeds in sets.values()])
        return float(values.mean()), float(values.std(ddof=1) / len(values) ** 0.5)

    def median(key: str) -> float:
        return float(np.median([np.mean([one[key] for one in seeds]) for seeds in sets.values()]))

    error, least = ("error", CLEAR_POINTS) if task == "classes" else ("rmse", CLEAR_SHARE)
    in_nlpd = {name: clearly(seeds, "nlpd", CLEAR) for name, seeds in sets.items()}
    in_error = {name: clearly(seeds, error, least) for name, seeds in sets.items()}
    coverage = [np.mean([one["coverage"] for one in seeds]) for seeds in sets.values()]
    seconds = [one["seconds"] for seeds in sets.values() for one in seeds]
    return {
        "sets": len(sets),
        "fits": sum(map(len, sets.values())),
        "acts": sum(any(one["acts"] for one in seeds) for seeds in sets.values()),
        "rmse": mean(error),
        "nlpd": mean("nlpd"),
        "medians": [median(error), median("nlpd"), median("crps")],
        "crps": mean("crps"),
        "worse_nlpd": sorted(name for name, sign in in_nlpd.items() if sign > 0),
        "better_nlpd": sorted(name for name, sign in in_nlpd.items() if sign < 0),
        "worse_error": sorted(name for name, sign in in_error.items() if sign > 0),
        "better_error": sorted(name for name, sign in in_error.items() if sign < 0),
        "coverage": None if task == "classes" else [float(min(coverage)), float(max(coverage))],
        "seconds": float(np.exp(np.nanmean(np.log(seconds)))),
    }


def table(found: dict[str, Record | None], task: str) -> str:
    """Return a table in Markdown."""
    error, scale = ("error rate, points", 100.0) if task == "classes" else ("RMSE, %", 100.0)
    second = "Brier" if task == "classes" else "CRPS"
    head = (
        f"| switched off | acts on | {error} | NLPD, nats | {second}, % | worse / better in NLPD |"
    )
    head += f" worse / better in {error.split(',')[0]} | coverage | seconds | lines |"
    lines = [head, "|---|---|---|---|---|---|---|---|---|---|"]
    for variant, one in found.items():
        if one is None:
            continue
        coverage = one["coverage"] or ()
        cells = [
            variant,
            f"{one['acts']} of {one['sets']}",
            "{:+.2f} ± {:.2f}".format(*(scale * value for value in one["rmse"])),
            "{:+.4f} ± {:.4f}".format(*one["nlpd"]),
            "{:+.2f} ± {:.2f}".format(*(100.0 * value for value in one["crps"])),
            f"{len(one['worse_nlpd'])} / {len(one['better_nlpd'])}",
            f"{len(one['worse_error'])} / {len(one['better_error'])}",
            " to ".join(f"{share:.3f}" for share in coverage),
            f"{one['seconds']:.2f}",
            str(LINES.get(variant, "")),
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write(records: Sequence[Record], by_set: Sequence[str]) -> tuple[str, Record]:
    """Return the tables of all tasks, and the same as numbers."""
    parts: list[str] = []
    numbers: Record = {}
    for task in TASKS:
        found = changes(records, task)
        names = {name for sets in found.values() for name in sets}
        for part, title in HALVES.items():
            own = sorted(name for name in names if half(name) == part)
            if not own:
                continue
            seeds = sorted({r["seed"] for r in records if r["task"] == task})
            every = {variant: summary(sets, own, task) for variant, sets in found.items()}
            parts.append(f"### {TITLES[task]}: {title}\n")
            parts.append(f"{', '.join(own)}; seeds {', '.join(map(str, seeds))}.\n")
            parts.append(table(every, task) + "\n")
            numbers[f"{task}, {part}"] = every
        for variant in by_set:
            for name, of_seeds in sorted(found.get(variant, {}).items()):
                mean = {k: round(float(np.mean([o[k] for o in of_seeds])), 4) for k in of_seeds[0]}
                parts.append(f"{variant}, {half(name)}, {name}: {mean}")
    return "\n".join(parts), numbers


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--json", type=Path, default=SUMMARY)
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--by-set", nargs="*", default=[])
    options = parser.parse_args(arguments)
    lines = map(json.loads, options.results.read_text().splitlines())
    latest = {(r["task"], r["set"], r["seed"], r["variant"]): r for r in lines}
    records = [record for record in latest.values() if record["variant"] != "all done"]
    text, numbers = write(records, options.by_set)
    if options.by_set:
        print(text)
        return
    words = options.page.read_text().split(MARK)[0]
    options.page.write_text(f"{words}{MARK}\n\n{text}")
    options.json.write_text(json.dumps(numbers, indent=1) + "\n")


if __name__ == "__main__":
    main()
