"""Tables with strings, categories and missing values as they are, beside two kinds of trees.

    python -m benchmarks.mixed_tables [--methods ours histgb lightgbm] [--sets …] [--seeds 0 1 2]
    python -m benchmarks.mixed_tables --page

Raw DataFrames go to ``fit``. A split is a permutation by ``default_rng(seed)``, which is also the
``random_state``; 80 % train. Numerical targets are divided by their standard deviation in the
training rows. Every fit is a line of ``benchmarks/results/mixed_tables.jsonl``; ``--page`` writes
``benchmarks/mixed_tables.md``. Trees have native categories and early stopping on 15 % of the
training rows, whose residuals give the standard deviation of a normal density; CRPS is twice the
mean pinball loss of 49 quantiles. The script needs sparsegp for ``ours`` alone: run the trees with
any interpreter that has LightGBM.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path
from statistics import NormalDist, mean
from typing import Any

import numpy as np
import pandas as pd

REGRESSION = ("diamonds", "computers", "wages", "medexp", "slid", "beijing_pm25")
CLASSES = ("flchain", "hdma", "chile", "verbagg")
SETS = ("computers", "wages", "medexp", "slid", *CLASSES, "diamonds", "beijing_pm25")
RESULTS = Path(__file__).parent / "results" / "mixed_tables.jsonl"
PAGE = Path(__file__).with_suffix(".md")
PROBABILITIES = np.linspace(0.02, 0.98, 49)
METHODS = {"ours": "sparsegp", "histgb": "HistGradientBoosting", "lightgbm": "LightGBM"}
VALIDATION = 0.15

INTRODUCTION = """# Tables as they are

`python -m benchmarks.mixed_tables`, then `--page`. Nine tables with strings, categories and missing
values, and one of numbers; raw DataFrames to `fit` of each library, with its defaults; trees with
native categories and early stopping. Means of the splits that all three have in
`results/mixed_tables.jsonl`, 80 % of the rows to train; a set that one of them lacks is left out.
Numerical targets are divided by their standard deviation. Labels: share of wrong ones, mean
negative log probability (NLP). Lower is better throughout. Seconds of a fit on one thread of a
machine with up to seven times as much other work as it has cores: compare within a table only.
"""

Record = dict[str, Any]
Split = tuple[pd.DataFrame, np.ndarray, pd.DataFrame, np.ndarray]


def raw_table(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return the columns of a table as they are, and its target."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("SPARSEGP_DATA", beside))
    path = folder / "mixed" / f"{name}.parquet"
    table = pd.read_parquet(path if path.exists() else folder / f"{name}.parquet")
    if name == "diamonds":  # its target is the column y; z comes after it
        return table.drop(columns="y"), table["y"].to_numpy()
    return table.iloc[:, :-1], table.iloc[:, -1].to_numpy()


def split(name: str, seed: int) -> Split:
    """Return training rows and targets, and those of the test."""
    X, y = raw_table(name)
    order = np.random.default_rng(seed).permutation(len(X))
    train, test = np.split(order, [int(0.8 * len(order))])
    if name in CLASSES:
        y = y.astype(str)
    else:
        y = y / np.std(y[train])
    return X.iloc[train], y[train], X.iloc[test], y[test]


def regression_scores(
    y: np.ndarray, point: np.ndarray, quantiles: np.ndarray, log_density: np.ndarray
) -> Record:
    error = y[:, None] - quantiles
    pinball = np.maximum(PROBABILITIES * error, (PROBABILITIES - 1.0) * error)
    return {
        "rmse": float(np.sqrt(np.mean((point - y) ** 2))),
        "nlpd": float(-np.mean(log_density)),
        "crps": 2.0 * float(np.mean(pinball)),
    }


def class_scores(y: np.ndarray, classes: np.ndarray, probability: np.ndarray) -> Record:
    of_true = probability[np.arange(len(y)), np.searchsorted(classes, y)]
    return {
        "error": float(np.mean(classes[np.argmax(probability, axis=1)] != y)),
        "nlp": float(-np.mean(np.log(np.maximum(of_true, 1e-12)))),
    }


def ours(given: Split, seed: int, *, labels: bool) -> Record:
    from sparsegp import SparseGPClassifier, SparseGPRegressor

    X, y, X_test, y_test = given
    start = time.perf_counter()
    kind = SparseGPClassifier if labels else SparseGPRegressor
    model = kind(random_state=seed).fit(X, y)
    seconds = {"seconds": time.perf_counter() - start, "kernel": repr(model.kernel_)}
    if labels:
        return class_scores(y_test, model.classes_, model.predict_proba(X_test)) | seconds
    quantiles = model.predict_quantiles(X_test, PROBABILITIES)
    density = model.log_density(X_test, y_test)
    return regression_scores(y_test, model.predict(X_test), quantiles, density) | seconds


def as_categories(*tables: pd.DataFrame) -> list[pd.DataFrame]:
    """Return strings as categories, the same in all tables."""
    first = tables[0]
    texts = [c for c in first if not pd.api.types.is_numeric_dtype(first[c].dtype)]
    kinds = {c: pd.CategoricalDtype(sorted(first[c].dropna().unique())) for c in texts}
    return [table.astype(kinds) for table in tables]


def trees(given: Split, seed: int, make: Any, *, labels: bool) -> Record:
    X, y, X_test, y_test = given
    X, X_test = as_categories(X, X_test)
    order = np.random.default_rng(seed).permutation(len(X))
    held, rest = np.split(order, [int(VALIDATION * len(order))])
    start = time.perf_counter()
    model = make(seed, labels).fit(X.iloc[rest], y[rest], X.iloc[held], y[held])
    seconds = {"seconds": time.perf_counter() - start}
    if labels:
        return class_scores(y_test, model.classes_, model.predict_proba(X_test)) | seconds
    point, std = model.predict(X_test), float(np.std(y[held] - model.predict(X.iloc[held])))
    normal = NormalDist()
    z = np.array([normal.inv_cdf(p) for p in PROBABILITIES])
    density = -0.5 * np.log(2.0 * np.pi * std**2) - 0.5 * ((y_test - point) / std) ** 2
    return regression_scores(y_test, point, point[:, None] + std * z, density) | seconds


class EarlyStopped:
    """A model of trees whose number the validation rows choose."""

    def __init__(self, model: Any, lightgbm: Any = None) -> None:
        self.model, self.lightgbm = model, lightgbm

    def fit(self, X: Any, y: Any, X_held: Any, y_held: Any) -> Any:
        """Return the library's fitted model."""
        if self.lightgbm is None:
            return self.model.fit(X, y, X_val=X_held, y_val=y_held)
        stop = self.lightgbm.early_stopping(50, verbose=False)
        return self.model.fit(X, y, eval_set=[(X_held, y_held)], callbacks=[stop])


def histgb(seed: int, labels: bool) -> EarlyStopped:
    from sklearn import ensemble

    kind = ensemble.HistGradientBoostingClassifier if labels else None
    kind = kind or ensemble.HistGradientBoostingRegressor
    options = {"early_stopping": True, "max_iter": 1000, "random_state": seed}
    return EarlyStopped(kind(categorical_features="from_dtype", **options))


def lightgbm(seed: int, labels: bool) -> EarlyStopped:
    import lightgbm as library

    kind = library.LGBMClassifier if labels else library.LGBMRegressor
    options = {"n_estimators": 2000, "learning_rate": 0.05, "verbose": -1, "n_jobs": 1}
    return EarlyStopped(kind(random_state=seed, **options), library)


def fitted(method: str, given: Split, seed: int, *, labels: bool) -> Record:
    if method == "ours":
        return ours(given, seed, labels=labels)
    return trees(given, seed, {"histgb": histgb, "lightgbm": lightgbm}[method], labels=labels)


def page() -> str:
    """Return the page: means of the newest records over the splits that all methods have."""
    lines = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    newest = {(r["set"], r["method"], r["seed"]): r for r in lines}

    def shared(name: str) -> list[int]:
        each = [{seed for s, m, seed in newest if (s, m) == (name, method)} for method in METHODS]
        return sorted(set.intersection(*each))

    def of(name: str, method: str, key: str) -> float:
        return mean(newest[name, method, seed][key] for seed in shared(name))

    out = [INTRODUCTION]
    for sets, keys in ((REGRESSION, ("rmse", "nlpd", "crps")), (CLASSES, ("error", "nlp"))):
        here = [name for name in sets if shared(name)]
        titles = [key if key == "error" else key.upper() for key in keys]
        out += ["", "| set | splits | " + " | ".join(titles) + " | fit, s |"]
        out.append("|" + "---|" * (len(keys) + 3))
        for name in here:
            for method, label in METHODS.items():
                splits = len(shared(name))
                values = [f"{of(name, method, key):.4f}" for key in keys]
                cells = [f"{name}: {label}", str(splits), *values]
                cells.append(f"{of(name, method, 'seconds'):.1f}")
                out.append("| " + " | ".join(cells) + " |")
        for key, title in zip(keys, titles, strict=True):
            behind = [s for s in here if _behind(of, s, key)]
            told = f"{title}: more than 1 % (.01 nats) behind the better of the trees on "
            out += ["", f"{told}{len(behind)} of {len(here)} ({', '.join(behind) or '–'})."]
    return "\n".join(out) + "\n"


def _behind(of: Any, name: str, key: str) -> bool:
    best = min(of(name, method, key) for method in METHODS if method != "ours")
    return of(name, "ours", key) > (best + 0.01 if key in ("nlpd", "nlp") else 1.01 * best)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
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
                    found = fitted(method, given, seed, labels=name in CLASSES)
                record = {"set": name, "method": method, "seed": seed, **found}
                with RESULTS.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(record) + "\n")
                print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
