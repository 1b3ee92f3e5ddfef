"""Published results of exact Gaussian processes, reached on a CPU with neighbours.

    python -m benchmarks.exact_literature [--sets kin40k pol bike protein_w] [--neighbours 240]

Wang et al. (2019) fitted exact processes of these tables on eight GPUs. The figures beside ours are
those of their paper and a rerun of 2026 with 64 % of the rows to train and 20 % to test. Targets
have a standard deviation of one.
"""

import argparse
import json
import time

import numpy as np

from benchmarks.datasets import load
from sparsegp import SparseGPRegressor

#: RMSE and NLPD, 64 % of the rows to train.
PUBLISHED = {
    "kin40k": (0.079, -1.14),
    "pol": (0.076, -1.22),
    "bike": (0.020, -3.10),
    "protein_w": (0.511, 0.67),
}


def fitted(name: str, seed: int, n_neighbors: int, max_basis: int) -> dict[str, object]:
    table = load(name)
    order = np.random.default_rng(seed).permutation(len(table.X))
    train, _, test = np.split(order, [int(0.64 * len(order)), int(0.8 * len(order))])
    y = (table.y - table.y[train].mean()) / table.y[train].std()
    start = time.perf_counter()
    model = SparseGPRegressor(max_basis=max_basis, n_neighbors=n_neighbors, random_state=seed)
    model.fit(table.X[train], y[train])
    seconds = time.perf_counter() - start
    error = model.predict(table.X[test]) - y[test]
    nlpd = -np.mean(model.log_density(table.X[test], y[test]))
    found = {"rmse": float(np.sqrt(np.mean(error**2))), "nlpd": float(nlpd), "seconds": seconds}
    return {"set": name, "seed": seed, **found, "published": PUBLISHED[name]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=list(PUBLISHED))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--neighbours", type=int, default=240)
    parser.add_argument("--basis", type=int, default=1_000)
    options = parser.parse_args()
    for name in options.sets:
        for seed in options.seeds:
            print(json.dumps(fitted(name, seed, options.neighbours, options.basis)), flush=True)


if __name__ == "__main__":
    main()
