"""The page on scale: the model of the cost, and what was measured.

    python -m benchmarks.scale.page [--results FOLDER] [--pages FOLDER]

Reads ``scale_*.json`` in the folder of results and writes ``scale.md``. For
experiments that have not run, the page names the command.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reproduce.comparison import markdown_table
from benchmarks.reproduce.records import write_text
from benchmarks.scale.cluster_page import cluster_section
from benchmarks.scale.costs import (
    Rates,
    default_pool,
    distributed_seconds,
    moment_operations,
    passes,
    work_on_samples,
)
from benchmarks.scale.measured_page import generated_section, table_section, workers_section

__all__ = ["write_page"]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = {"n": 10**8, "n_columns": 8, "m": 256}
MANY_ROWS, MANY_WORKERS, BASIS_SIZES = 10**9, 100, (256, 1024)

INTRODUCTION = """\
# Scale: what a fit costs

Everything that a model needs of all its rows is a sum over them, and everything else looks at a
sample of fixed size. So a fit costs some seconds that do not grow, and a time for each row that
depends on the basis; its memory depends on the basis alone. This page counts both, checks the count
against measurements, and says what 10⁹ rows on 100 workers would take. It is written by
`python -m benchmarks.scale.page` from `benchmarks/results/scale_*.json`.

The guide on out-of-core tables says how to pass tables that do not fit into memory.
"""

PASSES = """\
## Passes over all rows

n rows, D columns, p targets, m basis vectors, a pool of P candidates (P = 2m, at least 2,000). An
operation is one addition or multiplication; symmetric and triangular products count half. *Reduced*
is what each part of a table, a block of a file or a Dask partition, sends on to be added up; for
fetched rows all parts together.

| pass | times | operations | bytes read | bytes reduced |
|---|---|---|---|---|
| means, and a check of every number | 1 | 16n(D+p) | 8n(D+p) | 32(D+p) |
| deviations | 1 | 16n(D+p) | 8n(D+p) | 16(D+p) |
| rows fetched by their numbers | 7 | none | 8n(D+p) | 8(D+p) a row |
| moments: ΦᵀWΦ, ΦᵀWy | 1 | 2nm² + 2nm(D+2) + nm | 8n(D+p) | 8(m² + mp + 4) |

Fetched are 21,001 + 2P rows (of P > 4,500 candidates up to 6,000 more). They lie all over the
table, so that each fetch from a compressed file reads all of it; from a mapped file only the rows
themselves come. Means and deviations are summed in twice the precision, so that their last bit does
not depend on how the table is cut; these passes are there if `transform_X` and `transform_y` are
`"standard"`. If these are `"auto"`, one pass checks the rows, and scales are those of the sample
that the choice is made by.

A fit of {n} rows with D = {n_columns}, p = 1, m = {m}:
"""

SAMPLES = """\
## Work on samples

Hyperparameters begin with exact Gaussian processes on up to 2,000 rows; the basis is chosen by the
Gram matrix of five rows for each candidate, at most 6,000 or a third more than candidates; the
log marginal likelihood at the basis is optimised on 10,000 rows. With the same sizes:
"""

MEMORY = """\
## Memory

Beside the table a fit holds the largest of: ten m×m matrices and features of 12,000 rows (at most
512 MiB); 2 + threads matrices of the pool, P×P; six 2,000×2,000 matrices; then a part of the table,
a few blocks of 8 MiB for each thread, and row indices of at most 4,000,000 rows. For larger tables
no list of indices is kept: the rows of a sample are drawn by index. With Dask the client holds the
matrices, and a worker its partitions and one m×m sum for each task.
"""


def write_page(results: Path, folder: Path) -> Path:
    """Write the page; return its path."""
    sections = [
        INTRODUCTION.strip(),
        _passes(),
        _samples(),
        MEMORY.strip(),
        *(make(_read(results / file)) for file, make in MEASURED),
        _estimate(_read(results / "scale_generated.json")),
    ]
    file = folder / "scale.md"
    write_text(file, "\n\n".join(section for section in sections if section) + "\n")
    return file


#: Files of results, and what the page says of them.
MEASURED: tuple[tuple[str, Callable[[dict[str, Any] | None], str]], ...] = (
    ("scale_generated.json", generated_section),
    ("scale_houseelectric.json", table_section),
    ("scale_workers.json", workers_section),
    ("scale_cluster.json", cluster_section),
)


def _read(file: Path) -> dict[str, Any] | None:
    return json.loads(file.read_text()) if file.exists() else None


def _passes() -> str:
    n, n_columns, m = EXAMPLE.values()
    rows = [
        [
            each.what,
            str(each.times),
            f"{each.operations:.1e}" if each.operations else "none",
            f"{each.bytes_read / 1e9:.3g} GB",
            _bytes(each.bytes_reduced),
        ]
        for each in passes(n, n_columns, m, default_pool(n, m))
    ]
    table = markdown_table(["pass", "times", "operations", "read", "reduced"], rows)
    said = PASSES.replace("{n}", f"{n:,}").replace("{n_columns}", str(n_columns))
    return said.replace("{m}", str(m)).strip() + "\n\n" + table


def _bytes(number: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g} bytes"


def _samples() -> str:
    n, n_columns, m = EXAMPLE.values()
    work = work_on_samples(n, n_columns, m, default_pool(n, m))
    rows = [[what, f"{operations:.1e}"] for what, operations in work.items()]
    return SAMPLES.strip() + "\n\n" + markdown_table(["", "operations"], rows)


def _estimate(found: dict[str, Any] | None) -> str:
    """Estimate the seconds of a larger fit from the measured core time of a row."""
    title = f"## {_power(MANY_ROWS)} rows on {MANY_WORKERS} workers"
    if found is None:
        return f"{title}\n\nNeeds the figures of `python -m benchmarks.scale.generated`."
    largest = found["sizes"][-1]
    rows = []
    for m in BASIS_SIZES:
        seconds = distributed_seconds(
            MANY_ROWS, MANY_WORKERS, _rates(largest, m), 8.0 * (m**2 + m + 4)
        )
        rows.append([str(m), *(f"{value:.0f}" for value in seconds.values())])
        rows[-1].append(f"{sum(seconds.values()) / 60.0:.0f} min")
    header = ["basis vectors", "means and deviations, s", "fetches, s", "sums, s", "reduction, s"]
    table = markdown_table([*header, "on samples, s", "together"], rows)
    return f"{title}\n\n{_assumptions(largest)}\n\n{table}\n\n{AFTERWORD.strip()}"


def _rates(measured: dict[str, Any], m: int) -> Rates:
    """Return seconds of a core; sums and work on samples grow as the model says."""
    n, n_columns, known = measured["rows"], measured["columns"], measured["basis"]
    cpu = measured["cpu_seconds_of_passes"]
    growth = moment_operations(1, n_columns, m).total / moment_operations(1, n_columns, known).total
    on_samples = [
        sum(work_on_samples(n, n_columns, size, default_pool(n, size)).values())
        for size in (m, known)
    ]
    return Rates(
        growth * cpu["sums"] / n,
        cpu["fetches"] / n,
        cpu.get("in turn", 0.0) / n,  # newer records have them among the sums
        measured["cpu_seconds_of_the_rest"] * on_samples[0] / on_samples[1],
    )


def _assumptions(measured: dict[str, Any]) -> str:
    return (
        "An estimate, not a measurement. Seconds of a row on one core are those of the fit of "
        f"{measured['rows']:,} generated rows above; those of other bases follow from the "
        "operations. Each worker has one core of the same kind and a hundredth of the rows, in its "
        "memory (720 MB) or made on the spot; reading from a disk or a network comes on top. Sums "
        "of workers are added in groups of eight over a network of 1 GB a second. The client works "
        "on samples with one core. The scheduler's own time, about a millisecond for each of some "
        "thousand partitions and pass, is left out."
    )


AFTERWORD = """\
Adding up takes next to nothing, since a part sends one m×m matrix, however many rows it has. The
work on samples is all that more workers do not shorten.
"""


def _power(number: int) -> str:
    return "10" + str(len(str(number)) - 1).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=ROOT / "benchmarks" / "results")
    parser.add_argument("--pages", type=Path, default=ROOT / "benchmarks")
    options = parser.parse_args(arguments)
    print(write_page(options.results, options.pages))


if __name__ == "__main__":
    main()
