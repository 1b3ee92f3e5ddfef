"""Scores of predictions with error bars.

All take the observed targets y and the mean and standard deviation of a Gaussian predictive
distribution, (n,) each. For warped targets and Student-t noise, whose predictive distribution is
not Gaussian, use ``log_density``, ``predict_interval`` and ``cdf`` of the model instead.
"""

from math import pi

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

__all__ = ["coverage", "nlpd", "nmse", "pit"]

Floats = npt.NDArray[np.float64]


def nmse(y: Floats, mean: Floats) -> float:
    """Return the mean squared error divided by the variance of y.

    >>> nmse(np.array([0.0, 2.0]), np.array([1.0, 1.0]))
    1.0
    """
    return float(np.mean((y - mean) ** 2) / np.var(y))


def nlpd(y: Floats, mean: Floats, std: Floats) -> float:
    """Return the mean negative log predictive density of y under N(mean, std²).

    >>> round(nlpd(np.array([0.0]), np.array([0.0]), np.array([1.0])), 4)
    0.9189
    """
    z = (y - mean) / std
    return float(np.mean(0.5 * np.log(2.0 * pi * std**2) + 0.5 * z**2))


def coverage(y: Floats, mean: Floats, std: Floats, level: float = 0.95) -> float:
    """Return the fraction of targets inside the central interval of this level.

    >>> coverage(np.array([0.0, 3.0]), np.zeros(2), np.ones(2))
    0.5
    """
    half_width = ndtri(0.5 + 0.5 * level) * std
    return float(np.mean(np.abs(y - mean) <= half_width))


def pit(y: Floats, mean: Floats, std: Floats) -> Floats:
    """Return the probability integral transform of y under N(mean, std²): (n,).

    >>> pit(np.array([0.0, 10.0]), np.zeros(2), np.ones(2))
    array([0.5, 1. ])
    """
    return np.asarray(ndtr((y - mean) / std))
