"""Predictions of the rows a model is judged by, and its loss on each."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.metrics import nmse

__all__ = ["LEVEL", "Labels", "Numbers", "judge", "losses"]

Floats = npt.NDArray[np.float64]

LEVEL = 0.95
TINY = 1e-300


@dataclass(frozen=True)
class Numbers:
    """What a regression model says of rows: (n,) each."""

    y: Floats
    mean: Floats
    lower: Floats  # of the central interval
    upper: Floats
    pit: Floats  # probability of targets up to y
    loss: Floats  # −log density

    @property
    def nmse(self) -> float:
        """The mean squared error over the variance; not a number if y does not vary."""
        return nmse(self.y, self.mean) if np.ptp(self.y) > 0 else np.nan

    @property
    def rmse(self) -> float:
        """The root of the mean squared error."""
        return float(np.sqrt(np.mean((self.y - self.mean) ** 2)))

    @property
    def coverage(self) -> float:
        """The share of targets inside their interval."""
        return float(np.mean((self.lower <= self.y) & (self.y <= self.upper)))


@dataclass(frozen=True)
class Labels:
    """What a classifier says of rows."""

    place: npt.NDArray[np.intp]  # (n,), the place of the true class
    probability: Floats  # (n, C)
    loss: Floats  # (n,), −log probability of the true class

    @property
    def chosen(self) -> npt.NDArray[np.intp]:
        """The most probable class of each row: (n,)."""
        return np.argmax(self.probability, axis=1)

    @property
    def error(self) -> float:
        """The share of wrong labels."""
        return float(np.mean(self.chosen != self.place))

    @property
    def confidence(self) -> float:
        """The mean probability of the labels chosen."""
        return float(np.mean(self.probability.max(axis=1)))


def judge(model: Any, X: Any, y: npt.NDArray[Any]) -> Numbers | Labels:
    """Predict rows of which the target is known."""
    if not hasattr(model, "classes_"):
        y = y.astype(np.float64)
        lower, upper = model.predict_interval(X, LEVEL)
        mean = model.predict(X)
        return Numbers(y, mean, lower, upper, model.cdf(X, y), -model.log_density(X, y))
    probability = model.predict_proba(X)
    place = np.searchsorted(model.classes_, y)
    true = probability[np.arange(len(y)), place]
    return Labels(place, probability, -np.log(np.maximum(true, TINY)))


def losses(model: Any, X: Any, y: npt.NDArray[Any]) -> Floats:
    """Return the negative log density or probability of each target: (n,)."""
    return judge(model, X, y).loss
