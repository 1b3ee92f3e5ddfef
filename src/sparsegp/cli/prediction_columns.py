"""Predictions as named columns of a table."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.policy import INTERVAL_LEVEL
from sparsegp.estimators.point_prediction import point_prediction

__all__ = ["is_classifier", "prediction_columns", "probability_names"]


def is_classifier(model: Any) -> bool:
    """Tell whether a model predicts labels."""
    return hasattr(model, "classes_")


def probability_names(model: Any) -> list[str]:
    """Return the names of the probability columns."""
    return [f"p_{label}" for label in model.classes_]


def prediction_columns(
    model: Any, X: Any, *, level: float = INTERVAL_LEVEL, variance: bool = True
) -> dict[str, npt.NDArray[Any]]:
    """Return mean, std, lower and upper, or class and a probability for each class: (n,) each."""
    if is_classifier(model):
        probabilities = model.predict_proba(X)  # (n, C)
        labels = model.classes_[np.argmax(probabilities, axis=1)]
        names = probability_names(model)
        return {"class": labels} | dict(zip(names, probabilities.T, strict=True))
    if not variance:
        return {"mean": _single_output(model.predict(X))}
    predicted = model.predict_distribution(X)
    mean = _single_output(point_prediction(model, X, predicted))
    lower, upper = predicted.interval(level)
    return {"mean": mean, "std": predicted.std, "lower": lower, "upper": upper}


def _single_output(mean: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if mean.ndim > 1:
        raise BadInputError("the model has several outputs: predict with it in Python")
    return mean
