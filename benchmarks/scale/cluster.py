"""A whole default fit on a Dask cluster: core seconds, bytes and messages of each kind of pass.

    python -m benchmarks.scale.cluster [--rows N ...] [--workers K ...] [--max-basis M]
                                       [--json FILE]

The rows of ``generated`` (8 columns, made on the worker whenever a pass wants them), every option
at its default, workers of one thread. Seconds are those of processes: of each worker, and of the
client, which decides what some rows decide. They say what a machine with a core for each of them
would take, whatever else this one does, as client and workers take turns:

    seconds(K workers) = client + slowest worker

Other records of the file are kept.
"""

import argparse
import json
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np

from benchmarks.machine import commit, describe
from benchmarks.peers.runner import THREAD_VARIABLES
from benchmarks.scale.generated import N_TEST, TEST_BLOCK, _inputs, _targets, generated_table
from benchmarks.scale.process import environment, in_fresh_process
from sparsegp import SparseGPRegressor
from sparsegp.tables.sources.dask_table import DaskTable

__all__ = ["RESULT", "additions", "faster", "measure"]

RESULT = Path(__file__).resolve().parents[1] / "results" / "scale_cluster.json"
ROWS_OF_PARTITION, ROWS_TO_WARM_UP = 100_000, 4_000
#: What the innermost function of a sum is called on the page.
SUMS = {
    "_moments_on_device": "moments",
    "_checked": "check of all numbers",
    "_squares": "deviations",
    "_total_weight": "weights",
}


def kind_of(work: Any) -> str:
    """Return what a sum is, by the functions that its work consists of."""
    names = [name for name in _names(work) if name in SUMS]
    return SUMS[names[0]] if names else "other sums"


def _names(work: Any) -> Iterator[str]:
    if isinstance(work, partial):
        yield from _names(work.func)
        for each in work.args:
            yield from _names(each)
    elif callable(work) and hasattr(work, "__name__"):
        yield work.__name__


@contextmanager
def watched(client: Any, parts: int) -> Iterator[list[dict[str, Any]]]:
    """Note every pass over a Dask table: core seconds of all workers, bytes, messages."""
    found: list[dict[str, Any]] = []
    before = {name: getattr(DaskTable, name) for name in ("fetch", "reduce")}

    def watch(method: Callable[..., Any], name: str) -> Callable[..., Any]:
        @wraps(method)
        def noted(table: DaskTable, what: Any, *others: Any, **options: Any) -> Any:
            start, own = client.run(time.process_time), time.process_time()
            result = method(table, what, *others, **options)
            own, end = time.process_time() - own, client.run(time.process_time)
            found.append({
                "pass": "rows fetched" if name == "fetch" else kind_of(what),
                "worker_seconds": [end[key] - start[key] for key in sorted(end)],
                "client_seconds": own,
                "rows_fetched": len(what) if name == "fetch" else 0,
                "bytes_to_a_worker": len(cloudpickle.dumps(what)),
                "bytes_of_a_result": len(pickle.dumps(result)),
                "tasks": parts if name == "fetch" else parts + additions(parts),
            })  # fmt: skip
            return result

        return noted

    for name, method in before.items():
        setattr(DaskTable, name, watch(method, name))
    try:
        yield found
    finally:
        for name, method in before.items():
            setattr(DaskTable, name, method)


def additions(parts: int, fan_in: int = 8) -> int:
    """Return the tasks of a tree that adds the results of some parts.

    >>> additions(10), additions(1)
    (3, 0)
    """
    total = 0
    while parts > 1:
        parts = -(-parts // fan_in)
        total += parts
    return total


def measure(n_rows: int, n_workers: int, max_basis: int) -> dict[str, Any]:
    """Return the record of one fit, by a client in this process."""
    from dask.distributed import Client, LocalCluster

    with (
        environment(dict.fromkeys(THREAD_VARIABLES, "1")),
        LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        few = generated_table(ROWS_TO_WARM_UP, ROWS_TO_WARM_UP // 8)  # imports are done
        SparseGPRegressor(kernel="rbf", max_basis=20, optimizer=None, random_state=0).fit(*few)
        X, y = generated_table(n_rows, ROWS_OF_PARTITION)
        with watched(client, X.numblocks[0]) as passes:
            workers = client.run(time.process_time)
            wall, own = time.perf_counter(), time.process_time()
            model = SparseGPRegressor(max_basis=max_basis, random_state=0).fit(X, y)
            wall, own = time.perf_counter() - wall, time.process_time() - own
            after = client.run(time.process_time)
    X_test = _inputs(TEST_BLOCK, N_TEST)
    errors = model.predict(X_test) - _targets(X_test, TEST_BLOCK)
    return {
        "rows": n_rows,
        "workers": n_workers,
        "basis": model.n_basis_,
        "columns": X.shape[1],
        "partitions": X.numblocks[0],
        "n_neighbors": model.n_neighbors_,
        "wall_seconds": wall,
        "client_seconds": own,
        "worker_seconds": [after[key] - workers[key] for key in sorted(after)],
        "rmse": float(np.sqrt(np.mean(errors**2))),
        "passes": passes,
        "history": model.history_,
        "commit": commit(),
    }


def faster(record: dict[str, Any]) -> float:
    """Return how many times as fast a fit is on its workers as on one, with a core for each.

    >>> faster({"client_seconds": 10.0, "worker_seconds": [40.0, 50.0]})
    1.6666666666666667
    """
    workers = record["worker_seconds"]
    client = record["client_seconds"]
    return float((client + sum(workers)) / (client + max(workers)))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[10**6, 10**7])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--max-basis", type=int, default=500)
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args(arguments)
    runs = json.loads(options.json.read_text())["runs"] if options.json.exists() else []
    for n_rows in options.rows:
        for n_workers in options.workers:
            record = in_fresh_process(measure, n_rows, n_workers, options.max_basis, threads=1)
            print(n_rows, n_workers, f"{faster(record):.2f} times as fast as one", flush=True)
            runs = [r for r in runs if (r["rows"], r["workers"]) != (n_rows, n_workers)]
            runs = sorted([*runs, record], key=lambda r: (r["rows"], r["workers"]))
            options.json.parent.mkdir(parents=True, exist_ok=True)
            found = {"machine": describe(), "runs": runs}
            options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
