"""Hostile tables: each is refused with an error of ours, or the model predicts finite numbers."""

import re
from typing import Any

import numpy as np

from benchmarks.hostile.odd_tables import drawn_table
from benchmarks.hostile.watched import Trial, is_finite
from sparsegp import OnlineGPClassifier, OnlineGPRegressor, SparseGPClassifier, SparseGPRegressor
from sparsegp.exceptions import SparseGPError

__all__ = ["try_tables"]

Rng = np.random.Generator
#: An error begins with the argument or the column that is wrong, or says so at once.
NAMED = re.compile(
    r"^(Input )?(X|y|X and y|sample_weight|transform_[Xy]|max_basis)\b"
    r"|\bcolumn '|^no column is left to learn from \('|: (X|y|column '.*') must be real$"
)


def try_tables(trial: Trial) -> None:
    """Fit and predict drawn tables."""
    for number in trial.numbers():
        rng = trial.rng(number)
        name, X, y, weight = drawn_table(rng)
        estimator = _estimator(rng, y)
        case = f"{type(estimator).__name__}: {name}"

        def check(
            estimator: Any = estimator, X: Any = X, y: Any = y, weight: Any = weight, rng: Rng = rng
        ) -> str:
            return _fitted(estimator, X, y, weight, rng)

        trial.run(number, case, check)


def _fitted(estimator: Any, X: Any, y: Any, weight: Any, rng: Rng) -> str:
    """Return "refused" or "predicted"."""
    before = _copied(X), _copied(y)
    try:
        estimator.fit(X, y, sample_weight=weight)
        rows = _new_rows(X, rng)
        if hasattr(estimator, "predict_proba"):
            found: tuple[Any, ...] = (estimator.predict_proba(rows), estimator.predict(rows))
        else:
            found = estimator.predict(rows, return_std=True)
    except (ValueError, TypeError, SparseGPError) as error:
        if not NAMED.search(str(error)):
            raise
        outcome = "refused"
    else:
        if not all(map(is_finite, found)):
            raise AssertionError("predicts NaN or infinity")
        outcome = "predicted"
    if not _same(before, (X, y)):
        raise AssertionError("the table was changed")
    return outcome


def _copied(values: Any) -> Any:
    return values.copy() if hasattr(values, "copy") else list(values)


def _same(before: tuple[Any, ...], after: tuple[Any, ...]) -> bool:
    return all(
        repr(np.asarray(a)) == repr(np.asarray(b)) for a, b in zip(before, after, strict=True)
    )


def _estimator(rng: Rng, y: Any) -> Any:
    """Return an estimator with drawn options."""
    labels = _is_labels(y)
    kinds = (SparseGPClassifier, OnlineGPClassifier) if labels else (SparseGPRegressor,) * 2
    if not labels and rng.random() < 0.3:
        kinds = (OnlineGPRegressor,) * 2
    kind = kinds[rng.integers(2)]
    options: dict[str, Any] = {"max_basis": int(rng.choice([1, 5, 20])), "random_state": 0}
    if kind is SparseGPRegressor:
        options |= {
            "transform_y": rng.choice(["standard", "auto", "yeo-johnson", "sinh-arcsinh", "none"]),
            "transform_X": rng.choice(["standard", "auto", "quantile", "none"]),
            "optimizer": [None, "lbfgs"][rng.integers(2)],
            "n_neighbors": [0, 3, "auto"][rng.integers(3)],
            "kernel": ["rbf", "auto", None][rng.integers(3)],
        }
    if kind is SparseGPClassifier:
        options |= {"optimizer": [None, "lbfgs"][rng.integers(2)]}
    options = {name: v.item() if isinstance(v, np.generic) else v for name, v in options.items()}
    return kind(**options)


def _is_labels(y: Any) -> bool:
    array = np.asarray(y)
    return array.dtype.kind in "OUSb" and array.ndim == 1


def _new_rows(X: Any, rng: Rng) -> Any:
    """Return rows to predict: those of the fit, sometimes far away."""
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f" and rng.random() < 0.3:
        with np.errstate(all="ignore"):
            far = X.astype(np.float64) * float(rng.choice([-1.0, 1e3, 1e80, 1e150, 1e200]))
        return np.where(np.isfinite(far), far, 0.0)
    return X
