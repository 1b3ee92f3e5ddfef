"""Predictions on the evaluation rows, and the loss of each row."""

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.metrics import nmse
from sparsegp.report.policy import INTERVAL_LEVEL, SMALLEST_PROBABILITY

__all__ = [
    "ClassificationEvaluation",
    "Evaluation",
    "RegressionEvaluation",
    "evaluate",
    "evaluate_regression",
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RegressionEvaluation:
    """Predictions of a regression model: (n,) each."""

    y: Floats
    mean: Floats
    lower: Floats  # of the central interval
    upper: Floats
    pit: Floats  # probability integral transform: P(target ≤ y)
    loss: Floats  # −log density

    @property
    def nmse(self) -> float:
        """The mean squared error divided by the variance; NaN if y is constant."""
        return nmse(self.y, self.mean) if np.ptp(self.y) > 0 else np.nan

    @property
    def rmse(self) -> float:
        """The root mean squared error."""
        return float(np.sqrt(np.mean((self.y - self.mean) ** 2)))

    @property
    def coverage(self) -> float:
        """The fraction of targets inside their interval."""
        return float(np.mean((self.lower <= self.y) & (self.y <= self.upper)))

    def take(self, rows: npt.NDArray[np.intp]) -> "RegressionEvaluation":
        """Return the evaluation of some of the rows."""
        parts = (self.y, self.mean, self.lower, self.upper, self.pit, self.loss)
        return RegressionEvaluation(*(part[rows] for part in parts))


@dataclass(frozen=True)
class ClassificationEvaluation:
    """Predictions of a classifier."""

    true_class: npt.NDArray[np.intp]  # (n,), position among the classes
    probability: Floats  # (n, C)
    loss: Floats  # (n,), −log probability of the true class

    @property
    def predicted_class(self) -> npt.NDArray[np.intp]:
        """The most probable class of each row: (n,)."""
        return np.argmax(self.probability, axis=1)

    @property
    def error(self) -> float:
        """The fraction of wrong labels."""
        return float(np.mean(self.predicted_class != self.true_class))

    @property
    def confidence(self) -> float:
        """The mean probability of the predicted labels."""
        return float(np.mean(self.probability.max(axis=1)))


Evaluation = RegressionEvaluation | ClassificationEvaluation


def evaluate(model: Any, X: Any, y: npt.NDArray[Any]) -> Evaluation:
    """Predict rows with known targets."""
    if not hasattr(model, "classes_"):
        return evaluate_regression(model, X, y)
    probability = model.predict_proba(X)
    true_class = np.searchsorted(model.classes_, y)
    of_true = probability[np.arange(len(y)), true_class]
    loss = -np.log(np.maximum(of_true, SMALLEST_PROBABILITY))
    return ClassificationEvaluation(true_class, probability, loss)


def evaluate_regression(model: Any, X: Any, y: npt.NDArray[Any]) -> RegressionEvaluation:
    """Predict rows with known targets by a regression model.

    Means, intervals, probabilities and densities come from the same moments of the same rows, which
    are computed once: with neighbours they are most of the work.
    """
    once = copy(model)
    once._posterior = _OncePosterior(model._posterior)
    y = y.astype(np.float64)
    lower, upper = once.predict_interval(X, INTERVAL_LEVEL)
    mean = once.predict(X)
    return RegressionEvaluation(y, mean, lower, upper, once.cdf(X, y), -once.log_density(X, y))


class _OncePosterior:
    """A posterior that remembers its last predictions, and repeats them for the same rows."""

    def __init__(self, posterior: Any) -> None:
        self._posterior = posterior
        self.Z = posterior.Z
        self._rows: Floats | None = None
        self._moments: Any = None

    def mean(self, X: Floats) -> Floats:
        """Return the mean of the function: (n, p)."""
        mean: Floats = self.mean_and_variance(X)[0]
        return mean

    def mean_and_variance(self, X: Floats) -> Any:
        """Return mean (n, p) and variance (n,) of the function."""
        if self._rows is None or not np.array_equal(X, self._rows):
            self._rows, self._moments = X, self._posterior.mean_and_variance(X)
        return self._moments
