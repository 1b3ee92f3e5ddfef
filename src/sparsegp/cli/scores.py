"""Scores of a model on held-out rows."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import mean_absolute_error, root_mean_squared_error

from sparsegp.cli.policy import INTERVAL_LEVEL, SMALLEST_PROBABILITY
from sparsegp.cli.prediction_columns import is_classifier, prediction_columns, probability_names
from sparsegp.metrics import nmse

__all__ = ["SCORE_LABELS", "score"]

#: How scores are printed: label, and whether in percent. NMSE is 1 − R² and stays unprinted.
SCORE_LABELS = {
    "r2": ("R²", False),
    "rmse": ("RMSE", False),
    "mae": ("MAE", False),
    "nlpd": ("NLPD", False),
    "coverage": (f"{100 * INTERVAL_LEVEL:.0f} % coverage", True),
    "error": ("error", True),
    "nlp": ("NLP", False),
    "confidence": ("mean confidence", True),
}


def score(model: Any, X: Any, y: npt.NDArray[Any]) -> dict[str, float | None]:
    """Return R², RMSE, MAE, NMSE, NLPD and coverage, or error, NLP and mean confidence.

    A classifier is calibrated if its confidence, the mean probability of the predicted labels, is
    the fraction of correct labels.
    """
    columns = prediction_columns(model, X, level=INTERVAL_LEVEL)
    if is_classifier(model):
        probabilities = np.stack([columns[name] for name in probability_names(model)], axis=1)
        of_true = probabilities[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        return {
            "error": float(np.mean(columns["class"] != y)),
            "nlp": float(-np.mean(np.log(np.maximum(of_true, SMALLEST_PROBABILITY)))),
            "confidence": float(np.mean(probabilities.max(axis=1))),
        }
    inside = (columns["lower"] <= y) & (y <= columns["upper"])
    unexplained = nmse(y, columns["mean"]) if np.var(y) else np.nan
    values = {
        "r2": 1.0 - unexplained,
        "rmse": float(root_mean_squared_error(y, columns["mean"])),
        "mae": float(mean_absolute_error(y, columns["mean"])),
        "nmse": unexplained,
        "nlpd": float(-np.mean(model.log_density(X, y))),
        "coverage": float(np.mean(inside)),
    }
    return {name: value if np.isfinite(value) else None for name, value in values.items()}
