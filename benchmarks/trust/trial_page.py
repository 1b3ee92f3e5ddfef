"""The page ``benchmarks/trust.md`` from the records of ``benchmarks.trust``.

python -m benchmarks.trust.trial_page
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise
from math import inf
from pathlib import Path
from statistics import mean, stdev

from benchmarks.trust.cases import judges
from benchmarks.trust.trial import CLASSES, LADDERS, RESULTS

PAGE = Path(__file__).parents[1] / "trust.md"
#: What counts as worse, beyond two standard errors of the seeds: a share of the error, and nats.
FACTOR, NATS = 0.01, 0.01
MEASURES = {"error": "RMSE or error", "nlpd": "NLPD"}
UNITS = {"rows": "training rows", "basis": "basis vectors (`max_basis`)", "seconds": "seconds"}

Record = dict[str, float]
Steps = dict[int, dict[int, Record]]  # by what was given, by seed
Doubling = tuple[str, str, int, int]  # set, ladder, less, more

INTRODUCTION = """# More is never worse?

`python -m benchmarks.trust`, then `python -m benchmarks.trust.trial_page`. Default options but for
what a ladder gives more of. Training rows are nested, limits are seconds of one thread of the
process. A step of a ladder got worse if error or density, in the mean over seeds, is worse by more
than 1 % or 0.01 nats and by two standard errors of the seeds (with one seed: by more than 1 % or
0.01 nats). Sets in *italics* are the half that rules are judged on, by a hash of the name.
A catastrophe is worse than a constant prediction, or than half as much by a fifth in error; shares
of wrong labels differ by more than two standard errors, too: 17 and 26 of 318 test rows do not.
RMSE is in standard deviations of the test target: those of the training target differ from step to
step of the rows. Fits are of several days: those of 100 to 1,000 rows, of 1 to 4 seconds and of
basis vectors have the commit that made them in their record, longer ladders and random states are
older. Seconds were measured beside four other processes, which slowed one another down.
"""


def of_ladders(records: Iterable[Record]) -> list[Record]:
    """Return the fits of steps that give a model more, and not another random state."""
    return [record for record in records if record["ladder"] in UNITS]


def states(records: Iterable[Record]) -> str:
    """Return how much errors vary with the random state: their coefficient of variation."""
    fits: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        if record["ladder"] == "states":
            fits[str(record["set"])].append(record)
    lines = ["| set | states | error | coefficient of variation | NLPD, lowest to highest |"]
    lines.append("|---" * 5 + "|")
    for name, own in sorted(fits.items()):
        if len(own) < 2:
            continue
        errors, densities = [fit["error"] for fit in own], [fit["nlpd"] for fit in own]
        label = f"*{name}*" if judges(name) else name
        lines.append(
            f"| {label} | {len(own)} | {mean(errors):.4f} | "
            f"{100 * stdev(errors) / mean(errors):.1f} % | "
            f"{min(densities):.3f} to {max(densities):.3f} |"
        )
    return "\n".join(lines)


def ladders(records: Iterable[Record]) -> dict[tuple[str, str], Steps]:
    """Return the fits by set and ladder."""
    found: dict[tuple[str, str], Steps] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        key = (str(record["set"]), str(record["ladder"]))
        step = int(record["step"]) or int(record["n"])  # 0 is all rows
        found[key][step][int(record["seed"])] = record
    return found


def differences(less: dict[int, Record], more: dict[int, Record], measure: str) -> list[float]:
    """Return by how much more is worse, seed by seed: nats, or as a share of the error."""
    seeds = sorted(set(less) & set(more))
    if measure == "nlpd":
        return [more[s][measure] - less[s][measure] for s in seeds]
    return [more[s][measure] / max(less[s][measure], 1e-12) - 1.0 for s in seeds]


def got_worse(found: list[float], tolerance: float) -> bool:
    """Tell whether differences are positive beyond a tolerance and what seeds explain."""
    error = stdev(found) / len(found) ** 0.5 if len(found) > 1 else 0.0
    return mean(found) > max(tolerance, 2.0 * error)


def doublings(by_case: dict[tuple[str, str], Steps]) -> dict[Doubling, dict[str, bool]]:
    """Return for each step of each ladder which measures got worse."""
    found = {}
    for (name, ladder), steps in by_case.items():
        for less, more in pairwise(sorted(steps)):
            if not set(steps[less]) & set(steps[more]):
                continue
            found[(name, ladder, less, more)] = {
                measure: got_worse(
                    differences(steps[less], steps[more], measure),
                    NATS if measure == "nlpd" else FACTOR,
                )
                for measure in MEASURES
            }
    return found


def catastrophes(by_case: dict[tuple[str, str], Steps]) -> list[str]:
    """Return the fits that are worse than a constant, or much worse than half as much."""
    found = []
    for (name, ladder), steps in sorted(by_case.items()):
        for less, more in pairwise([None, *sorted(steps)]):
            for seed, record in steps[more].items():
                before = {} if less is None else steps[less].get(seed, {})
                what = f"{name}, {more} {ladder}, seed {seed}: {record['error']:.3f}"
                constant: Record = {"error": record["constant"]}
                margin = _chance(name, constant, record, FACTOR * record["constant"])
                if record["error"] > record["constant"] + margin:
                    found.append(f"{what}, a constant {record['constant']:.3f}")
                elif before and record["error"] - before["error"] > _tolerated(
                    name, before, record
                ):
                    found.append(f"{what}, with {less} {before['error']:.3f}")
    return found


def _tolerated(name: str, less: Record, more: Record) -> float:
    """Return by how much an error may be larger: a fifth, or what chance explains of labels."""
    return _chance(name, less, more, 0.2 * less["error"] + 0.002)


def _chance(name: str, one: Record, other: Record, least: float) -> float:
    """Return two standard errors of a difference of errors; of labels, and no less than given."""
    if name not in CLASSES:
        return least
    variance = sum(fit["error"] * (1.0 - fit["error"]) for fit in (one, other))
    return max(least, 2.0 * (variance / other.get("n_test", inf)) ** 0.5)


def _share(
    cases: dict[Doubling, dict[str, bool]], measure: str, half: Callable[[str], bool]
) -> str:
    bad = [worse[measure] for (name, *_), worse in cases.items() if half(name)]
    return f"{sum(bad)} of {len(bad)} ({100 * sum(bad) / max(len(bad), 1):.0f} %)"


def summary(cases: dict[Doubling, dict[str, bool]]) -> str:
    """Return the shares of steps that got worse."""
    lines = ["| ladder | measure | all sets | sets for judging |", "|---|---|---|---|"]
    for ladder, unit in UNITS.items():
        own = {key: worse for key, worse in cases.items() if key[1] == ladder}
        for measure, label in MEASURES.items():
            everywhere, judging = _share(own, measure, lambda _: True), _share(own, measure, judges)
            lines.append(f"| {unit} | {label} | {everywhere} | {judging} |")
    return "\n".join(lines)


def table(by_case: dict[tuple[str, str], Steps], ladder: str) -> str:
    """Return error and density of every set on a ladder, means over seeds."""
    sizes = [step for step in LADDERS[ladder] if step]
    lines = [
        f"| set | seeds | {' | '.join(f'{size:,}' for size in sizes)} |",
        "|---" * (len(sizes) + 2) + "|",
    ]
    for (name, own), steps in sorted(by_case.items()):
        if own != ladder:
            continue
        cells = []
        for size in sizes:
            fits = list(steps.get(size, {}).values())
            scores = [mean(fit[m] for fit in fits) for m in MEASURES] if fits else []
            cells.append(" / ".join(f"{score:.3f}" for score in scores) or "-")
        seeds = max(len(fits) for fits in steps.values())
        label = f"*{name}*" if judges(name) else name
        lines.append(f"| {label} | {seeds} | {' | '.join(cells)} |")
    return "\n".join(lines)


def kept(by_case: dict[tuple[str, str], Steps]) -> str:
    """Return how limits were kept."""
    fits = [
        (step, record["seconds"])
        for (_, ladder), steps in by_case.items()
        for step, by_seed in steps.items()
        for record in by_seed.values()
        if ladder == "seconds"
    ]
    above = [taken / step for step, taken in fits if step >= 2]
    if not above:
        return "No limited fits yet."
    over = sum(ratio > 1.1 for ratio in above)
    return (
        f"Of {len(above)} fits with a limit of 2 s or more {over} took more than 1.1 times as "
        f"long; the longest took {max(above):.2f} times."
    )


def page(records: list[Record]) -> str:
    """Return the page."""
    by_case = ladders(of_ladders(records))
    cases = doublings(by_case)
    worse = [
        f"- {name}, {less:,} to {more:,} {ladder}: "
        + ", ".join(MEASURES[m] for m, bad in measures.items() if bad)
        for (name, ladder, less, more), measures in sorted(cases.items())
        if any(measures.values())
    ]
    bad = [f"- {line}" for line in catastrophes(by_case)]
    sections = [
        INTRODUCTION.strip(),
        f"{len(records):,} fits so far.",
        "## Steps that got worse\n\n" + summary(cases),
        "\n".join(worse) or "None.",
        "## Catastrophes\n\n" + ("\n".join(bad) or "None."),
        "## Time limits\n\n" + kept(by_case),
    ]
    if any(record["ladder"] == "states" for record in records):
        sections.append(
            "## Random states\n\nThe same 10,000 training rows, or all of fewer, the same test "
            "rows, five random states.\n\n" + states(records)
        )
    for ladder, unit in UNITS.items():
        if any(own == ladder for _, own in by_case):
            sections.append(
                f"## More {unit}\n\nRMSE / NLPD; labels: share of wrong ones / NLP.\n\n"
                + table(by_case, ladder)
            )
    return "\n\n".join(sections) + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page([json.loads(line) for line in RESULTS.read_text().splitlines()]))


if __name__ == "__main__":
    main()
