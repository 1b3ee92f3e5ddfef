"""Scores of a model on held-out rows."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.cli.policy import INTERVAL_LEVEL, SMALLEST_PROBABILITY
from sparsegp.cli.prediction_columns import is_classifier, prediction_columns, probability_names
from sparsegp.metrics import nlpd, nmse

__all__ = ["SCORE_LABELS", "score"]

#: How scores are printed: label, and whether in percent.
SCORE_LABELS = {
    "nmse": ("NMSE", False),
    "nlpd": ("NLPD", False),
    "coverage": (f"{100 * INTERVAL_LEVEL:.0f} % coverage", True),
    "error": ("error", True),
    "nlp": ("NLP", False),
    "confidence": ("mean confidence", True),
}


def score(model: Any, X: Any, y: npt.NDArray[Any]) -> dict[str, float | None]:
    """Return NMSE, NLPD and coverage, or error, NLP and mean confidence.

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
    if hasattr(model, "log_density"):
        loss = float(-np.mean(model.log_density(X, y)))
    else:
        loss = nlpd(y, columns["mean"], columns["std"])
    inside = (columns["lower"] <= y) & (y <= columns["upper"])
    values = {"nmse": nmse(y, columns["mean"]) if np.var(y) else np.nan, "nlpd": loss}
    values["coverage"] = float(np.mean(inside))
    return {name: value if np.isfinite(value) else None for name, value in values.items()}
