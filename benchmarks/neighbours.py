"""What neighbours add: fifteen tables with the defaults, without neighbours, and LightGBM.

    python -m benchmarks.neighbours [--methods auto none lightgbm] [--sets …] [--seeds 0 1 2]
    python -m benchmarks.neighbours --page

A split is a permutation by ``default_rng(seed)``, which is also the ``random_state``; 90 % train.
Targets are divided by their standard deviation in the training rows. Every fit is a line of
``benchmarks/results/neighbours.jsonl``; ``--page`` writes ``benchmarks/neighbours.md``. CRPS is
twice the mean pinball loss of 49 quantiles. LightGBM has a normal density with the variance of its
errors on validation rows (``benchmarks/peers/tuned_lightgbm.py``).
"""

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import NormalDist, mean

import numpy as np

from benchmarks.datasets import load
from benchmarks.machine import commit

SETS = (
    *("kin40k", "bank8fm", "bank32nh", "cpusmall", "cpuact", "calhouse", "house8l", "house16h"),
    *("pol", "bike", "protein_w", "abalone", "concrete", "airfoil", "kin8nm"),
)
RESULTS = Path(__file__).parent / "results" / "neighbours.jsonl"
PAGE = Path(__file__).with_suffix(".md")
PROBABILITIES = np.linspace(0.02, 0.98, 49)
INTERVAL = (0.025, 0.975)
METHODS = {"auto": "defaults", "none": "`n_neighbors=0`", "lightgbm": "LightGBM, tuned"}

INTRODUCTION = """# What neighbours add

`python -m benchmarks.neighbours`, then `--page`. Means of three splits with 90 % of the rows to
train; the target is divided by its standard deviation. k is the number of neighbours that "auto"
chose in each split. The last columns: the share of test targets in 95 % intervals, of all rows and
of the thirds nearest to and furthest from a training row; seconds of a fit on one thread of an
Intel Xeon (2.5 GHz, two cores) that two to three other processes shared, those of LightGBM on an
ARM Neoverse-N1 that up to ten shared: they compare nothing but magnitudes. Records are in
`results/neighbours.jsonl`; those without a commit (LightGBM) are older.
"""

Record = dict[str, object]
Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def split(name: str, seed: int) -> Split:
    """Return training inputs and targets, and those of the test."""
    table = load(name)
    order = np.random.default_rng(seed).permutation(len(table.X))
    train, test = np.split(order, [int(0.9 * len(order))])
    y = table.y / np.std(table.y[train])
    return table.X[train], y[train], table.X[test], y[test]


def scores(y: np.ndarray, point: np.ndarray, quantiles: np.ndarray) -> Record:
    """Return errors of the mean, and of quantiles at ``PROBABILITIES`` (n, q)."""
    error = y[:, None] - quantiles
    pinball = np.maximum(PROBABILITIES * error, (PROBABILITIES - 1.0) * error)
    return {
        "rmse": float(np.sqrt(np.mean((point - y) ** 2))),
        "crps": 2.0 * float(np.mean(pinball)),
    }


def ours(given: Split, seed: int, n_neighbors: int | str) -> Record:
    from scipy.spatial import KDTree

    from sparsegp import SparseGPRegressor

    X, y, X_test, y_test = given
    start = time.perf_counter()
    model = SparseGPRegressor(n_neighbors=n_neighbors, random_state=seed).fit(X, y)
    seconds = time.perf_counter() - start
    start = time.perf_counter()
    point, _ = model.predict(X_test, return_std=True)
    to_predict = time.perf_counter() - start
    lower, upper = model.predict_interval(X_test, INTERVAL[1] - INTERVAL[0])
    inside = (lower <= y_test) & (y_test <= upper)
    # in the metric of the kernel, thirds of the test rows: near, middle and far from training rows
    Z, Z_test = (model._scaling_X.apply(part) for part in (X, X_test))
    Z, Z_test = (model.kernel_.embedding(part, Z) for part in (Z, Z_test))
    order = np.argsort(KDTree(Z).query(Z_test)[0])
    return {
        **scores(y_test, point, model.predict_quantiles(X_test, PROBABILITIES)),
        "nlpd": float(-np.mean(model.log_density(X_test, y_test))),
        "covered": float(np.mean(inside)),
        "covered_by_distance": [float(np.mean(inside[t])) for t in np.array_split(order, 3)],
        "seconds": seconds,
        "seconds_to_predict": to_predict,
        "n_neighbors": model.n_neighbors_,
        "judged": _judged(model.history_),
        "n_basis": model.n_basis_,
    }


def _judged(history: list[dict[str, object]]) -> object:
    """Return the densities by which the number of neighbours was chosen, if it was."""
    found = [e["log_density"] for e in history if e["phase"] == "number of neighbours"]
    return found[-1] if found else None


def trees(given: Split, seed: int) -> Record:
    from benchmarks.peers.tuned_lightgbm import fit_lightgbm

    X, y, X_test, y_test = given
    start = time.perf_counter()
    model = fit_lightgbm(X, y, seed)
    seconds = time.perf_counter() - start
    point, std, normal = model.predict(X_test), model.deviation, NormalDist()
    z = np.array([normal.inv_cdf(p) for p in PROBABILITIES])
    u = (y_test - point) / std
    return {
        **scores(y_test, point, point[:, None] + std * z),
        "nlpd": float(np.mean(0.5 * np.log(2.0 * np.pi * std**2) + 0.5 * u**2)),
        "covered": float(np.mean(np.abs(u) <= normal.inv_cdf(INTERVAL[1]))),
        "seconds": seconds,
    }


FITS: dict[str, Callable[[Split, int], Record]] = {
    "auto": lambda given, seed: ours(given, seed, "auto"),
    "none": lambda given, seed: ours(given, seed, 0),
    "lightgbm": trees,
}


def page() -> str:
    """Return the page: means over splits of the newest record of each fit."""
    lines = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    newest = {(r["set"], r["method"], r["seed"]): r for r in lines}

    def of(name: str, method: str, key: str) -> float:
        return mean(r[key] for (s, m, _), r in newest.items() if (s, m) == (name, method))

    done = {(s, m) for s, m, _ in newest}
    sets = [name for name in SETS if all((name, method) in done for method in METHODS)]
    head = "| set | k | RMSE | NLPD | CRPS | covered | near, middle, far | fit, s |\n|" + "---|" * 8
    out = [INTRODUCTION, head]
    for name in sets:
        for method, label in METHODS.items():
            own = [r for (s, m, _), r in newest.items() if (s, m) == (name, method)]
            k = ", ".join(str(r["n_neighbors"]) for r in own if "n_neighbors" in r)
            thirds = ""
            if method != "lightgbm":
                each = np.mean([r["covered_by_distance"] for r in own], axis=0)
                thirds = ", ".join(f"{share:.3f}" for share in each)
            values = [f"{of(name, method, key):.4f}" for key in ("rmse", "nlpd", "crps")]
            covered = f"{of(name, method, 'covered'):.3f}"
            seconds = f"{of(name, method, 'seconds'):.1f}"
            cells = [f"{name}: {label}", k, *values, covered, thirds, seconds]
            out.append("| " + " | ".join(cells) + " |")
    for key in ("rmse", "nlpd", "crps"):
        below = sum(of(s, "auto", key) <= of(s, "lightgbm", key) for s in sets)
        worse = [s for s in sets if _worse(of(s, "auto", key), of(s, "none", key), key)]
        out += ["", f"{key.upper()}: at or below LightGBM's on {below} of {len(sets)}; more than "]
        out[-1] += f"1 % above that without neighbours on {len(worse)} ({', '.join(worse) or '–'})."
    fits = {s: [r for (t, m, _), r in newest.items() if (t, m) == (s, "auto")] for s in sets}
    thirds_of = {s: np.mean([r["covered_by_distance"] for r in fits[s]], axis=0) for s in sets}
    covered = sum(0.93 <= of(s, "auto", "covered") <= 0.97 for s in sets)
    not_each = [s for s, t in thirds_of.items() if min(t) < 0.9 or max(t) > 0.98]
    out += ["", f"Intervals cover 93 to 97 % on {covered} of {len(sets)}; each third by distance "]
    out[-1] += f"90 to 98 % on {len(sets) - len(not_each)} (not {', '.join(not_each) or '–'})."
    return "\n".join(out) + "\n"


def _worse(value: float, other: float, key: str) -> bool:
    return value > other + (0.01 if key == "nlpd" else 0.01 * other)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", choices=FITS, default=list(FITS))
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    if options.page:
        PAGE.write_text(page(), encoding="utf-8")
        return
    for seed in options.seeds:
        for name in options.sets:
            given = split(name, seed)
            for method in options.methods:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = FITS[method](given, seed)
                record = {"set": name, "method": method, "seed": seed, **found, "commit": commit()}
                with RESULTS.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(record) + "\n")
                print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
