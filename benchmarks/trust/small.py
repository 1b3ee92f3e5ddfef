"""Small tables: ours with the defaults beside what people use for a few hundred rows.

    python -m benchmarks.trust.small [--task classes numbers] [--sets …] [--seeds 0 1 …]
                                     [--sizes 100 300 …] [--methods ours free exact linear]
    python -m benchmarks.trust.small_page

Classification beside scikit-learn's exact Gaussian process (Laplace, one length scale) and its
logistic regression, regression beside its exact Gaussian process with a length scale a column and
three restarts; columns are standardised for all of them, targets too. Every fit is a line of
``benchmarks/results/trust_small.jsonl``.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np

from benchmarks.trust.cases import (
    LARGE_CLASS_SETS,
    REGRESSION_SETS,
    SMALL_CLASS_SETS,
    Record,
    Records,
    Split,
    nested_split,
)

RESULTS = Path(__file__).parents[1] / "results" / "trust_small.jsonl"
CLASS_SIZES = (150, 300, 600)
REGRESSION_SIZES = (100, 300, 1000)
LEAST_PROBABILITY = 1e-12


def standardised(given: Split, *, target: bool) -> Split:
    """Return rows with standardised columns, by the training rows."""
    X, y, X_test, y_test = given
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    deviation = np.where(deviation > 0.0, deviation, 1.0)
    centre, unit = (y.mean(), y.std() or 1.0) if target else (0.0, 1.0)
    return (
        (X - mean) / deviation,
        (y - centre) / unit,
        (X_test - mean) / deviation,
        (y_test - centre) / unit,
    )


def class_scores(y: np.ndarray, labels: np.ndarray, probabilities: np.ndarray) -> Record:
    """Return the share of wrong labels and the mean negative log probability."""
    column = np.searchsorted(labels, y)
    given = probabilities[np.arange(len(y)), column]
    wrong = labels[np.argmax(probabilities, axis=1)] != y
    return {
        "error": float(np.mean(wrong)),
        "nlp": float(-np.mean(np.log(np.maximum(given, LEAST_PROBABILITY)))),
    }


def our_classifier(given: Split, seed: int) -> Record:
    from sparsegp import SparseGPClassifier

    X, y, X_test, y_test = given
    model = SparseGPClassifier(random_state=seed).fit(X, y)
    return class_scores(y_test, model.classes_, model.predict_proba(X_test))


def free_classifier(given: Split, seed: int) -> Record:
    """Ours without the prior that holds length scales together."""
    from sparsegp.learning.classes import policy

    with patch.object(policy, "MAX_FOLD_SIZE", 0.0):
        return our_classifier(given, seed)


def exact_classifier(given: Split, seed: int) -> Record:
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    X, y, X_test, y_test = standardised(given, target=False)
    kernel = ConstantKernel(1.0, (1e-3, 1e4)) * RBF(float(np.sqrt(X.shape[1])), (1e-2, 1e3))
    model = GaussianProcessClassifier(kernel, random_state=seed).fit(X, y)
    return class_scores(y_test, model.classes_, model.predict_proba(X_test))


def linear_classifier(given: Split, seed: int) -> Record:
    from sklearn.linear_model import LogisticRegression

    X, y, X_test, y_test = standardised(given, target=False)
    model = LogisticRegression(max_iter=1000, random_state=seed).fit(X, y)
    return class_scores(y_test, model.classes_, model.predict_proba(X_test))


def our_regressor(given: Split, seed: int) -> Record:
    from sparsegp import SparseGPRegressor

    X, y, X_test, y_test = given
    unit = float(np.std(y)) or 1.0
    model = SparseGPRegressor(random_state=seed).fit(X, y / unit)
    low, high = model.predict_interval(X_test, level=0.95)
    covered = (low <= y_test / unit) & (y_test / unit <= high)
    return {
        "rmse": float(np.sqrt(np.mean((model.predict(X_test) - y_test / unit) ** 2))),
        "nlpd": float(-np.mean(model.log_density(X_test, y_test / unit))),
        "coverage": float(np.mean(covered)),
    }


def exact_regressor(given: Split, seed: int) -> Record:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    X, y, X_test, y_test = standardised(given, target=True)
    scales = np.full(X.shape[1], np.sqrt(X.shape[1]))
    kernel = ConstantKernel(1.0, (1e-3, 1e4)) * RBF(scales, (1e-2, 1e3))
    kernel += WhiteKernel(0.1, (1e-6, 1e1))
    model = GaussianProcessRegressor(kernel, n_restarts_optimizer=3, random_state=seed).fit(X, y)
    mean, std = model.predict(X_test, return_std=True)
    off = (y_test - mean) / std
    return {
        "rmse": float(np.sqrt(np.mean((mean - y_test) ** 2))),
        "nlpd": float(np.mean(0.5 * off**2 + np.log(std) + 0.5 * np.log(2.0 * np.pi))),
        "coverage": float(np.mean(np.abs(off) <= 1.959964)),
    }


Method = Callable[[Split, int], Record]
METHODS: dict[str, dict[str, Method]] = {
    "classes": {
        "ours": our_classifier,
        "free": free_classifier,
        "exact": exact_classifier,
        "linear": linear_classifier,
    },
    "numbers": {"ours": our_regressor, "exact": exact_regressor},
}


def cases(task: str, sets: list[str] | None, sizes: list[int] | None) -> list[tuple[str, int]]:
    """Return the sets and numbers of training rows, 0 for all."""
    if task == "numbers":
        found = [(name, n) for name in REGRESSION_SETS for n in REGRESSION_SIZES]
    else:
        found = [(name, 0) for name in SMALL_CLASS_SETS]
        found += [(name, n) for name in LARGE_CLASS_SETS for n in CLASS_SIZES]
    return [
        (name, n)
        for name, n in found
        if (sets is None or name in sets) and (sizes is None or n in sizes)
    ]


def main() -> None:
    """Fit what has no record yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--sets", nargs="+")
    parser.add_argument("--sizes", nargs="+", type=int)
    parser.add_argument("--seeds", nargs="+", type=int, default=list(range(10)))
    parser.add_argument("--methods", nargs="+")
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args()
    records = Records(asked.results, ("task", "set", "n", "seed", "method"))
    for seed in asked.seeds:
        for task in asked.task:
            for name, n in cases(task, asked.sets, asked.sizes):
                for method, run in METHODS[task].items():
                    record: Record = {
                        "task": task,
                        "set": name,
                        "n": n,
                        "seed": seed,
                        "method": method,
                    }
                    if record in records or (asked.methods and method not in asked.methods):
                        continue
                    given = nested_split(name, seed, n or None, 0.7 if not n else 0.9)
                    start = time.process_time()
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        record |= run(given, seed)
                    record["seconds"] = round(time.process_time() - start, 2)
                    records.add(record)
                    print(record, flush=True)


if __name__ == "__main__":
    main()
