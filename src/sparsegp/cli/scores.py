"""How good a model is on rows that it has not seen."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.cli.predictions import is_classifier, predicted, probability_names
from sparsegp.metrics import nlpd, nmse

__all__ = ["LEVEL", "score", "score_names"]

LEVEL = 0.95
TINY = 1e-300

#: How scores are shown: name, and whether as a share in percent.
score_names = {
    "nmse": ("NMSE", False),
    "nlpd": ("NLPD", False),
    "coverage": (f"{LEVEL:.0%} coverage", True),
    "error": ("error", True),
    "nlp": ("NLP", False),
    "confidence": ("mean confidence", True),
}


def score(model: Any, X: Any, y: npt.NDArray[Any]) -> dict[str, float | None]:
    """Return NMSE, NLPD and coverage, or error, NLP and mean confidence.

    A classifier is honest if its confidence, the mean probability of the labels that it chose, is
    the share of right labels.
    """
    found = predicted(model, X, level=LEVEL)
    if is_classifier(model):
        probabilities = np.stack([found[name] for name in probability_names(model)], axis=1)
        true = probabilities[np.arange(len(y)), np.searchsorted(model.classes_, y)]
        return {
            "error": float(np.mean(found["class"] != y)),
            "nlp": float(-np.mean(np.log(np.maximum(true, TINY)))),
            "confidence": float(np.mean(probabilities.max(axis=1))),
        }
    if hasattr(model, "log_density"):
        loss = float(-np.mean(model.log_density(X, y)))
    else:
        loss = nlpd(y, found["mean"], found["std"])
    inside = (found["lower"] <= y) & (y <= found["upper"])
    values = {"nmse": nmse(y, found["mean"]) if np.var(y) else np.nan, "nlpd": loss}
    values["coverage"] = float(np.mean(inside))
    return {name: value if np.isfinite(value) else None for name, value in values.items()}
