"""A fitted estimator as a JSON document with arrays, and back.

The document contains the constructor parameters and the fitted attributes. Training rows are left
out unless predictions need them, as the neighbours of new rows (``NeighbourPosterior``); the basis
vectors are of course rows of the data.
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
from sparsegp.files.encoding_in_notes import read_encoding_in_notes
from sparsegp.files.estimator_checks import check_estimator
from sparsegp.files.json_encoding import Budget, Decoder, Encoder
from sparsegp.files.registry import TRANSFORMS
from sparsegp.files.serializers import set_attributes
from sparsegp.files.type_checks import matches_type
from sparsegp.learning.classes.class_fit import ClassFit
from sparsegp.learning.fit_stream import Stream
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.predictions import BasisAlone
from sparsegp.model.mean_only import MeanOnly
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.posterior import Posterior
from sparsegp.model.target_mean import TargetMean
from sparsegp.tables.encoding import TableEncoding

__all__ = ["decode_estimator", "encode_estimator", "is_mean_only"]

#: The attributes that predictions need, with their types.
REQUIRED: dict[type, dict[str, Any]] = {
    SparseGPRegressor: {
        "_posterior": Posterior | NeighbourPosterior | MeanOnly,
        "_basis_alone": BasisAlone | None,
        "_target_mean": TargetMean | None,
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
ESTIMATORS = {kind.__name__: kind for kind in REQUIRED}

#: Attributes that files of earlier versions lack, and their values there.
ADDED_LATER: dict[type, dict[str, Any]] = {
    SparseGPRegressor: {"_basis_alone": None, "_target_mean": None, "encoding_": None},
    SparseGPClassifier: {"encoding_": None},
    OnlineGPRegressor: {"encoding_": None},
    OnlineGPClassifier: {"encoding_": None},
}

#: Parameters that files of earlier versions lack, and their values there if not the default.
PARAMS_ADDED_LATER: dict[type, dict[str, Any]] = {
    OnlineGPRegressor: {"forgetting": None},
    OnlineGPClassifier: {"forgetting": None},
}

#: Called during a fit only: a loaded model has None.
CALLBACK = "callback"
#: scikit-learn's metadata routing belongs to a pipeline, not to the model.
NOT_SAVED = ("_metadata_request",)
#: Used to refit parts of the model; the rows that predictions need belong to the posterior.
TRAINING_ROWS = "_rows"


def encode_estimator(estimator: Any, *, variance: bool) -> tuple[dict[str, Any], Tensors]:
    """Return the document and the arrays of a fitted estimator."""
    kind = type(estimator)
    if kind not in REQUIRED:
        raise CannotSaveError(
            f"cannot save a {kind.__name__}: only {', '.join(ESTIMATORS)} can be saved"
        )
    check_is_fitted(estimator)
    state = {name: value for name, value in vars(estimator).items() if name not in NOT_SAVED}
    params = {name: state.pop(name) for name in kind._get_param_names()}
    if CALLBACK in params:
        params[CALLBACK] = None
    if TRAINING_ROWS in state:
        state[TRAINING_ROWS] = None
    if not variance:
        state |= _mean_only_state(estimator)
    given, fitted = Encoder(), Encoder()
    document = {
        "estimator": kind.__name__,
        "params": {name: given.encode(value, name) for name, value in params.items()},
        "state": {name: fitted.encode(value, name) for name, value in state.items()},
    }
    tensors = {f"params/{name}": tensor for name, tensor in given.tensors.items()}
    return document, tensors | {f"state/{name}": t for name, t in fitted.tensors.items()}


def _mean_only_state(estimator: Any) -> dict[str, Any]:
    """Return the attributes that change if only means are saved."""
    if not isinstance(estimator, SparseGPRegressor):
        raise CannotSaveError(
            f"a {type(estimator).__name__} needs its variances "
            f"{_NEED_OF_VARIANCE[type(estimator)]}: save it with variance=True"
        )
    if is_mean_only(estimator):
        return {}
    posterior = estimator._posterior
    if isinstance(posterior, NeighbourPosterior):
        raise CannotSaveError(
            f"the mean of a model with neighbours (n_neighbors_={posterior.k}) needs the training "
            "rows and all factors: save it with compact=True too, which leaves the neighbours out, "
            "or with variance=True"
        )
    return {
        "_posterior": MeanOnly.of(posterior),
        "_evidences": np.empty(0),
        "_target_mean": None,  # a warped target has no mean without a variance
    }


def is_mean_only(estimator: Any) -> bool:
    """Tell whether a model was loaded from a file without variances."""
    return isinstance(getattr(estimator, "_posterior", None), MeanOnly)


_NEED_OF_VARIANCE = {
    SparseGPClassifier: "for probabilities",
    OnlineGPClassifier: "for probabilities and further updates",
    OnlineGPRegressor: "for further updates",
}


def decode_estimator(document: Mapping[str, Any], tensors: Tensors) -> Any:
    """Return the estimator; a document that does not fit raises some error."""
    kind: Any = ESTIMATORS[document["estimator"]]
    budget = Budget(tensors)
    params = PARAMS_ADDED_LATER.get(kind, {}) | _decoded(document, "params", tensors, budget)
    if not set(params) <= set(kind._get_param_names()):
        raise ValueError(f"{kind.__name__} has no such parameters: {sorted(params)}")
    state = _decoded(document, "state", tensors, budget)
    state |= {name: v for name, v in ADDED_LATER.get(kind, {}).items() if name not in state}
    estimator = set_attributes(kind(**params), state)
    required = {**REQUIRED[kind], "n_features_in_": int, "encoding_": TableEncoding | None}
    for name, hint in required.items():
        if not matches_type(getattr(estimator, name, None), hint):
            raise ValueError(f"{name} of {kind.__name__} is missing or has the wrong type")
    if estimator.encoding_ is None:
        read_encoding_in_notes(estimator, document.get("notes"))
    check_estimator(estimator)
    return estimator


def _decoded(
    document: Mapping[str, Any], part: str, tensors: Tensors, budget: Budget
) -> dict[str, Any]:
    start = f"{part}/"
    own = {name.removeprefix(start): t for name, t in tensors.items() if name.startswith(start)}
    decoder = Decoder(own, budget)
    return {str(name): decoder.decode(node) for name, node in document[part].items()}
