"""Predictions of many rows in units of the matrix products they are made of.

    python -m benchmarks.prediction_speed [--rows N] [--max-basis M] [--repeats R] [--json FILE]
    python -m benchmarks.prediction_speed --rows 10000 --max-basis 500 --neighbours 30 60 120

With standard deviations a row needs its kernel column, two products with triangles and two sums of
squares. The floor is one product (n, m) × (m, m), which has as many operations as the two with
triangles, and the (n, D) × (D, m) of the distances, timed in the same process in blocks,
alternately with the predictions. The best of several repeats counts.

``--neighbours`` compares predictions with so many neighbours among 10,000 rows of eight columns,
which is hard for a search, with those of the same basis without them: seconds of the process.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import best_seconds, busy_share, describe
from sparsegp import SparseGPRegressor
from sparsegp.arrays import n_threads
from sparsegp.kernels import RBF

__all__ = ["fixed_model", "floor_of_predictions", "measure"]

RESULT = Path(__file__).parent / "results" / "prediction_speed.json"
N_COLUMNS = 8
ROWS_TO_FIT = 3_000
ROWS_OF_BLOCK = 10_000
ROWS_WITH_NEIGHBOURS = 10_000
WANTED = {"std_over_floor": ("at most", 2.0), "std_over_mean": ("at least", 5.0)}


def fixed_model(
    m: int, n_columns: int = N_COLUMNS, *, n_rows: int = ROWS_TO_FIT, n_neighbors: int = 0
) -> SparseGPRegressor:
    """Return a model of m basis vectors at fixed hyperparameters."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((max(n_rows, m), n_columns))
    y = np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(len(X))
    return SparseGPRegressor(
        RBF([2.0] * n_columns),
        max_basis=m,
        n_neighbors=n_neighbors,
        noise_variance=0.01,
        optimizer=None,
        calibrate=False,
        selection="random",
        transform_X="standard",
        transform_y="standard",
        random_state=0,
    ).fit(X, y)


def floor_of_predictions(n: int, m: int, n_columns: int, repeats: int) -> float:
    """Return the seconds of the matrix products of a prediction with standard deviations."""
    rng, rows = np.random.default_rng(1), min(n, ROWS_OF_BLOCK)
    X, Z = rng.standard_normal((rows, n_columns)), rng.standard_normal((n_columns, m))
    K, M = rng.standard_normal((rows, m)), rng.standard_normal((m, m))
    out = np.empty((rows, m))

    def work() -> None:
        np.matmul(X, Z, out=out)
        np.matmul(K, M, out=out)

    return best_seconds(work, repeats) * n / rows


def measure(n: int, m: int, repeats: int, n_columns: int = N_COLUMNS) -> dict[str, Any]:
    """Return seconds with and without standard deviations, and their ratios."""
    model = fixed_model(m, n_columns)
    X = np.random.default_rng(2).standard_normal((n, n_columns))
    best = dict.fromkeys(("floor_seconds", "std_seconds", "mean_seconds"), np.inf)
    for _ in range(repeats):  # alternately: a busy minute slows all
        times = (
            floor_of_predictions(n, m, n_columns, 5),
            best_seconds(lambda: model.predict(X, return_std=True), 1),
            best_seconds(lambda: model.predict(X), 1),
        )
        best = {name: min(best[name], t) for name, t in zip(best, times, strict=True)}
    return {
        "n_rows": n,
        "n_columns": n_columns,
        "n_basis": model.n_basis_,
        "threads": n_threads(),
        **{name: round(value, 5) for name, value in best.items()},
        "std_over_floor": round(best["std_seconds"] / best["floor_seconds"], 3),
        "std_over_mean": round(best["std_seconds"] / best["mean_seconds"], 3),
    }


def with_neighbours(n: int, m: int, numbers: Sequence[int], repeats: int) -> dict[int, float]:
    """Return the seconds of predictions with these numbers of neighbours, and with none."""
    X = np.random.default_rng(2).standard_normal((n, N_COLUMNS))
    models = {k: fixed_model(m, n_rows=ROWS_WITH_NEIGHBOURS, n_neighbors=k) for k in (0, *numbers)}
    best = dict.fromkeys(models, np.inf)
    for _ in range(repeats):
        for k, model in models.items():
            start = time.process_time()
            model.predict(X, return_std=True)
            best[k] = min(best[k], time.process_time() - start)
    return best


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--max-basis", type=int, default=1_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--neighbours", type=int, nargs="+", default=[])
    parser.add_argument("--json", type=Path, help=f"default for a million rows: {RESULT.name}")
    options = parser.parse_args(arguments)
    if options.neighbours:
        seconds = with_neighbours(
            options.rows, options.max_basis, options.neighbours, options.repeats
        )
        for k, each in seconds.items():
            print(f"{k:4} neighbours {each:8.3f} s  {each / seconds[0]:6.1f} times")
        return
    busy = busy_share()
    found = measure(options.rows, options.max_basis, options.repeats)
    for name, value in found.items():
        rule = " ".join(map(str, WANTED[name])) if name in WANTED else ""
        print(f"{name:16} {value:g}" + (f"   wanted: {rule}" if rule else ""))
    file = options.json or (RESULT if options.rows >= 1_000_000 else None)
    if file:
        file.write_text(
            json.dumps({**found, "busy_share": busy, "machine": describe()}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
