"""Tables of the classification results, in markdown."""

from collections.abc import Sequence
from math import nan

from benchmarks.reproduce.class_experiment import METHODS
from benchmarks.reproduce.comparison import markdown_table, plus_minus, sets_of
from benchmarks.reproduce.experiment import Record, by_method, summarise, where, worse_than_best
from benchmarks.reproduce.significance import signed_rank_p
from benchmarks.reproduce.ss_published import TARGETS

__all__ = [
    "DIGITS",
    "TITLES",
    "beside_svgp",
    "of_methods",
    "of_sampling",
    "of_seconds",
    "of_sites",
]

LEVEL = 0.05
#: Digits after the point of each measure.
DIGITS = {"error": 2, "nlp": 3}
# Records have seven digits: means that differ by less are equal.
ROUNDED = 1e-6
#: How a method is called on the page.
TITLES = {
    "entropy": "entropy",
    "information_gain": "information gain",
    "adaptive1": "adaptive, κ = 1",
    "adaptive2": "adaptive, κ = 2",
    "validation": "validation, κ = 59",
}


def mean_cell(values: Sequence[float], digits: int) -> str:
    """Return mean ± standard deviation; nothing of no values."""
    if not values:
        return ""
    found = summarise(values)
    return plus_minus(found.mean, found.sd, digits)


def of_methods(records: Sequence[Record], ours: Sequence[Record], measure: str) -> str:
    """Return a table with a line for each set and d_max, a column for each method and our default.

    Of the paper's methods the lowest mean is bold, and ★ is significantly worse than it. Our
    default stands in the line of the size it has.
    """
    rows = []
    for name in sets_of(records):
        for size in sorted({r["d_max"] for r in where(records, set=name)}):
            samples = by_method(where(records, set=name, d_max=size), measure)
            best, worse = worse_than_best(samples, signed_rank_p, LEVEL)
            row = [name, str(size)]
            for method in METHODS:
                text = mean_cell([*samples.get(method, {}).values()], DIGITS[measure])
                text = f"**{text}**" if method == best else text
                row.append(f"{text} ★" if method in worse else text)
            default = where(ours, set=name, d_max=size)
            rows.append([*row, mean_cell([r[measure] for r in default], DIGITS[measure])])
    return markdown_table(["set", "d_max", *(TITLES[m] for m in METHODS), "our default"], rows)


def of_seconds(records: Sequence[Record]) -> str:
    """Return a table of inner loops, with how much longer validation's take than adaptive ones."""
    rows = []
    for name in sets_of(records):
        for size in sorted({r["d_max"] for r in where(records, set=name)}):
            found = by_method(where(records, set=name, d_max=size), "inner_loop_seconds")
            mean = {m: summarise(values.values()).mean for m, values in found.items()}
            row = [name, str(size), *(f"{mean[m]:.2f}" if m in mean else "" for m in METHODS)]
            both = {"validation", "adaptive2"} <= mean.keys()
            ratio = f"{mean['validation'] / max(mean['adaptive2'], 1e-9):.1f}" if both else ""
            rows.append([*row, ratio])
    header = ["set", "d_max", *(TITLES[m] for m in METHODS), "validation / adaptive, κ = 2"]
    return markdown_table(header, rows)


def of_sampling(records: Sequence[Record], measure: str) -> str:
    """Return a table with a line for each set, d_max and method, a column for each κ."""
    kappas = sorted({r["kappa"] for r in records})
    rows = []
    for name in sets_of(records):
        for size in sorted({r["d_max"] for r in where(records, set=name)}):
            found = where(records, set=name, d_max=size)
            for method in dict.fromkeys(r["method"] for r in found):
                row = [name, str(size), method]
                for kappa in kappas:
                    values = [r[measure] for r in where(found, method=method, kappa=kappa)]
                    row.append(mean_cell(values, DIGITS[measure]))
                rows.append(row)
    return markdown_table(["set", "d_max", "candidates", *(f"κ = {k}" for k in kappas)], rows)


def of_sites(records: Sequence[Record]) -> str:
    """Return a table with a line for each set, rows and measure: both kinds of sites, p-value."""
    rows = []
    for name in sets_of(records):
        for part in ("train", "test"):
            for measure, digits in DIGITS.items():
                samples = by_method(where(records, set=name), f"{part}_{measure}")
                cells = [
                    mean_cell([*samples[m].values()], digits)
                    for m in ("moment_matching", "predictive_loss")
                ]
                pairs = (samples[m] for m in ("moment_matching", "predictive_loss"))
                p = signed_rank_p(*([values[k] for k in sorted(values)] for values in pairs))
                title = "error" if measure == "error" else "NLP"
                rows.append([name, f"{title}, {part}", *cells, f"{p:.2g}"])
    header = ["set", "measure", "moment matching", "predictive loss", "p (signed rank)"]
    return markdown_table(header, rows)


def beside_svgp(records: Sequence[Record], svgp: Sequence[Record]) -> str:
    """Return a table of our default, a line for each set, and how often it is at or below SVGP."""
    header = ["set", "partitions", "error, SVGP", "ours", "NLP, SVGP", "ours"]
    header += ["seconds, SVGP", "ours", "ECE", "basis vectors"]
    rows, marks = [], []
    for name in [*TARGETS, *(s for s in sets_of(records) if s not in TARGETS)]:
        found = where(records, set=name)
        if not found:
            continue
        theirs = _on_the_same(found, where(svgp, set=name))
        row = [name, str(len(found))]
        for measure, digits in DIGITS.items():
            values = [r[measure] for r in found]
            text, (limit, target) = mean_cell(values, digits), _target(name, measure, theirs)
            if target:
                as_good = summarise(values).mean <= limit * (1.0 + ROUNDED)
                marks.append("✓" if as_good else "✗")
                text += f" {marks[-1]}"
            row += [target, text]
        row.append(mean_cell([r["fit_seconds"] for r in theirs], 1))
        for measure, digits in (("seconds", 1), ("ece", 3), ("n_basis", 0)):
            row.append(mean_cell([r[measure] for r in found], digits))
        rows.append(row)
    count = f"\n\nAt or below SVGP: {marks.count('✓')} of {len(marks)} cells."
    return markdown_table(header, rows) + (count if marks else "")


def _on_the_same(ours: Sequence[Record], theirs: Sequence[Record]) -> list[Record]:
    """Return the runs of SVGP on the partitions of ours; none if some are missing."""
    wanted = {r["partition"] for r in ours}
    same = [r for r in theirs if r["partition"] in wanted and "nlp" in r]
    return same if {r["partition"] for r in same} == wanted else []


def _target(name: str, measure: str, theirs: Sequence[Record]) -> tuple[float, str]:
    """Return what SVGP reached, and as text; where it has not run, on one partition."""
    if theirs:
        values = [r[measure] for r in theirs]
        return summarise(values).mean, mean_cell(values, DIGITS[measure])
    if name not in TARGETS:
        return nan, ""
    limit = dict(zip(DIGITS, TARGETS[name], strict=True))[measure]
    return limit, f"{limit:g} (one partition)"
