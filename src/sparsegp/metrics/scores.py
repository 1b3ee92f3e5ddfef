"""Scores of a model or of a predictive distribution."""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.model.predictive_distribution import PredictiveDistribution

__all__ = ["coverage", "crps", "interval_coverage", "nlpd", "nmse", "pit"]

Floats = npt.NDArray[np.float64]


def nmse(y: Floats, mean: Floats) -> float:
    """Return the mean squared error divided by the variance of y: 1 − R².

    >>> nmse(np.array([0.0, 2.0]), np.array([1.0, 1.0]))
    1.0
    """
    return float(np.mean((y - mean) ** 2) / np.var(y))


def nlpd(predicted: Any, *args: Any) -> float:
    """Return the mean negative log predictive density of targets; lower is better.

    ``nlpd(model, X, y)`` or ``nlpd(distribution, y)``. Of a classifier it is the mean negative log
    probability of the labels, scikit-learn's ``log_loss``.

    Parameters
    ----------
    predicted : fitted estimator or predictive distribution
    *args : X and y, or y
        X with a fitted estimator only.

    Returns
    -------
    float
        In nats, for a density in units of 1/y. Several outputs: the mean over rows and outputs.

    Examples
    --------
    >>> from sparsegp.metrics import PredictiveDistribution, nlpd
    >>> round(nlpd(PredictiveDistribution.gaussian(mean=[0.0], std=[1.0]), [0.0]), 4)
    0.9189
    """
    if hasattr(predicted, "predict_proba"):
        X, y = _two("nlpd", args)
        return -float(np.mean(_in_memory(predicted.log_density(X, y))))
    distribution, y = _distribution("nlpd", predicted, args)
    return -float(np.mean(distribution.log_density(y)))


def crps(predicted: Any, *args: Any) -> float:
    """Return the mean continuous ranked probability score; lower is better.

    ``crps(model, X, y)`` or ``crps(distribution, y)``. It is in the units of y, and of predictions
    without uncertainty the mean absolute error. Unlike ``nlpd`` it is not ruled by a few outliers.

    Parameters
    ----------
    predicted : fitted regressor or predictive distribution
    *args : X and y, or y
        X with a fitted regressor only.

    Returns
    -------
    float

    Examples
    --------
    >>> from sparsegp.metrics import PredictiveDistribution, crps
    >>> round(crps(PredictiveDistribution.gaussian(mean=[0.0], std=[1.0]), [0.0]), 4)
    0.2337
    """
    distribution, y = _distribution("crps", predicted, args)
    return float(np.mean(distribution.crps(y)))


def interval_coverage(predicted: Any, *args: Any, level: float = 0.95) -> float:
    """Return the fraction of targets inside the central interval of this level.

    ``interval_coverage(model, X, y)`` or ``interval_coverage(distribution, y)``. For a calibrated
    model it is about ``level``; of n rows with a standard error of √(level (1 − level)/n).

    Parameters
    ----------
    predicted : fitted regressor or predictive distribution
    *args : X and y, or y
        X with a fitted regressor only.
    level : float, default=0.95

    Returns
    -------
    float

    Examples
    --------
    >>> from sparsegp.metrics import PredictiveDistribution, interval_coverage
    >>> predicted = PredictiveDistribution.gaussian(mean=[0.0, 0.0], std=[1.0, 1.0])
    >>> interval_coverage(predicted, [0.0, 3.0])
    0.5
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, without either, got {level!r}")
    distribution, y = _distribution("interval_coverage", predicted, args)
    lower, upper = distribution.interval(level)
    target = np.reshape(np.asarray(y, dtype=np.float64), lower.shape)
    return float(np.mean((lower <= target) & (target <= upper)))


def pit(predicted: Any, *args: Any) -> Floats:
    """Return the probability integral transform: the predicted probability of targets up to y.

    ``pit(model, X, y)`` or ``pit(distribution, y)``. Over new rows it is uniform between 0 and 1 if
    the model is calibrated: see ``sparsegp.plot.plot_pit``. Of counts it is uniform only nearly.

    Parameters
    ----------
    predicted : fitted regressor or predictive distribution
    *args : X and y, or y
        X with a fitted regressor only.

    Returns
    -------
    ndarray (n_samples,) or (n_samples, n_outputs)

    Examples
    --------
    >>> from sparsegp.metrics import PredictiveDistribution, pit
    >>> pit(PredictiveDistribution.gaussian(mean=[0.0, 0.0], std=[1.0, 1.0]), [0.0, 10.0])
    array([0.5, 1. ])
    """
    distribution, y = _distribution("pit", predicted, args)
    return np.asarray(distribution.cdf(y))


def coverage(y: Any, mean: Any, std: Any, level: float = 0.95) -> float:
    """Return the coverage of Gaussian intervals; renamed ``interval_coverage``.

    For one release it takes y, mean and standard deviation, with a warning.
    """
    _warn("coverage", "interval_coverage")
    return interval_coverage(PredictiveDistribution.gaussian(mean, std), y, level=level)


def _distribution(name: str, predicted: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return a predictive distribution and the targets, from any of the ways to give them."""
    if hasattr(predicted, "predict_distribution"):
        X, y = _two(name, args)
        return predicted.predict_distribution(X), _in_memory(y)
    if hasattr(predicted, "cdf") and hasattr(predicted, "log_density"):
        if len(args) != 1:
            raise TypeError(f"write {name}(distribution, y): got {len(args)} arguments after it")
        return predicted, _in_memory(args[0])
    if len(args) == 2 and not hasattr(predicted, "predict"):  # y, mean, std of 0.1.0
        _warn(name, name)
        return PredictiveDistribution.gaussian(*args), predicted
    raise TypeError(
        f"write {name}(model, X, y) with a model that has predict_distribution, or "
        f"{name}(distribution, y): got a {type(predicted).__name__}. Predictions of another "
        "library are PredictiveDistribution.gaussian(mean, std)"
    )


def _two(name: str, args: tuple[Any, ...]) -> tuple[Any, Any]:
    if len(args) != 2:
        raise TypeError(f"write {name}(model, X, y): got {len(args)} arguments after the model")
    return args[0], args[1]


def _in_memory(values: Any) -> Any:
    """Return lazy values of Dask as arrays."""
    return values.compute() if hasattr(values, "compute") else values


def _warn(old: str, new: str) -> None:
    warnings.warn(
        f"{old}(y, mean, std) assumes a Gaussian: write {new}(model, X, y), or "
        f"{new}(PredictiveDistribution.gaussian(mean, std), y)",
        FutureWarning,
        stacklevel=4,
    )
