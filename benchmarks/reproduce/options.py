"""Every option of every experiment: no default of the library decides what is reproduced.

One function for each paper and estimator returns all parameters of the constructor. Those that an
experiment has to say itself, such as the kernel, are missing until it does. A parameter that is new
in the library has to be stated here, too: ``tests/benchmarks/test_options.py``.
"""

from collections.abc import Mapping
from typing import Any

__all__ = [
    "OPTIONS",
    "co_classifier_options",
    "co_regressor_options",
    "kc_options",
    "sks_options",
    "ss_options",
]

Options = dict[str, Any]


class _Said:
    """Stands for an option that the experiment says."""

    def __repr__(self) -> str:
        return "said by the experiment"


SAID = _Said()

#: DTC at given hyperparameters, on standardised columns and target; error bars as they come.
_SPARSE: Options = {
    "kernel": SAID,
    "max_basis": SAID,
    "n_neighbors": 0,
    "selection": SAID,
    "approximation": "dtc",
    "n_candidates": 0,
    "cache_size": SAID,
    "n_rows_selection": "all",
    "stop": None,
    "cut_back": True,
    "optimizer": None,
    "objective": "evidence",
    "n_restarts": 0,
    "n_adaptations": 0,
    "n_evaluations": 1,
    "accept_basis": "if_better",
    "refine_basis": False,
    "calibrate": False,
    "noise": "gaussian",
    "noise_variance": SAID,
    "noise_variance_bounds": (1e-6, 1e2),
    "transform_X": "standard",
    "transform_y": "standard",
    "time_limit": None,
    "memory_limit": None,
    "precision": "double",
    "random_state": SAID,
    "verbose": 0,
    "callback": None,
}

#: A posterior of the active rows alone; hyperparameters follow the loss of the other rows.
_ACTIVE: Options = {
    "kernel": SAID,
    "max_basis": SAID,
    "selection": SAID,
    "n_candidates": SAID,
    "sites": "moment_matching",
    "objective": "predictive_loss",
    "posterior": "active",
    "inference": "auto",  # of projected posteriors
    "stop": None,
    "optimizer": "lbfgs",
    "n_adaptations": SAID,
    "refine_basis": False,
    "bias": "auto",  # a hyperparameter of the paper
    "slope": 1.0,
    "slope_bounds": (0.01, 100.0),
    "class_weight": None,
    "transform_X": "standard",
    "time_limit": None,
    "memory_limit": None,
    "random_state": SAID,
    "verbose": 0,
    "callback": None,
}

#: Rows as they are, at given hyperparameters, one at a time. There is no warm-up.
_STREAM: Options = {
    "kernel": SAID,
    "max_basis": SAID,
    "bias": 0.0,  # a process of mean zero
    "tolerance": 1e-6,
    "deletion": SAID,
    "forgetting": None,
    "lags": 0,
    "n_sweeps": 1,
    "recycle": False,
    "n_warmup": 500,
    "optimizer": None,
    "transform_X": "none",
    "calibrate": False,
    "shuffle": True,
    "random_state": SAID,
    "verbose": 0,
}
_REGRESSION_STREAM: Options = {
    **_STREAM,
    "mean": "zero",
    "likelihood": "gaussian",
    "noise_variance": SAID,
    "noise_variance_bounds": (1e-6, 1e2),
    "transform_y": "none",
}
_CLASS_STREAM: Options = {**_STREAM, "slope": SAID, "label_noise": 0.0}


def kc_options(said: Mapping[str, Any]) -> Options:
    """Return the options of a fit as in KC: ``SparseGPRegressor``.

    Selection and adaptation alternate; a new basis replaces the old one (section 4).
    """
    return _complete(_SPARSE, {"accept_basis": "always", **said})


def sks_options(said: Mapping[str, Any]) -> Options:
    """Return the options of a fit as in SKS: ``SparseGPRegressor``."""
    return _complete(_SPARSE, said)


def ss_options(said: Mapping[str, Any]) -> Options:
    """Return the options of a fit as in SS: ``SparseGPClassifier``."""
    return _complete(_ACTIVE, said)


def co_regressor_options(said: Mapping[str, Any]) -> Options:
    """Return the options of a stream as in CO: ``OnlineGPRegressor``."""
    return _complete(_REGRESSION_STREAM, said)


def co_classifier_options(said: Mapping[str, Any]) -> Options:
    """Return the options of a stream as in CO: ``OnlineGPClassifier``."""
    return _complete(_CLASS_STREAM, said)


#: The estimator of each function, and what it states, for the test.
OPTIONS = {
    "kc_options": ("SparseGPRegressor", _SPARSE),
    "sks_options": ("SparseGPRegressor", _SPARSE),
    "ss_options": ("SparseGPClassifier", _ACTIVE),
    "co_regressor_options": ("OnlineGPRegressor", _REGRESSION_STREAM),
    "co_classifier_options": ("OnlineGPClassifier", _CLASS_STREAM),
}


def _complete(stated: Options, said: Mapping[str, Any]) -> Options:
    """Return all options; an unknown one, or one that is still to be said, is an error."""
    unknown = [name for name in said if name not in stated]
    options = stated | dict(said)
    left = [name for name, value in options.items() if value is SAID]
    if unknown or left:
        raise TypeError(f"options that no paper states: {unknown}; still to be said: {left}")
    return options
