"""Sparse Gaussian processes with a scikit-learn API.

Regression, classification and learning from streams, with basis vectors (inducing points) selected
from the data and calibrated predictive distributions.

>>> from sparsegp import SparseGPRegressor
"""

from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.estimators.regressor import SparseGPRegressor
from sparsegp.files import load

__version__ = "0.1.0"

__all__ = [
    "OnlineGPClassifier",
    "OnlineGPRegressor",
    "SparseGPClassifier",
    "SparseGPRegressor",
    "__version__",
    "load",
]
