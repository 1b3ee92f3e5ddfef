"""Scores of predictions that know the whole predictive distribution.

``nlpd``, ``crps``, ``interval_coverage`` and ``pit`` take a fitted model and rows, or a predictive
distribution (``model.predict_distribution(X)``) and targets, so that warped targets and Student's t
noise are scored as what they are. Predictions of another library with a mean and a standard
deviation are ``PredictiveDistribution.gaussian(mean, std)``. ``nlpd_scorer``, ``crps_scorer`` and
``coverage_scorer`` are for ``cross_val_score`` and ``GridSearchCV``.
"""

from sparsegp.metrics.scorers import (
    coverage_scorer,
    crps_scorer,
    get_scorer,
    nlpd_scorer,
)
from sparsegp.metrics.scores import coverage, crps, interval_coverage, nlpd, nmse, pit
from sparsegp.model.predictive_distribution import PredictiveDistribution

__all__ = [
    "PredictiveDistribution",
    "coverage",
    "coverage_scorer",
    "crps",
    "crps_scorer",
    "get_scorer",
    "interval_coverage",
    "nlpd",
    "nlpd_scorer",
    "nmse",
    "pit",
]
