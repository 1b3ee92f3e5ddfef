"""The page ``benchmarks/small_tables.md`` from the records of ``benchmarks.trust.small``.

python -m benchmarks.trust.small_page
"""

import json
from collections import defaultdict
from pathlib import Path
from statistics import mean

from benchmarks.trust.cases import judges
from benchmarks.trust.small import RESULTS

PAGE = Path(__file__).parents[1] / "small_tables.md"
#: Differences that count as equal: in log probability and density, and as a factor of the error.
NATS, FACTOR = 0.01, 1.01

Scores = dict[str, float]
Case = tuple[str, int]

INTRODUCTION = """# Small tables

`python -m benchmarks.trust.small`, then `python -m benchmarks.trust.small_page`. Default options,
beside scikit-learn: an exact Gaussian process (classes: Laplace, one length scale; numbers: a
length scale a column, three restarts) and logistic regression. Training rows are the first of a
permutation; the last tenth of it is for the test, three tenths where all rows are used (*all*).
Means over the number of splits given; only splits that all methods have. Sets in *italics* are
the half that rules are to be judged on, by a hash of the name; the prior that holds length scales
together was chosen by tables of both halves. *Free* is the same model without it.
"""


def cases(task: str, records: list[dict[str, object]]) -> dict[Case, dict[str, list[Scores]]]:
    """Return the scores of each method, by set and rows, of the splits that all methods have."""
    found: dict[Case, dict[int, dict[str, Scores]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        if record["task"] == task:
            case = (str(record["set"]), int(str(record["n"])))
            found[case][int(str(record["seed"]))][str(record["method"])] = record  # type: ignore[assignment]
    methods = {m for splits in found.values() for scores in splits.values() for m in scores}
    together: dict[Case, dict[str, list[Scores]]] = {}
    for case, splits in found.items():
        complete = [scores for scores in splits.values() if set(scores) == methods]
        if complete:
            together[case] = {m: [scores[m] for scores in complete] for m in sorted(methods)}
    return dict(sorted(together.items(), key=lambda item: (item[0][1] or 10**9, item[0][0])))


def _mean(scores: list[Scores], measure: str) -> float:
    return mean(score[measure] for score in scores)


def _name(case: Case) -> str:
    name, n = case
    return f"| {f'*{name}*' if judges(name) else name} | {n or 'all'} |"


def _share(good: dict[Case, bool]) -> str:
    """Return how many cases are good, of all and of the half for judging."""
    unseen = [value for (name, _), value in good.items() if judges(name)]
    return f"{sum(good.values())} of {len(good)} (*{sum(unseen)} of {len(unseen)}*)"


def section_classes(records: list[dict[str, object]]) -> str:
    """Return the table of classifiers."""
    lines, within, gaps = [], {}, []
    for case, by_method in cases("classes", records).items():
        nlp = {method: _mean(scores, "nlp") for method, scores in by_method.items()}
        ours, others = nlp.pop("ours"), min(nlp.values())
        within[case] = ours <= others + NATS
        gaps.append(ours - others)
        figures = " | ".join(f"{nlp[m]:.3f}" for m in ("free", "exact", "linear") if m in nlp)
        lines.append(f"{_name(case)} {ours:.3f} | {figures} | {len(by_method['ours'])} |")
    head = "| set | rows | sparsegp | free | exact | logistic | splits |\n" + "|---" * 7 + "|"
    return (
        "## Labels: mean negative log probability\n\n"
        f"At or below the best of the others within {NATS} on {_share(within)} cases; the largest "
        f"difference is {max(gaps):+.3f}.\n\n{head}\n" + "\n".join(lines)
    )


def section_numbers(records: list[dict[str, object]]) -> str:
    """Return the table of regressions."""
    lines, errors, densities = [], {}, {}
    coverage: dict[int, list[float]] = defaultdict(list)
    for case, by_method in cases("numbers", records).items():
        ours, exact = by_method["ours"], by_method["exact"]
        errors[case] = _mean(ours, "rmse") <= FACTOR * _mean(exact, "rmse")
        densities[case] = _mean(ours, "nlpd") <= _mean(exact, "nlpd") + NATS
        coverage[case[1]].append(_mean(ours, "coverage"))
        figures = " | ".join(
            f"{_mean(ours, m):.3f} | {_mean(exact, m):.3f}" for m in ("rmse", "nlpd", "coverage")
        )
        lines.append(f"{_name(case)} {figures} | {len(ours)} |")
    covered = ", ".join(f"{100 * mean(v):.1f} % with {n} rows" for n, v in coverage.items())
    head = "| set | rows | RMSE | exact | NLPD | exact | covered | exact | splits |"
    return (
        "## Numbers: RMSE, NLPD, share inside 95 % intervals\n\n"
        f"RMSE at or below the exact process's within 1 % on {_share(errors)} cases, NLPD within "
        f"{NATS} on {_share(densities)}. Covered on average: {covered}.\n\n"
        f"{head}\n|---|---|---|---|---|---|---|---|---|\n" + "\n".join(lines)
    )


def main() -> None:
    """Write the page."""
    records = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    PAGE.write_text(
        "\n\n".join([INTRODUCTION.strip(), section_classes(records), section_numbers(records)])
        + "\n"
    )


if __name__ == "__main__":
    main()
