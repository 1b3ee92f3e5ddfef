"""Predictions on the evaluation rows, and the loss of each row."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.metrics import nmse
from sparsegp.report.policy import INTERVAL_LEVEL, SMALLEST_PROBABILITY

__all__ = ["ClassificationEvaluation", "Evaluation", "RegressionEvaluation", "evaluate"]

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
        y = y.astype(np.float64)
        lower, upper = model.predict_interval(X, INTERVAL_LEVEL)
        mean = model.predict(X)
        return RegressionEvaluation(
            y, mean, lower, upper, model.cdf(X, y), -model.log_density(X, y)
        )
    probability = model.predict_proba(X)
    true_class = np.searchsorted(model.classes_, y)
    of_true = probability[np.arange(len(y)), true_class]
    loss = -np.log(np.maximum(of_true, SMALLEST_PROBABILITY))
    return ClassificationEvaluation(true_class, probability, loss)
