"""Scores of default fits on all sets, to compare two versions of the code.

    python -m benchmarks.default_scores FILE [--seeds 0 1 2] [--rows 3000] [--basis 200]
    python -m benchmarks.default_scores --compare BEFORE AFTER

Run it in two checkouts, one file each, then compare the files. A split is a permutation by
``default_rng(seed)``, which is also the ``random_state``: the last tenth is for the test, at most
3,000 rows, and of the rest at most ``--rows`` train. Errors are in standard deviations of the
target, seconds are CPU seconds.
"""

import argparse
import json
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.datasets import load
from sparsegp import SparseGPClassifier, SparseGPRegressor

REGRESSION = (
    *("abalone", "airfoil", "bank32nh", "bank8fm", "beijing_pm25", "bike", "boston", "calhouse"),
    *("co2", "concrete", "cpuact", "cpusmall", "house16h", "house8l", "keggdirected", "kin40k"),
    *("kin8nm", "pol", "protein_w", "sarcos_test", "snelson"),
)
CLASSIFICATION = (
    *("banana", "breast_cancer", "flare_solar", "image", "ringnorm", "splice", "titanic"),
    *("twonorm", "waveform"),
)
MAX_TEST = 3_000

Record = dict[str, object]


def split(name: str, seed: int, rows: int) -> tuple[np.ndarray, ...]:
    """Return training inputs and targets, and those of the test."""
    table = load(name)
    order = np.random.default_rng(seed).permutation(len(table.X))
    n_test = len(order) // 10
    train, test = order[:-n_test][:rows], order[-n_test:][:MAX_TEST]
    return table.X[train], table.y[train], table.X[test], table.y[test]


def regression(name: str, seed: int, rows: int, basis: int) -> Record:
    X, y, X_test, y_test = split(name, seed, rows)
    scale = np.std(y)
    start = time.process_time()
    model = SparseGPRegressor(max_basis=basis, random_state=seed).fit(X, y / scale)
    seconds = time.process_time() - start
    y_test = y_test / scale
    lower, upper = model.predict_interval(X_test, 0.95)
    return {
        "rmse": float(np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2))),
        "nlpd": float(-np.mean(model.log_density(X_test, y_test))),
        "coverage": float(np.mean((lower <= y_test) & (y_test <= upper))),
        "seconds": seconds,
    }


def classification(name: str, seed: int, rows: int, basis: int) -> Record:
    X, y, X_test, y_test = split(name, seed, rows)
    start = time.process_time()
    model = SparseGPClassifier(max_basis=min(basis, 100), random_state=seed).fit(X, y)
    seconds = time.process_time() - start
    own = np.searchsorted(model.classes_, y_test)
    p = model.predict_proba(X_test)[np.arange(len(own)), own]
    return {
        "error": float(np.mean(model.predict(X_test) != y_test)),
        "nlpd": float(-np.mean(np.log(p))),
        "seconds": seconds,
    }


def compare(before: Path, after: Path) -> None:
    """Print mean changes over sets and seeds, and every set that changed by more than 0.01 nats."""
    found = [
        {(r["set"], r["seed"]): r for r in map(json.loads, path.read_text().splitlines())}
        for path in (before, after)
    ]
    for kind, sets in (("rmse", REGRESSION), ("error", CLASSIFICATION)):
        pairs = [(k, found[0][k], found[1][k]) for k in found[0] if k in found[1] and k[0] in sets]
        change = np.array([b[kind] - a[kind] for _, a, b in pairs])
        relative = np.array([b[kind] / max(a[kind], 1e-9) - 1.0 for _, a, b in pairs])
        nlpd = np.array([b["nlpd"] - a["nlpd"] for _, a, b in pairs])
        seconds = np.exp(np.mean([np.log(b["seconds"] / a["seconds"]) for _, a, b in pairs]))
        print(f"{kind}: {len(pairs)} fits of {len({k[0] for k, _, _ in pairs})} sets")
        print(f"  mean change {change.mean():+.4f}, relative {100 * relative.mean():+.2f} %")
        print(f"  NLPD {nlpd.mean():+.4f} (median {np.median(nlpd):+.4f}), seconds x {seconds:.2f}")
        for name in sets:
            own = [b["nlpd"] - a["nlpd"] for (s, _), a, b in pairs if s == name]
            if own and abs(np.mean(own)) > 0.01:
                covered = [b["coverage"] for (s, _), a, b in pairs if s == name and "coverage" in b]
                text = f", coverage {np.mean(covered):.3f}" if covered else ""
                print(f"  {name}: NLPD {np.mean(own):+.3f}{text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--compare", type=Path, nargs=2)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--rows", type=int, default=3_000)
    parser.add_argument("--basis", type=int, default=200)
    options = parser.parse_args()
    if options.compare:
        compare(*options.compare)
        return
    with options.file.open("a", encoding="utf-8") as out:
        for seed in options.seeds:
            for names, score in ((CLASSIFICATION, classification), (REGRESSION, regression)):
                for name in names:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        found = score(name, seed, options.rows, options.basis)
                    out.write(json.dumps({"set": name, "seed": seed, **found}) + "\n")
                    out.flush()


if __name__ == "__main__":
    main()
