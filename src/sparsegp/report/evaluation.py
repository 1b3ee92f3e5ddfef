"""Predictions on the evaluation rows, and the loss of each row."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.estimators.point_prediction import point_prediction
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
    def r2(self) -> float:
        """The share of the variance that is explained; NaN if y is constant."""
        return 1.0 - self.nmse

    @property
    def mae(self) -> float:
        """The mean absolute error."""
        return float(np.mean(np.abs(self.y - self.mean)))

    @property
    def mae_of_average(self) -> float:
        """The mean absolute error of predicting the average of these rows for all of them."""
        return float(np.mean(np.abs(self.y - self.y.mean())))

    def share_inside(self, level: float) -> float:
        """Return the fraction of targets inside the central interval of a level."""
        return float(np.mean(np.abs(2.0 * self.pit - 1.0) <= level))

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

    Intervals, probabilities and densities share one prediction: with neighbours it is most of the
    work. So does the mean, unless it is mixed with a linear prediction of a warped target.
    """
    predicted = model.predict_distribution(X)
    mean = point_prediction(model, X, predicted)
    y = y.astype(np.float64)
    lower, upper = predicted.interval(INTERVAL_LEVEL)
    pit, log_density = predicted.cdf(y), predicted.log_density(y)
    return RegressionEvaluation(y, mean, lower, upper, pit, -log_density)
