"""The learners: ours with default options, river's with theirs, and the last target.

A learner predicts a row and then learns it. Regressors without a predictive density get a normal
one with the running mean square of their last hundred errors as variance; the same for all.
"""

import pickle
import tempfile
from collections.abc import Callable
from math import exp, log, pi
from pathlib import Path
from typing import Any, Protocol

import numpy as np

__all__ = ["CLASSIFIERS", "OURS", "REGRESSORS", "Learner", "learner", "log_density"]

HORIZON = 100.0
LEAST_PROBABILITY = 1e-12
OURS = "sparsegp"


class Learner(Protocol):
    """Predicts a row, then learns it."""

    def predict(self, x: np.ndarray) -> tuple[Any, Any]:
        """Return mean and variance, or label and probabilities by label."""

    def learn(self, x: np.ndarray, y: Any) -> None:
        """Learn a row."""

    def size(self) -> int:
        """Return the bytes of the state."""


class Ours:
    """``OnlineGPRegressor`` or ``OnlineGPClassifier``."""

    def __init__(self, classes: np.ndarray | None, **options: Any) -> None:
        from sparsegp import OnlineGPClassifier, OnlineGPRegressor

        self._classes = classes
        kind = OnlineGPRegressor if classes is None else OnlineGPClassifier
        self.model = kind(random_state=0, **options)

    def predict(self, x: np.ndarray) -> tuple[Any, Any]:
        if not self.model.__sklearn_is_fitted__():
            return _nothing_known(self._classes)
        if self._classes is None:
            mean, std = self.model.predict(x[None], return_std=True)
            return float(mean[0]), float(std[0]) ** 2
        p = self.model.predict_proba(x[None])[0]
        labels = self.model.classes_.tolist()
        return labels[int(np.argmax(p))], dict(zip(labels, p.tolist(), strict=True))

    def learn(self, x: np.ndarray, y: Any) -> None:
        if self._classes is None:
            self.model.partial_fit(x[None], np.array([y]))
        else:
            self.model.partial_fit(x[None], np.array([y]), classes=self._classes)

    @property
    def memory(self) -> float:
        return self.model.effective_memory_

    def size(self) -> int:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            self.model.save(path)
            return path.stat().st_size


class Persistence:
    """The last target, or the last label with the frequency at which it was right so far."""

    def __init__(self, classes: np.ndarray | None) -> None:
        self._classes, self._last = classes, None
        self._spread, self._right, self._seen = _Spread(), 1.0, 2.0

    def predict(self, x: np.ndarray) -> tuple[Any, Any]:
        if self._last is None:
            return _nothing_known(self._classes)
        if self._classes is None:
            return self._last, self._spread.variance
        labels = self._classes.tolist()
        right = self._right / self._seen
        other = (1.0 - right) / (len(labels) - 1)
        return self._last, {label: right if label == self._last else other for label in labels}

    def learn(self, x: np.ndarray, y: Any) -> None:
        if self._last is not None:
            if self._classes is None:
                self._spread.add(y - self._last)
            else:
                self._right, self._seen = self._right + (y == self._last), self._seen + 1.0
        self._last = y

    def size(self) -> int:
        return len(pickle.dumps(self.__dict__))


class River:
    """A model of river behind a scaling of the columns, where it has none of its own."""

    def __init__(self, model: Any, classes: np.ndarray | None, with_dist: bool = False) -> None:
        self._model, self._classes, self._with_dist = model, classes, with_dist
        self._spread, self._last = _Spread(), None

    def predict(self, x: np.ndarray) -> tuple[Any, Any]:
        row = dict(enumerate(x.tolist()))
        if self._classes is not None:
            p = self._model.predict_proba_one(row)
            if not p:
                return _nothing_known(self._classes)
            return max(p, key=p.get), p
        if self._with_dist:
            try:
                found = self._model.predict_one(row, with_dist=True)
                return found.mu, max(found.sigma, 1e-9) ** 2
            except (ValueError, ZeroDivisionError, OverflowError):
                return 0.0, 1.0
        self._last = self._model.predict_one(row) or 0.0
        return self._last, self._spread.variance

    def learn(self, x: np.ndarray, y: Any) -> None:
        if self._classes is None and self._last is not None:
            self._spread.add(y - self._last)
        self._model.learn_one(dict(enumerate(x.tolist())), y)

    def size(self) -> int:
        try:
            return len(pickle.dumps(self._model))
        except RecursionError:  # linked lists of rows
            return 0


class _Spread:
    """Running mean square of errors."""

    def __init__(self) -> None:
        self.variance, self._count = 1.0, 0.0

    def add(self, error: float) -> None:
        self._count += 1.0
        step = max(1.0 / self._count, 1.0 / HORIZON)
        self.variance += step * (error * error - self.variance)
        self.variance = max(self.variance, 1e-12)


def _nothing_known(classes: np.ndarray | None) -> tuple[Any, Any]:
    if classes is None:
        return 0.0, 1.0
    labels = classes.tolist()
    return labels[0], dict.fromkeys(labels, 1.0 / len(labels))


def _scaled(model: Any) -> Any:
    from river import preprocessing

    return preprocessing.StandardScaler() | model


def _regressors() -> dict[str, Callable[[], Any]]:
    from river import ensemble, forest, linear_model, neighbors, preprocessing, tree

    return {
        "LinearRegression": lambda: _scaled(
            preprocessing.TargetStandardScaler(linear_model.LinearRegression())
        ),
        "BayesianLinearRegression": linear_model.BayesianLinearRegression,
        "KNN": lambda: _scaled(neighbors.KNNRegressor()),
        "HoeffdingAdaptiveTree": lambda: tree.HoeffdingAdaptiveTreeRegressor(seed=0),
        "AdaptiveRandomForest": lambda: forest.ARFRegressor(seed=0),
        "SRP": lambda: ensemble.SRPRegressor(seed=0),
    }


def _classifiers(many: bool) -> dict[str, Callable[[], Any]]:
    from river import ensemble, forest, linear_model, neighbors, tree

    linear = linear_model.SoftmaxRegression if many else linear_model.LogisticRegression
    return {
        "LogisticRegression": lambda: _scaled(linear()),
        "KNN": lambda: _scaled(neighbors.KNNClassifier()),
        "HoeffdingAdaptiveTree": lambda: tree.HoeffdingAdaptiveTreeClassifier(seed=0),
        "AdaptiveRandomForest": lambda: forest.ARFClassifier(seed=0),
        "SRP": lambda: ensemble.SRPClassifier(seed=0),
    }


#: Names of the learners; ours with its options beyond the default.
REGRESSORS = (
    *(OURS, f"{OURS} lags=1", f"{OURS} mean=last", "persistence", "LinearRegression"),
    *("BayesianLinearRegression", "KNN", "HoeffdingAdaptiveTree", "AdaptiveRandomForest", "SRP"),
)
CLASSIFIERS = (
    *(OURS, "persistence", "LogisticRegression", "KNN", "HoeffdingAdaptiveTree"),
    *("AdaptiveRandomForest", "SRP"),
)
OPTIONS: dict[str, dict[str, Any]] = {
    OURS: {},
    f"{OURS} lags=1": {"lags": 1},
    f"{OURS} mean=last": {"lags": 1, "mean": "last"},
}


def learner(name: str, classes: np.ndarray | None) -> Learner:
    """Return a new learner; classes are None for regression."""
    if name in OPTIONS:
        return Ours(classes, **OPTIONS[name])
    if name == "persistence":
        return Persistence(classes)
    if classes is None:
        return River(_regressors()[name](), None, with_dist=name.startswith("Bayesian"))
    return River(_classifiers(len(classes) > 2)[name](), classes)


def log_density(y: Any, prediction: tuple[Any, Any], is_labels: bool) -> float:
    """Return the log probability of a label, or the log density of a number."""
    centre, second = prediction
    if is_labels:
        return log(max(second.get(y, 0.0), LEAST_PROBABILITY))
    return -0.5 * (log(2.0 * pi * second) + min((y - centre) ** 2 / second, exp(50.0)))
