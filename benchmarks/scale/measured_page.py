"""What the page on scale says of measurements."""

from typing import Any

from benchmarks.peers.houseelectric import seconds_alone
from benchmarks.reproduce.comparison import markdown_table, phase_title
from benchmarks.scale.costs import moment_operations

__all__ = ["generated_section", "table_section", "workers_section"]

Found = dict[str, Any] | None


def _machine(found: dict[str, Any]) -> str:
    machine = found["machine"]
    return f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']:g} GB"


def generated_section(found: Found) -> str:
    title = "## Measured: rows generated on demand"
    if found is None:
        return f"{title}\n\nNot run yet: `python -m benchmarks.scale.generated`."
    sizes = found["sizes"]
    header = ["rows", "seconds", "core seconds: passes", "on samples", "core µs a row"]
    header += [
        "of these sums",
        "operations of sums a row",
        "GFLOP/s of sums",
        "peak memory",
        "RMSE",
    ]
    table = markdown_table(header, [_generated_row(size) for size in sizes])
    return "\n\n".join([title, _generated_words(found), table, _flat(sizes)])


def _generated_words(found: dict[str, Any]) -> str:
    first = found["sizes"][0]
    return (
        f"`python -m benchmarks.scale.generated`: {first['columns']} inputs, {first['basis']} "
        "basis vectors, a Dask array whose blocks of 65,536 rows are made whenever a pass wants "
        f"them, on {_machine(found)}, threads used: {first['threads']}. Hyperparameters are "
        "learned, the basis is chosen, error bars are calibrated. Core seconds are those of the "
        "process: other work on the machine makes seconds much longer, and these hardly. "
        "Memory is beyond what the process held before."
    )


def _generated_row(size: dict[str, Any]) -> list[str]:
    cpu = size["cpu_seconds_of_passes"]
    of_row = 1e6 * cpu["sums"] / size["rows"]
    operations = moment_operations(1, size["columns"], size["basis"]).total
    return [
        f"{size['rows']:,}",
        f"{size['seconds']:.0f}",
        f"{sum(cpu.values()):.1f}",
        f"{size['cpu_seconds_of_the_rest']:.1f}",
        f"{size['cpu_microseconds_a_row']:.2f}",
        f"{of_row:.2f}",
        f"{operations:,.0f}",
        f"{1e-3 * operations / of_row:.1f}",
        f"{size['peak_mb']:.0f} MB",
        f"{size['rmse']:.3f}",
    ]


def _flat(sizes: list[dict[str, Any]]) -> str:
    """Say how much a row and the memory change from a million rows on."""
    large = [size for size in sizes if size["rows"] >= 10**6]
    if len(large) < 2:
        return ""
    of_row = [size["cpu_microseconds_a_row"] for size in large]
    memory = [size["peak_mb"] for size in large]
    return (
        f"From {large[0]['rows']:,} to {large[-1]['rows']:,} rows the core time of a row stays "
        f"within {100.0 * (max(of_row) / min(of_row) - 1.0):.0f} %, the peak of memory within "
        f"{max(memory) - min(memory):.0f} MB. The noise of the targets has deviation 1."
    )


def table_section(found: Found) -> str:
    title = "## Measured: two million rows"
    if found is None:
        command = "python -m benchmarks.scale.houseelectric --peer-python FILE"
        return f"{title}\n\nNot run yet: `{command}`."
    rows = [_table_row(f"ours, {name}", record) for name, record in found["ours"].items()]
    if "svgp" in found:
        rows.append(_table_row("GPyTorch SVGP", found["svgp"]))
    header = ["", "fit, s", "in floors", "RMSE", "NLPD", "memory beyond the data"]
    first = next(iter(found["ours"].values()))
    words = (
        "`python -m benchmarks.scale.houseelectric`: "
        f"{first['n_training']:,} rows of houseelectric to train, {first['n_test']:,} to test, "
        f"{first['max_basis']:,} basis vectors, {found['threads']} threads of {_machine(found)}. "
        f"The floor of {first['floor_seconds']:.0f} s is the time of the matrix products of one "
        "pass for the moments and one for a Gram matrix of as many candidates as basis vectors, "
        f"3nm² operations, at the {first['gemm_gflops']:.0f} GFLOP/s of a product in the same "
        "process. SVGP: 1,024 inducing inputs, batches of 1,024, 3 epochs of Adam at 0.01, float32."
        f"{_pace(found)}"
    )
    return "\n\n".join([title, words, markdown_table(header, rows), _phases(first)])


def _pace(found: dict[str, Any]) -> str:
    """Say how long the peer takes by itself, if that was measured."""
    pace, whole = found.get("svgp_pace"), found.get("svgp")
    if not pace or not whole or "failed" in pace or "failed" in whole:
        return ""
    seconds = seconds_alone(whole, pace)
    return (
        f" Its row is a fit on {whole['threads']} thread beside other work. With "
        f"{pace['threads']} threads and nothing beside it, {pace['steps']} of its "
        f"{whole['steps']:,} steps took {pace['fit_seconds']:.1f} s: {seconds:,.0f} s for all."
    )


def _table_row(name: str, record: dict[str, Any]) -> list[str]:
    if "failed" in record:
        return [name, record["failed"], "", "", "", ""]
    memory = record.get("peak_gib_beyond_data")
    if memory is None:
        memory = (record["peak_mb"] - record["peak_mb_before"]) * 1e6 / 2**30
    floors = record.get("fit_in_floors")
    return [
        name,
        f"{record['fit_seconds']:.0f}",
        "" if floors is None else f"{floors:.2f}",
        f"{record['rmse']:.4f}",
        f"{record['nlpd']:.3f}".replace("-", "−"),
        f"{memory:.2f} GiB",
    ]


def _phases(record: dict[str, Any]) -> str:
    timed = [entry for entry in record["history"] if "seconds" in entry]
    rows = [[phase_title(entry["phase"]), f"{entry['seconds']:.1f}"] for entry in timed]
    return "Where the time of our fit goes:\n\n" + markdown_table(["phase", "seconds"], rows)


def workers_section(found: Found) -> str:
    title = "## Measured: one and two workers"
    if found is None:
        return f"{title}\n\nNot run yet: `python -m benchmarks.scale.workers`."
    rows = [
        [
            run["fit"],
            str(run["workers"]),
            f"{run['seconds']:.1f}",
            f"{sum(run['seconds_of_passes'].values()):.1f}",
            f"{run['seconds_of_the_client']:.1f}",
        ]
        for run in found["runs"]
    ]
    first = found["runs"][0]
    faster = ", ".join(f"{fit} {ratio:.2f}" for fit, ratio in found["times_faster"].items())
    words = (
        f"`python -m benchmarks.scale.workers`: {first['rows']:,} rows of houseelectric, "
        f"{first['max_basis']} basis vectors, Dask workers of one thread that hold the rows, on "
        f"{_machine(found)}. *Given* hyperparameters come from an earlier fit on 10,000 rows; "
        "*learned* ones are found by the client on samples, which no worker shortens."
    )
    table = markdown_table(["hyperparameters", "workers", "seconds", "passes", "client"], rows)
    verdict = f"Times faster with more workers: {faster}."
    if "seconds_of_rounds" in first:
        n_rounds = sorted({len(run["seconds_of_rounds"]) for run in found["runs"]})
        of_rounds = " or ".join(map(str, n_rounds))
        verdict += (
            f" Runs with one and more workers alternated; these are medians of {of_rounds} runs."
        )
    if "processes_at_once" in found:
        own = " and ".join(f"{rate:.0f}" for rate in found["processes_at_once"].values())
        counts = " and ".join(found["processes_at_once"])
        verdict += (
            f" What the machine allows: {counts} processes that do nothing but matrix products, "
            f"with one thread each, do {own} GFLOP/s."
        )
    return "\n\n".join([title, words, table, verdict])
