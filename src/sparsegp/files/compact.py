"""Compact files: a model with neighbours without its training rows.

The basis alone then predicts, with the scales and the noise that were calibrated for it.
"""

from copy import copy
from typing import Any

from sparsegp.model.neighbours.prediction import NeighbourPosterior

__all__ = ["without_neighbours"]


def without_neighbours(estimator: Any) -> Any:
    """Return an estimator whose basis alone predicts; itself, if it has no neighbours."""
    posterior = getattr(estimator, "_posterior", None)
    if not isinstance(posterior, NeighbourPosterior):
        return estimator
    alone, compact = estimator._basis_alone, copy(estimator)
    compact._posterior = alone.calibration.applied_to(posterior.posterior)
    compact.calibration_ = alone.calibration
    compact._noise, compact.noise_variance_ = alone.noise, alone.noise.variance
    compact._target_mean, compact._basis_alone = alone.target_mean, None
    return compact
