"""How much faster two Dask workers of one thread are than one, on houseelectric.

    python -m benchmarks.scale.workers [--rows N] [--max-basis M] [--workers K ...] [--fits FIT ...]
                                       [--selection NAME] [--rounds N] [--json FILE]

500,000 rows of the training part, 500 basis vectors. The rows lie on the workers before the clock
starts (``persist``), in sixteen partitions, and a fit of a few rows has gone before it, so that
all imports are done. A task costs the scheduler some 4 ms: partitions are few. Three fits:

    given    hyperparameters of an earlier fit, on 10,000 of the rows: the basis is chosen and the
             posterior made; the passes are most of it
    learned  hyperparameters learned as well, on samples that the client looks at with the threads
             it has, however many workers there are
    default  kernel and transforms chosen before that, in the same way

A machine that others use as well is fast in one minute and slow in the next. So the numbers
of workers alternate, for some repeats, each fit in a cluster of its own with a client of its own;
what counts is the median.
"""

import argparse
import json
import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np

from benchmarks.datasets import table_partition
from benchmarks.machine import describe, gemm_rate
from benchmarks.peers.runner import THREAD_VARIABLES
from benchmarks.scale.clock import clocked
from benchmarks.scale.process import environment, in_fresh_process
from sparsegp import SparseGPRegressor
from sparsegp.tables.sources.dask_table import DaskTable

__all__ = ["FITS", "RESULT", "measure"]

RESULT = Path(__file__).resolve().parents[1] / "results" / "scale_workers.json"
ROWS_OF_PARTITION, ROWS_TO_LEARN, ROWS_TO_WARM_UP = 31_250, 10_000, 2_000
PLAIN = {"transform_X": "standard", "transform_y": "standard", "random_state": 0}
FITS = ("given", "learned", "default")


def _options(
    fit: str, selection: str, X: np.ndarray, y: np.ndarray, max_basis: int
) -> dict[str, Any]:
    """Return what the estimator is asked for."""
    if fit == "default":
        return {"max_basis": max_basis, "selection": selection, "random_state": 0}
    options = {"kernel": None, "max_basis": max_basis, "selection": selection, **PLAIN}
    if fit == "learned":
        return options
    few = min(max_basis, 100)
    earlier = SparseGPRegressor(**{**options, "max_basis": few}).fit(
        X[:ROWS_TO_LEARN], y[:ROWS_TO_LEARN]
    )
    known = {"kernel": earlier.kernel_, "noise_variance": earlier.noise_variance_}
    return {**options, **known, "optimizer": None}


def measure(
    n_workers: int, fit: str, selection: str, n_rows: int, max_basis: int
) -> dict[str, Any]:
    """Return the record of one fit with a number of workers."""
    from dask.distributed import Client, LocalCluster, wait

    train, _ = table_partition("houseelectric", 0)
    X, y = train.X[:n_rows], train.y[:n_rows]
    options = _options(fit, selection, X, y, max_basis)
    with (
        environment(dict.fromkeys(THREAD_VARIABLES, "1")),  # or workers have the client's
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
        ) as cluster,
        Client(cluster) as client,
    ):
        held = client.persist(_in_partitions(X, y, ROWS_OF_PARTITION))
        wait(held)
        client.rebalance(held)
        few = _in_partitions(X[:ROWS_TO_WARM_UP], y[:ROWS_TO_WARM_UP], ROWS_TO_WARM_UP // 8)
        SparseGPRegressor(**{**options, "max_basis": 50}).fit(*few)
        found = _record(options, *held)
    asked = {"workers": n_workers, "fit": fit, "selection": selection, "rows": n_rows}
    return {**asked, "max_basis": max_basis, **found}


def _medians(
    workers: Sequence[int], rounds: int, threads: int, *asked: Any
) -> list[dict[str, Any]]:
    """Return for each number of workers the fit of the median time, with the times of all."""
    runs: dict[int, list[dict[str, Any]]] = {k: [] for k in workers}
    for _ in range(rounds):
        for k in workers:
            runs[k].append(in_fresh_process(measure, k, *asked, threads=threads))
            print(k, "workers:", f"{runs[k][-1]['seconds']:.2f} s", flush=True)
    found = []
    for records in runs.values():
        records.sort(key=lambda record: float(record["seconds"]))
        all_of_them = [round(record["seconds"], 3) for record in records]
        found.append({**records[len(records) // 2], "seconds_of_rounds": all_of_them})
    return found


def _rate_of(n_processes: int) -> float:
    """Return the GFLOP/s of processes that multiply matrices at the same time."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_processes, mp_context=spawn) as pool:
        return sum(pool.map(_typical_rate, range(n_processes)))


def _typical_rate(_: int) -> float:
    return float(np.median([gemm_rate(repeats=1) for _ in range(40)]))


def _in_partitions(X: np.ndarray, y: np.ndarray, size: int) -> tuple[da.Array, da.Array]:
    return da.from_array(X, chunks=(size, X.shape[1])), da.from_array(y, chunks=size)


def _record(options: dict[str, Any], X: Any, y: Any) -> dict[str, Any]:
    with clocked(DaskTable) as passes:
        start = time.perf_counter()
        model = SparseGPRegressor(**options).fit(X, y)
        seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "seconds_of_passes": passes.seconds,
        "seconds_of_the_client": seconds - sum(passes.seconds.values()),
        "basis_sum": int(np.sum(model.basis_indices_)),  # the same for any number of workers
        "history": model.history_,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--max-basis", type=int, default=500)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--fits", nargs="+", default=list(FITS), choices=FITS)
    parser.add_argument("--selection", default="log_posterior")
    parser.add_argument("--client-threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5, help="an odd number (default: 5)")
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args(arguments)
    found: dict[str, Any] = {"machine": describe(), "client_threads": options.client_threads}
    found |= {
        "processes_at_once": {
            str(k): in_fresh_process(_rate_of, k, threads=1) for k in options.workers
        }
    }
    found |= {"runs": [], "times_faster": {}}
    for fit in options.fits:
        asked = (fit, options.selection, options.rows, options.max_basis)
        runs = _medians(options.workers, options.rounds, options.client_threads, *asked)
        found["runs"] += runs
        found["times_faster"][fit] = runs[0]["seconds"] / runs[-1]["seconds"]
        print(f"{fit}: {found['times_faster'][fit]:.2f} times faster", flush=True)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
