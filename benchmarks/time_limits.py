"""Accuracy within time limits of 1, 5 and 20 seconds, and whether fits keep them.

    python -m benchmarks.time_limits [--limits 1 5 20] [--max-basis M] [--seed S] [--json FILE]

kin40k: 36,000 training rows (the first of a ``default_rng(0)`` permutation), 4,000 test rows,
``max_basis=1500``, target standardised. ``held`` says whether a fit took at most 1.2 times its
limit. The last fit has no limit.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.datasets import load
from sparsegp import SparseGPRegressor
from sparsegp.metrics import nlpd

N_TRAINING = 36_000
ALLOWED = 1.2


def run(limit: float | None, max_basis: int, seed: int) -> dict[str, Any]:
    data = load("kin40k")
    order = np.random.default_rng(0).permutation(len(data.y))
    X, y = data.X[order], data.y[order]
    y = (y - y[:N_TRAINING].mean()) / y[:N_TRAINING].std()
    model = SparseGPRegressor(max_basis=max_basis, time_limit=limit, random_state=seed)
    start = time.perf_counter()
    model.fit(X[:N_TRAINING], y[:N_TRAINING])
    seconds = time.perf_counter() - start
    predicted, truth = model.predict_distribution(X[N_TRAINING:]), y[N_TRAINING:]
    return {
        "limit": limit,
        "seconds": seconds,
        "held": limit is None or seconds <= ALLOWED * limit,
        "rmse": float(np.sqrt(np.mean((truth - predicted.mean) ** 2))),
        "nlpd": nlpd(predicted, truth),
        "n_basis": model.n_basis_,
        "cut_short": model.cut_short_,
        "history": model.history_,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--limits", type=float, nargs="+", default=[1.0, 5.0, 20.0])
    parser.add_argument("--max-basis", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = [run(limit, options.max_basis, options.seed) for limit in (*options.limits, None)]
    for found in results:
        limit = "none" if found["limit"] is None else f"{found['limit']:g} s"
        print(
            f"limit {limit:>6}: {found['seconds']:6.2f} s, RMSE {found['rmse']:.4f}, "
            f"NLPD {found['nlpd']:7.4f}, {found['n_basis']:5} basis vectors"
        )
        for cut in found["cut_short"]:
            print(f"    {cut}")
    if options.json:
        summary = {
            "max_basis": options.max_basis,
            "seed": options.seed,
            "held": all(found["held"] for found in results),
            "grows": bool(np.all(np.diff([found["rmse"] for found in results]) <= 0.0)),
            "fits": results,
        }
        options.json.write_text(json.dumps(summary, indent=1) + "\n")


if __name__ == "__main__":
    main()
