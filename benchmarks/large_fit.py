"""Time of a whole fit of kin40k in units of one matrix product, and its accuracy.

    python -m benchmarks.large_fit [--plain] [--refine] [--max-basis M] [--seed S] [--runs N]
                                   [--json FILE]

36,000 training rows (the first of a ``default_rng(0)`` permutation), 4,000 test rows, target
standardised, ``max_basis`` 1,500 and everything else at its default; ``--plain`` chooses neither
kernel nor transforms, ``--refine`` optimises 500 inducing inputs too (``refine_basis=True``). The
unit is K_xzᵀK_xz for the same rows and basis vectors in the same process: the median of eight, four
before and four after the fit, since the speed of a shared machine changes. With the best of them as
the unit there are more products, which is reported as well. Of several runs the median is reported,
and the products of all.
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import load
from benchmarks.plain import PLAIN
from sparsegp import SparseGPRegressor
from sparsegp.metrics import interval_coverage, nlpd

N_TRAINING = 36_000


def seconds_of_products(m: int, repeats: int = 4) -> list[float]:
    A = np.random.default_rng(0).standard_normal((N_TRAINING, m))
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        A.T @ A
        seconds.append(time.perf_counter() - start)
    return seconds


def run(max_basis: int, *, plain: bool, refine: bool, seed: int) -> dict[str, Any]:
    data = load("kin40k")
    order = np.random.default_rng(0).permutation(len(data.y))
    X, y = data.X[order], data.y[order]
    y = (y - y[:N_TRAINING].mean()) / y[:N_TRAINING].std()
    products = seconds_of_products(max_basis)
    settings = PLAIN if plain else {}
    model = SparseGPRegressor(
        max_basis=max_basis, refine_basis=refine, random_state=seed, **settings
    )
    start = time.perf_counter()
    model.fit(X[:N_TRAINING], y[:N_TRAINING])
    seconds = time.perf_counter() - start
    products += seconds_of_products(max_basis)
    unit = float(np.median(products))
    predicted, truth = model.predict_distribution(X[N_TRAINING:]), y[N_TRAINING:]
    return {
        "max_basis": max_basis,
        "plain": plain,
        "refine": refine,
        "seed": seed,
        "rmse": float(np.sqrt(np.mean((truth - predicted.mean) ** 2))),
        "nlpd": nlpd(predicted, truth),
        "coverage": interval_coverage(predicted, truth),
        "seconds": seconds,
        "product_seconds": unit,
        "products": seconds / unit,
        "products_by_the_best": seconds / min(products),
        "history": model.history_,
    }


def median_run(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the run in the middle by its products, the slower of two, with those of all."""
    ordered = sorted(results, key=lambda result: result["products"])
    in_the_middle = dict(ordered[len(ordered) // 2])
    return in_the_middle | {"products_of_runs": [result["products"] for result in results]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--refine", action="store_true")
    parser.add_argument("--max-basis", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    size = options.max_basis or (500 if options.refine else 1500)
    result = median_run(
        [
            run(size, plain=options.plain, refine=options.refine, seed=options.seed)
            for _ in range(options.runs)
        ]
    )
    for entry in result["history"]:
        print("   ", {k: round(v, 4) if isinstance(v, float) else v for k, v in entry.items()})
    for name, value in result.items():
        if name != "history":
            print(f"{name:16} {value:.4f}" if isinstance(value, float) else f"{name:16} {value}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
