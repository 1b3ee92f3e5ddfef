"""Fits of generated tables that are never held in memory: memory and seconds from 10⁴ to 10⁸ rows.

    python -m benchmarks.scale.generated [--rows N ...] [--threads T] [--json FILE]

8 inputs, Friedman's first function with noise of deviation 1, a Dask array whose blocks are made
from their numbers whenever a pass wants them. 256 basis vectors, hyperparameters learned, error
bars calibrated. Each size has a process of its own. Peak memory is what the process has held
beyond what it held when the array was described; seconds are parted into passes over all rows and
the rest, which looks at a sample and does not grow. Other sizes in the
file are kept.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.delayed import delayed
from threadpoolctl import threadpool_limits

from benchmarks.machine import describe, gemm_rate
from benchmarks.scale.clock import clocked
from benchmarks.scale.process import PeakMemory, in_fresh_process
from sparsegp import SparseGPRegressor
from sparsegp.tables.sources.dask_table import DaskTable

__all__ = ["N_COLUMNS", "RESULT", "generated_table", "measure"]

RESULT = Path(__file__).resolve().parents[1] / "results" / "scale_generated.json"
N_COLUMNS, N_BASIS, ROWS_OF_BLOCK = 8, 256, 65_536
N_TEST, TEST_BLOCK = 10_000, 10**9  # a block that no table has


def _inputs(block: int, n_rows: int) -> np.ndarray:
    return np.random.default_rng([block, 0]).random((n_rows, N_COLUMNS))


def _targets(X: np.ndarray, block: int) -> np.ndarray:
    function = 10.0 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20.0 * (X[:, 2] - 0.5) ** 2
    function += 10.0 * X[:, 3] + 5.0 * X[:, 4]
    return function + np.random.default_rng([block, 1]).standard_normal(len(X))


def generated_table(n_rows: int, rows_of_block: int = ROWS_OF_BLOCK) -> tuple[Any, Any]:
    """Return Dask arrays X (n, 8) and y (n,); no block exists before it is asked for."""
    starts = range(0, n_rows, rows_of_block)
    sizes = [min(rows_of_block, n_rows - start) for start in starts]
    X = [delayed(_inputs)(block, size) for block, size in enumerate(sizes)]
    y = [delayed(_targets)(inputs, block) for block, inputs in enumerate(X)]
    both = zip(X, y, sizes, strict=True)
    parts = [
        (da.from_delayed(a, (n, N_COLUMNS), float), da.from_delayed(b, (n,), float))
        for a, b, n in both
    ]
    return da.concatenate([a for a, _ in parts]), da.concatenate([b for _, b in parts])


def measure(n_rows: int, threads: int, n_basis: int = N_BASIS) -> dict[str, Any]:
    """Return the record of one fit in this process."""
    X, y = generated_table(n_rows)
    model = SparseGPRegressor(
        kernel=None,
        max_basis=n_basis,
        transform_X="standard",
        transform_y="standard",
        random_state=0,
    )
    with threadpool_limits(1):  # a pass has one thread a block
        rate = gemm_rate()
    memory = PeakMemory()
    with dask.config.set(scheduler="threads", num_workers=threads), clocked(DaskTable) as passes:
        start, cpu = time.perf_counter(), time.process_time()
        model.fit(X, y)
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
    peak = memory.bytes_beyond
    X_test = _inputs(TEST_BLOCK, N_TEST)
    y_test = _targets(X_test, TEST_BLOCK)
    in_passes, of_cpu = sum(passes.seconds.values()), sum(passes.cpu_seconds.values())
    return {
        "rows": n_rows,
        "basis": n_basis,
        "columns": N_COLUMNS,
        "threads": threads,
        "gemm_gflops_of_a_thread": rate,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "seconds_of_passes": passes.seconds,
        "cpu_seconds_of_passes": passes.cpu_seconds,
        "passes": passes.times,
        "rows_fetched": passes.fetched,
        "seconds_of_the_rest": seconds - in_passes,
        "cpu_seconds_of_the_rest": cpu_seconds - of_cpu,
        "microseconds_a_row": 1e6 * in_passes / n_rows,
        "cpu_microseconds_a_row": 1e6 * of_cpu / n_rows,
        "peak_mb": peak / 1e6,
        "rmse": float(np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2))),
        "history": model.history_,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10**k for k in range(4, 9)])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--basis", type=int, default=N_BASIS)
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args(arguments)
    found = json.loads(options.json.read_text())["sizes"] if options.json.exists() else []
    for n_rows in options.rows:
        record = in_fresh_process(
            measure, n_rows, options.threads, options.basis, threads=options.threads
        )
        print({name: value for name, value in record.items() if name != "history"}, flush=True)
        found = sorted(
            [other for other in found if other["rows"] != n_rows] + [record],
            key=lambda one: one["rows"],
        )
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(
            json.dumps({"machine": describe(), "sizes": found}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
