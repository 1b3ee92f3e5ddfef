"""A fitted estimator as a document with arrays, and back.

The document holds the parameters of the constructor and the attributes that the fit has set.
Training rows stay out: predictions do not need them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sparsegp.estimators.classifier import SparseGPClassifier
from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.estimators.regressor import SparseGPRegressor
from sparsegp.exceptions import CannotSaveError
from sparsegp.files.container import Tensors
from sparsegp.files.recipes import with_attributes
from sparsegp.files.registry import TRANSFORMS
from sparsegp.files.tree import Decoder, Encoder
from sparsegp.files.type_checks import matches_type
from sparsegp.learning.classes.class_fit import ClassFit
from sparsegp.learning.fit_stream import Stream
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model.mean_only import MeanOnly
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.posterior import Posterior

__all__ = ["estimator_from", "has_means_only", "taken_apart"]

#: What prediction cannot do without, and of which type it is.
NEEDED: dict[type, dict[str, Any]] = {
    SparseGPRegressor: {
        "_posterior": Posterior | MeanOnly,
        "_scaling_X": TRANSFORMS,
        "_scaling_y": TRANSFORMS,
        "_noise": Noise,
        "_parameters": Parameters,
        "_one_target": bool,
    },
    SparseGPClassifier: {"_fitted": ClassFit, "_scaling_X": TRANSFORMS, "classes_": np.ndarray},
    OnlineGPRegressor: {"_stream": Stream, "_one_target": bool},
    OnlineGPClassifier: {"_stream": Stream, "classes_": np.ndarray},
}
ESTIMATORS = {kind.__name__: kind for kind in NEEDED}

#: Only told of the progress of a fit: a loaded model has None.
LISTENER = "callback"
#: Requests of scikit-learn's metadata routing: of a pipeline, not of the model.
LEFT_OUT = ("_metadata_request",)
ROWS = "_rows"


def taken_apart(estimator: Any, *, variance: bool) -> tuple[dict[str, Any], Tensors]:
    """Return what a file holds of a fitted estimator."""
    kind = type(estimator)
    if kind not in NEEDED:
        raise CannotSaveError(
            f"cannot save a {kind.__name__}: only {', '.join(ESTIMATORS)} themselves have files"
        )
    check_is_fitted(estimator)
    state = {name: value for name, value in vars(estimator).items() if name not in LEFT_OUT}
    params = {name: state.pop(name) for name in kind._get_param_names()}
    if LISTENER in params:
        params[LISTENER] = None
    if ROWS in state:
        state[ROWS] = None
    if not variance:
        state |= _without_variance(estimator)
    given, learned = Encoder(), Encoder()
    document = {
        "estimator": kind.__name__,
        "params": {name: given.encode(value, name) for name, value in params.items()},
        "state": {name: learned.encode(value, name) for name, value in state.items()},
    }
    tensors = {f"params/{name}": tensor for name, tensor in given.tensors.items()}
    return document, tensors | {f"state/{name}": t for name, t in learned.tensors.items()}


def _without_variance(estimator: Any) -> dict[str, Any]:
    """Return the attributes that are others if only means are kept."""
    if not isinstance(estimator, SparseGPRegressor):
        raise CannotSaveError(
            f"a {type(estimator).__name__} needs its variances "
            f"{_WHY[type(estimator)]}: save it with variance=True"
        )
    if has_means_only(estimator):
        return {}
    return {"_posterior": MeanOnly.of(estimator._posterior), "_evidences": np.empty(0)}


def has_means_only(estimator: Any) -> bool:
    """Tell whether a model came from a file without variances."""
    return isinstance(getattr(estimator, "_posterior", None), MeanOnly)


_WHY = {
    SparseGPClassifier: "for probabilities",
    OnlineGPClassifier: "for probabilities and to go on learning",
    OnlineGPRegressor: "to go on learning",
}


def estimator_from(document: Mapping[str, Any], tensors: Tensors) -> Any:
    """Return the estimator; whatever does not fit raises an error of some kind."""
    kind: Any = ESTIMATORS[document["estimator"]]
    params = _decoded(document, "params", tensors)
    if not set(params) <= set(kind._get_param_names()):
        raise ValueError(f"{kind.__name__} has no such parameters: {sorted(params)}")
    estimator = with_attributes(kind(**params), _decoded(document, "state", tensors))
    for name, hint in {**NEEDED[kind], "n_features_in_": int}.items():
        if not matches_type(getattr(estimator, name, None), hint):
            raise ValueError(f"{name} of {kind.__name__} is missing or of another type")
    _check_width(estimator)
    return estimator


def _decoded(document: Mapping[str, Any], part: str, tensors: Tensors) -> dict[str, Any]:
    start = f"{part}/"
    own = {name.removeprefix(start): t for name, t in tensors.items() if name.startswith(start)}
    decoder = Decoder(own)
    return {str(name): decoder.decode(node) for name, node in document[part].items()}


def _check_width(estimator: Any) -> None:
    """Check that the basis has the columns that the inputs will have."""
    if estimator.basis_vectors_.shape != (estimator.n_basis_, estimator.n_features_in_):
        raise ValueError("the basis vectors have other columns than the inputs")
