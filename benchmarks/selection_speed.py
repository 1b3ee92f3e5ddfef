"""Basis selection against one product of the rows with themselves.

    python -m benchmarks.selection_speed [--json FILE]

The unit is one product K_xzᵀK_xz with 36,000 rows and 1,500 columns in the same process: times
mean little on a shared machine, their ratios more. kin40k if it is there, else generated rows.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from sparsegp.data.rows import Rows
from sparsegp.kernels import RBF
from sparsegp.model.approximation import DTC
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.selection import GAINS, select_basis
from sparsegp.selection.conditioned import conditioned_gram
from sparsegp.selection.elimination import Elimination
from sparsegp.selection.gram import choices

DATA = Path(os.environ.get("SPARSEGP_DATA", Path(__file__).parents[2] / "shared" / "data"))
N_ROWS, N_POOL, N_BASIS = 36_000, 4_000, 1_500
ROWS_OF_GRAM = 10_000
KERNEL = 1.0 * RBF([2.0] * 8)
VARIANCE = 0.01

SAMPLE_SETTINGS = (  # criterion, κ, c
    ("matching_pursuit", 59, 59),
    ("matching_pursuit", 59, 500),
    ("log_posterior", 59, 59),
    ("log_posterior", 59, 200),
    ("marginal_likelihood", 59, 200),
    ("information_gain", 0, 10_000),
    ("loo_error", 59, 59),
    ("loo_density", 59, 59),
    ("loo_density", 59, 200),
)


def table() -> Rows:
    file = DATA / "kin40k.parquet"
    if file.exists():
        import pandas as pd

        values = pd.read_parquet(file).to_numpy(dtype=float)
    else:
        X = np.random.default_rng(1).standard_normal((40_000, 8))
        values = np.column_stack((X, np.sin(X.sum(axis=1))))
    values = values[np.random.default_rng(0).permutation(len(values))[:N_ROWS]]
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    return Rows(np.ascontiguousarray(values[:, :-1]), values[:, -1:].copy())


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def product_seconds(rows: Rows) -> float:
    K = KERNEL(rows.X, rows.X[:N_BASIS])
    other = K.copy()  # so that it is not taken for a symmetric product
    return min(seconds(lambda: K.T @ other) for _ in range(3))


def elimination_seconds(rows: Rows, repeats: int = 3) -> dict[str, float]:
    pool = rows.X[:N_POOL]
    gram = conditioned_gram(KERNEL, rows[:ROWS_OF_GRAM], pool, pool[:0], VARIANCE)
    best = dict.fromkeys(GAINS, np.inf)
    for _ in range(repeats):
        for criterion in GAINS:
            system = Elimination(gram.S.copy(), gram.K.copy(), gram.r)
            made = islice(choices(criterion, system, VARIANCE), N_BASIS)
            best[criterion] = min(best[criterion], seconds(partial(list, made)))
    return best


def measure_gram(rows: Rows, unit: float) -> list[dict[str, object]]:
    pool = rows.X[:N_POOL]
    some = rows[:ROWS_OF_GRAM]
    work: dict[str, Callable[[], object]] = {
        f"Gram pass, {ROWS_OF_GRAM} rows, pool {N_POOL}": lambda: conditioned_gram(
            KERNEL, some, pool, pool[:0], VARIANCE
        ),
        f"final statistics, {N_ROWS} rows, {N_BASIS} basis vectors": lambda: collect_moments(
            make_basis(KERNEL, pool[:N_BASIS]), rows, VARIANCE, DTC
        ),
    }
    times = {name: min(seconds(step) for _ in range(2)) for name, step in work.items()}
    times |= {
        f"{criterion}, {N_BASIS} of {N_POOL}": value
        for criterion, value in elimination_seconds(rows).items()
    }
    return [line(name, value, unit) for name, value in times.items()]


def measure_samples(rows: Rows, unit: float, max_basis: int = 300) -> list[dict[str, object]]:
    some = rows[:ROWS_OF_GRAM]
    results = []
    for criterion, n_fresh, cache_size in SAMPLE_SETTINGS:
        work = partial(
            select_basis,
            criterion,
            KERNEL,
            some,
            some.X,
            VARIANCE,
            max_basis=max_basis,
            n_fresh=n_fresh,
            cache_size=cache_size,
            rng=np.random.default_rng(0),
            stop=False,
        )
        value = seconds(work)
        name = f"{criterion} κ={n_fresh} c={cache_size}, {max_basis} of {ROWS_OF_GRAM} rows"
        results.append(line(name, value, unit) | {"ms_a_step": round(1e3 * value / max_basis, 2)})
    return results


def line(name: str, value: float, unit: float) -> dict[str, object]:
    result: dict[str, object] = {
        "what": name,
        "seconds": round(value, 3),
        "products": round(value / unit, 2),
    }
    print(f"{name:58s} {value:8.3f} s {value / unit:7.2f} products", flush=True)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args()
    rows = table()
    unit = product_seconds(rows)
    results = [line(f"one product, {N_ROWS} rows, {N_BASIS} columns", unit, unit)]
    results += measure_gram(rows, unit)
    results += measure_samples(rows, unit)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
