"""Export of a fitted model as a graph of ONNX operators, in float64.

ONNX has no triangular solve, so the graph contains the inverses of the factors, 2·m² numbers.
onnxruntime has its error function in float32 only, so probabilities have an error of about 10⁻⁶.
Its fusion of matrix products with neighbouring factors is float32 only as well, so factors are
multiplied into the matrices beforehand.
"""

import json
import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

import sparsegp
from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.estimators.options.device import check_model_on_host
from sparsegp.estimators.regressor import SparseGPRegressor
from sparsegp.exceptions import CannotSaveError
from sparsegp.files.atomic import write_atomically
from sparsegp.files.onnx_graph import Graph
from sparsegp.files.onnx_online import online_classification, online_regression
from sparsegp.files.onnx_sparse import sparse_classification, sparse_regression
from sparsegp.tables.encoded_inputs import input_names, n_inputs

__all__ = ["to_onnx"]


def to_onnx(estimator: Any, path: str | os.PathLike[str] | None = None) -> Any:
    """Return a fitted estimator as an ONNX model, and optionally write it to a file.

    The input is ``X`` (n, n_features) of float64. A regressor has the outputs ``mean`` and
    ``std`` (noise included) as returned by ``predict``; a classifier has ``probabilities``
    (n, n_classes) and ``class_index`` (n,), with the labels among the model's properties.

    Parameters
    ----------
    estimator : a fitted estimator of this library
        Its kernel must be built from RBF, Matern, RationalQuadratic, Linear and Constant, on all
        or some columns, by sums and products, and it must not have neighbours
        (``n_neighbors_`` = 0; see ``compact`` of ``save``).
    path : path-like, default=None

    Returns
    -------
    onnx.ModelProto
    """
    check_is_fitted(estimator)
    check_model_on_host("to_onnx", estimator)
    g = Graph()
    if isinstance(estimator, SparseGPRegressor):
        sparse_regression(g, estimator)
    elif isinstance(estimator, SparseGPClassifier):
        sparse_classification(g, estimator)
    elif isinstance(estimator, OnlineGPRegressor):
        online_regression(g, estimator)
    elif isinstance(estimator, OnlineGPClassifier):
        online_classification(g, estimator)
    else:
        raise CannotSaveError(f"to_onnx does not support {type(estimator).__name__}")
    model = g.model(n_inputs(estimator), _properties(estimator))
    if path is not None:
        write_atomically(path, model.SerializeToString())
    return model


def _properties(estimator: Any) -> dict[str, str]:
    """Return metadata for users of the model, as strings."""
    properties = {"sparsegp": sparsegp.__version__, "estimator": type(estimator).__name__}
    lists = {
        "feature_names": input_names(estimator),
        "classes": getattr(estimator, "classes_", None),
    }
    for name, values in lists.items():
        if values is not None:
            properties[name] = json.dumps([str(value) for value in values])
    return properties
