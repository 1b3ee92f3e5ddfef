"""Arguments whose name or meaning changed: the old one works for one release, with a warning."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.estimators.options.checks import check_probabilities

__all__ = ["checked_level", "latent_answer"]

Floats = npt.NDArray[np.float64]


def checked_level(level: Any, coverage: Any) -> float:
    """Return the level of an interval; ``coverage`` is its name in 0.1.0."""
    if coverage is not None:
        warnings.warn(
            f"coverage={coverage!r} is renamed: write level={coverage!r}",
            FutureWarning,
            stacklevel=5,
        )
        level = coverage
    return float(check_probabilities("level", level))


def latent_answer(
    mean: Floats, std: Floats, return_std: bool | None
) -> Floats | tuple[Floats, Floats]:
    """Return mean and standard deviation, the mean alone, or (None) mean and variance."""
    if return_std is None:
        warnings.warn(
            "predict_latent(X) returns mean and variance; from the next release on it returns the "
            "mean alone. Write predict_latent(X, return_std=True) for mean and standard deviation",
            FutureWarning,
            stacklevel=5,
        )
        return mean, std**2
    return (mean, std) if return_std else mean
