"""Our defaults on the sets of the two regression papers, beside the best published figures.

    python -m benchmarks.reproduce.ours [--sets NAME ...] [--partitions N] [--out FILE]

Only ``max_basis`` is set, as in the papers. NMSE is in percent, NLPD in the units of y (abalone:
standardised).
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np

from benchmarks.datasets import PAPER_SETS, partition
from benchmarks.reproduce.experiment import Record, score, summarise
from benchmarks.reproduce.published import BEST
from benchmarks.reproduce.records import write_text
from sparsegp import SparseGPRegressor


def run(name: str, k: int, **settings: object) -> Record:
    train, test = partition(name, k)
    model = SparseGPRegressor(max_basis=PAPER_SETS[name].max_basis, random_state=k, **settings)
    start = time.perf_counter()
    model.fit(train.X, train.y)
    seconds = time.perf_counter() - start
    return {**score(model, test), "seconds": seconds}


def summarise_set(name: str, runs: list[Record]) -> Record:
    found = {key: summarise(r[key] for r in runs) for key in runs[0]}
    mean = {key: round(s.mean, 4) for key, s in found.items()}
    best_nmse, best_nlpd = BEST[name]
    return {
        "set": name,
        "partitions": len(runs),
        "mean": mean,
        "sd": {key: round(s.sd, 4) for key, s in found.items() if s.count > 1},
        "published": [best_nmse, None if np.isnan(best_nlpd) else best_nlpd],
        "at_or_below": [bool(mean["nmse"] <= best_nmse), bool(mean["nlpd"] <= best_nlpd)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="*", default=list(PAPER_SETS))
    parser.add_argument("--partitions", type=int, help="instead of 5 (50 for the small sets)")
    parser.add_argument("--settings", default="{}", help="JSON of other settings, to explore")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results = []
    for name in options.sets:
        count = options.partitions or PAPER_SETS[name].n_partitions
        runs = [run(name, k, **json.loads(options.settings)) for k in range(count)]
        results.append(summarise_set(name, runs))
        m, (p1, p2) = results[-1]["mean"], BEST[name]
        print(
            f"{name:10s} NMSE {m['nmse']:7.2f} ({p1:6.2f})  NLPD {m['nlpd']:7.3f} ({p2:6.3f})  "
            f"coverage {100 * m['coverage']:5.1f} %  m {m['n_basis']:4.0f}  {m['seconds']:5.1f} s",
            results[-1]["at_or_below"],
            flush=True,
        )
    if options.out:
        write_text(options.out, json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
