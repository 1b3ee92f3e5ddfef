"""Sparse Gaussian processes with a scikit-learn API.

Regression, classification and learning from streams, with basis vectors (inducing points) selected
from the data and calibrated predictive distributions.

>>> from sparsegp import SparseGPRegressor
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sparsegp.estimators.classifier import SparseGPClassifier
    from sparsegp.estimators.online_classifier import OnlineGPClassifier
    from sparsegp.estimators.online_regressor import OnlineGPRegressor
    from sparsegp.estimators.regressor import SparseGPRegressor
    from sparsegp.files import load

__version__ = "0.2.0"

__all__ = [
    "OnlineGPClassifier",
    "OnlineGPRegressor",
    "SparseGPClassifier",
    "SparseGPRegressor",
    "__version__",
    "load",
]

_HOMES = {
    "OnlineGPClassifier": "estimators.online_classifier",
    "OnlineGPRegressor": "estimators.online_regressor",
    "SparseGPClassifier": "estimators.classifier",
    "SparseGPRegressor": "estimators.regressor",
    "load": "files",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that the command line can handle an interrupt while it starts."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import_module("sparsegp.files")  # imports all of the library but its optional parts
    if name in _HOMES:
        globals()[name] = getattr(import_module(f"sparsegp.{_HOMES[name]}"), name)
    if name not in globals():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
