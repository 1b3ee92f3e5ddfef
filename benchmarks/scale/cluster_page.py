"""The section of the page on scale about a default fit on a cluster, and its cost for 10⁹ rows."""

from typing import Any

from benchmarks.reproduce.comparison import markdown_table
from benchmarks.scale.cluster import additions, faster

__all__ = ["cluster_section", "predicted_faster"]

Found = dict[str, Any]
MANY_ROWS, MANY_WORKERS, ROWS_OF_PARTITION = 10**9, 100, 10**6
NETWORK = 1e9  # bytes a second
TASK = 1e-3  # seconds of the scheduler


def cluster_section(found: Found | None) -> str:
    title = "## Measured: a whole default fit on a cluster"
    if found is None:
        return f"{title}\n\nNot run yet: `python -m benchmarks.scale.cluster`."
    runs = [
        [
            f"{run['rows']:,}",
            str(run["workers"]),
            f"{run['client_seconds']:.0f}",
            " + ".join(f"{seconds:.0f}" for seconds in run["worker_seconds"]),
            f"{faster(run):.2f}",
            f"{predicted_faster(run, 10**7):.2f}",
        ]
        for run in found["runs"]
    ]
    header = ["rows", "workers", "client, core s", "workers, core s", "times as fast as one"]
    first = found["runs"][0]
    words = (
        "`python -m benchmarks.scale.cluster`: every option at its default, 8 columns made on the "
        f"worker whenever a pass wants them, {first['basis']} basis vectors, workers of one "
        "thread. Seconds are those of processes, so that they can be told apart on a machine with "
        "fewer cores than processes; *times as fast* takes client and slowest worker one after "
        "the other. The client chooses transforms and kernel, searches hyperparameters and "
        "neighbours by samples of at most 200,000 rows, and selects the basis: its share does not "
        f"grow. The last column is that of two workers at {10**7:,} rows by the core time of a "
        "row, an estimate."
    )
    if "note" in found:
        words += f" ({found['note'][0].upper()}{found['note'][1:]}.)"
    table = markdown_table([*header, "two workers, 10⁷ rows"], runs)
    return "\n\n".join([title, words, table, _many_rows(found["runs"][0])])


def predicted_faster(run: Found, n_rows: int) -> float:
    """Return how many times as fast two workers would be as one, from the core time of a row.

    >>> each = {"worker_seconds": [3.0, 1.0]}
    >>> run = {"rows": 100, "client_seconds": 8.0, "passes": [each]}
    >>> predicted_faster(run, 200), predicted_faster(run, 10**9) < 2.0
    (1.3333333333333333, True)
    """
    passes = sum(sum(each["worker_seconds"]) for each in run["passes"])
    workers, client = passes / run["rows"] * n_rows, run["client_seconds"]
    return float((client + workers) / (client + workers / 2.0))


def _many_rows(run: Found) -> str:
    """Tell what each pass of the same fit costs with many rows on many workers."""
    parts, share = MANY_ROWS // ROWS_OF_PARTITION, MANY_ROWS / MANY_WORKERS
    read = 8 * share * (run["columns"] + 1)
    rows, total = [], 0.0
    for name, passes in _by_name(run["passes"]).items():
        fetched = passes[0]["rows_fetched"] > 0
        core = sum(sum(each["worker_seconds"]) for each in passes) / run["rows"] * share
        tasks = parts + (0 if fetched else additions(parts))
        result = sum(each["bytes_of_a_result"] for each in passes) / len(passes)
        levels = 3 if not fetched else 1  # of the tree of sums, by groups of eight workers
        network = (result / NETWORK) * (1 if fetched else 7 * levels) * len(passes)
        scheduler = TASK * tasks * len(passes)
        total += core + network + scheduler
        rows.append([
            name, str(len(passes)), f"{core:.1f}", f"{scheduler:.1f}", f"{network:.2f}",
            f"{len(passes) * read / 1e9:.2f} GB", f"{result / 1e6:.3g} MB",
            f"{len(passes) * tasks:,}",
        ])  # fmt: skip
    header = ["pass", "times", "core s of a worker", "scheduler, s", "network, s", "read by a"]
    header[-1] += " worker"
    header += ["a result", "messages"]
    client = run["client_seconds"]
    words = (
        f"The same fit of 10⁹ rows on {MANY_WORKERS} workers of one core, in {parts:,} partitions "
        "of a million rows: an estimate from the core time, the bytes and the tasks of the passes "
        f"of {run['rows']:,} rows on one worker. The scheduler takes a millisecond a task, the "
        "network carries 1 GB a second, sums are added in groups of eight. *A result* is what a "
        "partition sends on, or what all partitions together send of fetched rows."
    )
    after = (
        f"Together {total:.0f} s, and {client:.0f} s of the client: "
        f"{(total + client) / 60.0:.0f} min. The matrices of a pass are the same for any number of "
        "rows, so that the client never holds more than the sample: 200,000 rows, 14 MB for "
        "these columns. Larger partitions have fewer messages and need more memory on a worker."
    )
    return "\n\n".join([f"### 10⁹ rows\n\n{words}", markdown_table(header, rows), after])


def _by_name(passes: list[Found]) -> dict[str, list[Found]]:
    found: dict[str, list[Found]] = {}
    for each in passes:
        found.setdefault(each["pass"], []).append(each)
    return found
