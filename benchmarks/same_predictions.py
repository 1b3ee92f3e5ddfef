"""Ten fits whose predictions must not change by a bit when code is moved or renamed.

    python -m benchmarks.same_predictions --record FILE    # before
    python -m benchmarks.same_predictions --compare FILE   # after; exit status 1 if a fit differs

The data are generated, the fits cover regression, classification, streams, an array library other
than NumPy, Dask, files and the command-line's table encoding. The file is machine-dependent (BLAS,
processor), so it is compared on the machine that recorded it and never committed.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification, make_friedman1

from sparsegp import (
    OnlineGPClassifier,
    OnlineGPRegressor,
    SparseGPClassifier,
    SparseGPRegressor,
    load,
)

Arrays = dict[str, np.ndarray]


def _regression(n: int = 900) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_friedman1(n, n_features=6, noise=1.0, random_state=0)
    return X, np.exp(y / 8.0)


def _labels(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        600, n_features=6, n_informative=4, n_classes=n_classes, random_state=0
    )


def _predicted(model: SparseGPRegressor, X: np.ndarray) -> Arrays:
    mean, std = model.predict(X, return_std=True)
    return {"mean": mean, "std": std, "quantiles": model.predict_quantiles(X, [0.05, 0.5, 0.95])}


def default_regression() -> Arrays:
    X, y = _regression()
    return _predicted(
        SparseGPRegressor(max_basis=60, random_state=0).fit(X[:700], y[:700]), X[700:]
    )


def student_t_regression() -> Arrays:
    X, y = _regression()
    y = y + np.where(np.arange(len(y)) % 25 == 0, 10.0, 0.0)
    model = SparseGPRegressor(
        max_basis=40, noise="student_t", transform_y="standard", random_state=0
    )
    return _predicted(model.fit(X[:700], y[:700]), X[700:])


def heteroscedastic_regression() -> Arrays:
    X, y = _regression()
    model = SparseGPRegressor(
        max_basis=40, noise="heteroscedastic", transform_X="quantile", random_state=0
    )
    return _predicted(model.fit(X[:700], y[:700]), X[700:])


def leave_one_out_regression() -> Arrays:
    X, y = _regression(400)
    model = SparseGPRegressor(
        kernel=None,
        max_basis=25,
        selection="loo_density",
        n_candidates=5,
        approximation="fitc",
        objective="loo_density",
        transform_X="standard",
        transform_y="standard",
        random_state=0,
    )
    weight = np.where(np.arange(300) % 3 == 0, 2.0, 1.0)
    return _predicted(model.fit(X[:300], y[:300], sample_weight=weight), X[300:])


def two_classes() -> Arrays:
    X, y = _labels(2)
    model = SparseGPClassifier(max_basis=20, random_state=0).fit(X[:500], y[:500])
    return {"probability": model.predict_proba(X[500:])}


def four_classes() -> Arrays:
    X, y = _labels(4)
    model = SparseGPClassifier(
        kernel="auto", max_basis=20, inference="least_squares", transform_X="auto", random_state=0
    )
    return {"probability": model.fit(X[:500], y[:500]).predict_proba(X[500:])}


def active_classes() -> Arrays:
    X, y = _labels(2)
    model = SparseGPClassifier(
        max_basis=12, posterior="active", selection="validation", n_adaptations=2, random_state=0
    )
    return {"probability": model.fit(X[:300], y[:300]).predict_proba(X[300:])}


def streams() -> Arrays:
    X, y = _regression()
    regressor = OnlineGPRegressor(max_basis=30, n_warmup=100, random_state=0)
    for start in range(0, 800, 80):
        regressor.partial_fit(X[start : start + 80], y[start : start + 80])
        regressor.forget(0.01)
    A, labels = _labels(4)
    classifier = OnlineGPClassifier(max_basis=20, n_warmup=100, random_state=0)
    classifier.fit(A[:400], labels[:400])
    mean, std = regressor.predict(X[800:], return_std=True)
    return {"mean": mean, "std": std, "probability": classifier.predict_proba(A[400:])}


def on_a_device() -> Arrays:
    import array_api_strict as xp

    X, y = _regression(600)
    device = xp.Device("device1")
    model = SparseGPRegressor(max_basis=30, random_state=0)
    model.fit(xp.asarray(X[:500], device=device), xp.asarray(y[:500], device=device))
    with tempfile.TemporaryDirectory() as folder:  # a file brings the model to the host
        model.save(Path(folder) / "model")
        return _predicted(load(Path(folder) / "model"), X[500:])


def dask_and_file() -> Arrays:
    import dask.array as da

    X, y = _regression()
    model = SparseGPRegressor(max_basis=40, random_state=0)
    model.fit(da.from_array(X[:700], chunks=(200, 6)), da.from_array(y[:700], chunks=200))
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        return _predicted(load(Path(folder) / "model"), X[700:])


FITS: tuple[Callable[[], Arrays], ...] = (
    default_regression,
    student_t_regression,
    heteroscedastic_regression,
    leave_one_out_regression,
    two_classes,
    four_classes,
    active_classes,
    streams,
    on_a_device,
    dask_and_file,
)


def digest(found: Arrays) -> dict[str, str]:
    """Return a hash of the bytes of each array."""
    return {
        name: sha256(np.ascontiguousarray(values, dtype=np.float64).tobytes()).hexdigest()
        for name, values in found.items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--record", type=Path)
    group.add_argument("--compare", type=Path)
    options = parser.parse_args()
    found = {fit.__name__: digest(fit()) for fit in FITS}
    if options.record is not None:
        options.record.write_text(json.dumps(found, indent=2))
        return 0
    before = json.loads(options.compare.read_text())
    for name, hashes in found.items():
        print(f"{name:32} {'same' if hashes == before.get(name) else 'DIFFERENT'}")
    return int(found != before)


if __name__ == "__main__":
    sys.exit(main())
