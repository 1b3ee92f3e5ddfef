"""The learners: ours with default options, river's with theirs, and the last target.

A learner predicts a row and then learns it. Regressors without a predictive density get that of
their last errors with the running scale and tails of ours (``RunningTails``); the same for all.
"""

import pickle
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from sparsegp.model.noise.distribution import NORMAL, NoiseDistribution
from sparsegp.online.running_tails import RunningTails

__all__ = ["CLASSIFIERS", "OURS", "REGRESSORS", "Learner", "learner", "log_probability"]

LEAST_PROBABILITY = 1e-12
OURS = "sparsegp"


@dataclass(frozen=True)
class Number:
    """The predictive distribution of a number: z = (y − centre)/scale has these tails."""

    centre: float
    scale: float
    tails: NoiseDistribution = NORMAL

    def log_density(self, y: float) -> float:
        z, scale = np.array((y - self.centre) / self.scale), np.array(self.scale)
        return float(self.tails.log_density(np.clip(z, -1e10, 1e10), scale))

    def covers(self, y: float) -> bool:
        """Tell whether y lies in the central interval of 95 %."""
        return abs(y - self.centre) <= _reach(self.tails) * self.scale


@cache
def _reach(tails: NoiseDistribution) -> float:
    return float(tails.quantile(np.array([0.975]))[0])


class Learner(Protocol):
    """Predicts a row, then learns it."""

    def predict(self, x: np.ndarray) -> Any:
        """Return the distribution of a number, or a label and probabilities by label."""

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

    def predict(self, x: np.ndarray) -> Any:
        if not self.model.__sklearn_is_fitted__():
            return _nothing_known(self._classes)
        if self._classes is None:
            found = self.model.predict_distribution(x[None])
            scale = float(found.scale[0, 0]) * float(found.transform.scale[0])
            return Number(float(found.mean[0]), scale, found.tails)
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

    def predict(self, x: np.ndarray) -> Any:
        if self._last is None:
            return _nothing_known(self._classes)
        if self._classes is None:
            return self._spread.around(self._last)
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

    def predict(self, x: np.ndarray) -> Any:
        row = dict(enumerate(x.tolist()))
        if self._classes is not None:
            p = self._model.predict_proba_one(row)
            if not p:
                return _nothing_known(self._classes)
            return max(p, key=p.get), p
        if self._with_dist:
            try:
                found = self._model.predict_one(row, with_dist=True)
                return Number(found.mu, max(found.sigma, 1e-9))
            except (ValueError, ZeroDivisionError, OverflowError):
                return Number(0.0, 1.0)
        self._last = self._model.predict_one(row) or 0.0
        return self._spread.around(self._last)

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
    """Running scale and tails of errors."""

    def __init__(self) -> None:
        self._tails = RunningTails.initial(1)

    def around(self, centre: float) -> Number:
        """Return the distribution of a target that is predicted by this number."""
        best = self._tails.best()
        return Number(centre, self._tails.scale[0, best] ** 0.5, self._tails.distribution(best))

    def add(self, error: float) -> None:
        self._tails, _ = self._tails.after_row([error * error])


def _nothing_known(classes: np.ndarray | None) -> Any:
    if classes is None:
        return Number(0.0, 1.0)
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


def log_probability(y: Any, prediction: tuple[Any, Any]) -> float:
    """Return the log probability of a label."""
    return log(max(prediction[1].get(y, 0.0), LEAST_PROBABILITY))
