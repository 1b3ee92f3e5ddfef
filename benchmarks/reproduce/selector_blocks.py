"""The figures of ``docs/which_selector.md``, from the records.

Between ``<!-- records: NAME -->`` and ``<!-- end -->`` stands what the records say; the rest of the
page is written by hand. ``python -m benchmarks.reproduce.page`` writes these parts anew, and a test
compares them.
"""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.reproduce.comparison import markdown_table, sets_of
from benchmarks.reproduce.experiment import Record, by_method, summarise, where
from benchmarks.reproduce.kc_claims import claims_of_kc_figure1
from benchmarks.reproduce.records import read_records, write_text

__all__ = ["BLOCKS", "SELECTOR_PAGE", "fill", "write_selector_page"]

SELECTOR_PAGE = Path(__file__).resolve().parents[2] / "docs" / "which_selector.md"
BLOCK = re.compile(r"(<!-- records: (\w+) -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)

SIZES = (100, 500, 1200)
KC_METHODS = {
    "RAND": "random",
    "INFO": "information gain",
    "KAPPA": "matching pursuit, fresh (KAPPA)",
    "DMAX": "matching pursuit, cached (DMAX)",
    "SB": "log posterior",
}
SS_METHODS = {
    "entropy": "entropy",
    "information_gain": "information gain",
    "adaptive2": "adaptive, 2 rows a step",
    "validation": "validation, 59 rows a step",
}
SMALL_MODELS = ("bank8fm", "cpusmall", "cpuact", "abalone", "friedman3")
ACTIVE_ROWS = 80
OUR_TOLERANCE = 1e-6


def _bold_lowest(values: Sequence[float], digits: int) -> list[str]:
    texts = [f"{value:.{digits}f}" for value in values]
    lowest = min(values)
    return [f"**{t}**" if v == lowest else t for t, v in zip(texts, values, strict=True)]


def _mean(records: Sequence[Record], measure: str) -> float:
    return summarise(r[measure] for r in records).mean


# ------------------------------------------------------------------ regression


def selections(results: Path) -> str:
    """Return the errors of KC figure 1, and at how many sizes the default is the lowest."""
    records = where(read_records(results, "kc_figure1"), set="kin40k")
    rows = []
    for size in SIZES:
        found = where(records, d_max=size)
        values = [_mean(where(found, method=m), "nmse") for m in KC_METHODS]
        rows.append([str(size), *_bold_lowest(values, 1)])
    sizes = sorted({r["d_max"] for r in records})
    first = sum(_lowest(where(records, d_max=d)) == "SB" for d in sizes)
    table = markdown_table(["basis vectors", *KC_METHODS.values()], rows)
    return (
        f"At the same number of basis vectors it had the lowest error of KC's five ways to choose "
        f"on kin40k at {first} of {len(sizes)} sizes. NMSE in percent, fixed hyperparameters "
        f"([KC figure 1](results/keerthi_chu.md)):\n\n{table}"
    )


def _lowest(records: Sequence[Record]) -> str:
    means = {m: summarise(v.values()).mean for m, v in by_method(records, "nmse").items()}
    return min(means, key=means.__getitem__)


def small_models(results: Path) -> str:
    """Return NMSE and size of log posterior and marginal likelihood (SKS tables 2 and 3)."""
    records = where(read_records(results, "sks_tables"), table="fixed")
    rows = []
    for name in SMALL_MODELS:
        row = [name]
        for method in ("NLPP", "NLML"):
            found = where(records, set=name, method=method)
            row.append(f"{_mean(found, 'nmse'):.2f} with {_mean(found, 'n_basis'):.0f}")
        rows.append([*row, str(len(found))])
    header = ["", "`log_posterior`", "`marginal_likelihood`", "partitions"]
    return (
        "NMSE in percent with the number of basis vectors, 59 fresh candidates a step, both with "
        "the same hyperparameters ([SKS tables 2 and 3](results/sundararajan_keerthi_shevade.md)):"
        f"\n\n{markdown_table(header, rows)}"
    )


def information_gain(results: Path) -> str:
    """Return what became of INFO beside random rows."""
    records = where(read_records(results, "kc_figure1"), set="kin40k")
    claims = claims_of_kc_figure1(records)
    worse = next(claim for claim in claims if "around 100" in claim.text)
    word = "was worse" if worse.verdict == "confirmed" else "was no better"
    return (
        "Information gain is fast, since it looks at a row's own target alone, and "
        f"{word} than random rows with 100 basis vectors on kin40k."
    )


# ------------------------------------------------------------------ classification


def active_sets(results: Path) -> str:
    """Return the NLP of active sets beside our default, and how long validation takes."""
    records = where(read_records(results, "ss_figure3_right"), d_max=ACTIVE_ROWS)
    ours = where(read_records(results, "ss_ours"), settings={}, d_max=ACTIVE_ROWS)
    rows = []
    for name in sets_of(records):
        found = where(records, set=name)
        values = [_mean(where(found, method=m), "nlp") for m in SS_METHODS]
        rows.append([name, *_bold_lowest([*values, _mean(where(ours, set=name), "nlp")], 3)])
    ratios = [
        _mean(where(found, method="validation"), "inner_loop_seconds")
        / _mean(where(found, method="adaptive2"), "inner_loop_seconds")
        for found in (where(records, set=name) for name in sets_of(records))
    ]
    table = markdown_table(["", *SS_METHODS.values(), "our default (projected)"], rows)
    return (
        f"{table}\n\nValidation takes {min(ratios):.0f} to {max(ratios):.0f} times as long as "
        "adaptive to fill the set."
    )


# ------------------------------------------------------------------ streams


def deletions(results: Path) -> str:
    """Return the errors and speeds of the two rules of deletion."""
    sinc = where(read_records(results, "co_sinc"), width=1.0)
    ours = where(sinc, tolerance=OUR_TOLERANCE)
    kl, mean = (_mean(where(ours, deletion=rule), "rmse") for rule in ("kl", "mean"))
    by_mean = where(sinc, deletion="mean")
    tolerances = sorted({r["tolerance"] for r in by_mean})
    widest = _mean(where(by_mean, tolerance=tolerances[-1]), "rmse")
    speed = json.loads((results.parents[1] / "results" / "online_speed_rows.json").read_text())
    fresh = [r for r in speed if r["news"]]
    ratios = [
        where(fresh, n_basis=size, deletion="mean")[0]["rows_a_second"]
        / where(fresh, n_basis=size, deletion="kl")[0]["rows_a_second"]
        for size in sorted({r["n_basis"] for r in fresh})
    ]
    return (
        f'`deletion="kl"`, the default, made an error of {kl:.3f} where CO\'s rule `"mean"` made '
        f"{mean:.3f}: sin(x)/x with ten basis vectors. With `tolerance={tolerances[-1]:g}` the "
        f"latter made {widest:.3f}. With many basis vectors there is no difference, and "
        f'`"mean"` is {min(ratios):.1f} to {max(ratios):.1f} times as fast '
        "([which deletion is better when](results/csato_opper.md))."
    )


BLOCKS: dict[str, Callable[[Path], str]] = {
    "selections": selections,
    "small_models": small_models,
    "information_gain": information_gain,
    "active_sets": active_sets,
    "deletions": deletions,
}


def fill(text: str, results: Path) -> str:
    """Return the page with its parts as the records have them."""
    return BLOCK.sub(lambda m: f"{m[1]}{BLOCKS[m[2]](results)}{m[3]}", text)


def write_selector_page(results: Path) -> Path:
    """Write the parts anew."""
    write_text(SELECTOR_PAGE, fill(SELECTOR_PAGE.read_text(), results))
    return SELECTOR_PAGE
