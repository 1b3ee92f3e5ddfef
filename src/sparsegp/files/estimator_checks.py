"""Checks that the parts of a loaded estimator belong together.

Each part was checked when it was made (``shape_checks``). Here their sizes are compared with each
other, and the model predicts a few of its own basis vectors: a crafted file fails now, with the
error of files, and not at the first prediction of a user.
"""

import warnings
from typing import Any

import numpy as np

from sparsegp.estimators.mixins.encoding import of_inputs
from sparsegp.files.policy import ROWS_TRIED
from sparsegp.files.shape_checks import check_target_scale
from sparsegp.model.mean_only import MeanOnly
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.tables.encoded_inputs import n_inputs
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["check_estimator"]


def check_estimator(estimator: Any) -> None:
    """Refuse an estimator whose parts do not fit each other."""
    _check_width(estimator)
    _check_names(estimator)
    _check_transforms(estimator)
    _check_outputs(estimator)
    _check_basis_alone(estimator)
    _check_target_mean(estimator)
    _check_predictions(estimator)


def _check_width(estimator: Any) -> None:
    """Check that the basis has the columns of the inputs."""
    stream = getattr(estimator, "_stream", None)
    n_lags = 0 if stream is None else stream.settings.lags.n_features(stream.shape[1])
    if estimator.basis_vectors_.shape != (estimator.n_basis_, n_inputs(estimator) + n_lags):
        raise ValueError("the basis vectors do not have the columns of the inputs")


def _check_names(estimator: Any) -> None:
    """Check that names of columns are as many strings."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return
    valid = isinstance(names, np.ndarray) and names.shape == (estimator.n_features_in_,)
    if not valid or not all(isinstance(name, str) for name in names):
        raise ValueError("the names of the columns are not a string for each")


def _check_transforms(estimator: Any) -> None:
    """Check that there is a transform for each input and each output."""
    inputs = getattr(estimator, "_scaling_X", None)
    if inputs is not None and _width(inputs) != n_inputs(estimator):
        raise ValueError("there is not one transform for each input")
    targets = getattr(estimator, "_scaling_y", None)
    if targets is None:
        return
    n_outputs = estimator._posterior.alpha.shape[1]
    if isinstance(targets, Columns) or _width(targets) != n_outputs:
        raise ValueError("there is not one transform for each output")
    if isinstance(targets, Warps):
        check_target_scale(*((warp.offset, warp.scale) for warp in targets.warps))
    else:
        check_target_scale(targets.offset, targets.scale)


def _width(transform: Scaling | Columns | Warps) -> int:
    """Return for how many columns a transform is."""
    if isinstance(transform, Warps):
        return len(transform.warps)
    return len(transform.scaling.scale if isinstance(transform, Columns) else transform.scale)


def _check_outputs(estimator: Any) -> None:
    """Check that there is a posterior and a bias for each class, or one for two."""
    classes = getattr(estimator, "classes_", None)
    if classes is None:
        return
    n_outputs = 1 if len(classes) == 2 else len(classes)
    if classes.ndim != 1 or len(classes) < 2:
        raise ValueError("a classifier needs two classes or more")
    stream, fit = (getattr(estimator, name, None) for name in ("_stream", "_fitted"))
    found = {stream.shape[1]} if stream is not None else _n_columns_of(fit)
    if found != {n_outputs}:
        raise ValueError(f"the model has not one output for each of its {len(classes)} classes")


def _n_columns_of(fit: Any) -> set[int]:
    widths = {posterior.alpha.shape[1] for posterior in fit.posteriors}
    if widths != {1}:
        raise ValueError("the posterior of a class has more than one output")
    return {len(fit.posteriors), len(fit.parameters.biases)}


def _check_basis_alone(estimator: Any) -> None:
    """Check that a model with neighbours knows how its basis predicts without them."""
    with_neighbours = isinstance(getattr(estimator, "_posterior", None), NeighbourPosterior)
    if with_neighbours and estimator._basis_alone is None:
        raise ValueError("a model with neighbours lacks the calibration of its basis alone")


def _check_target_mean(estimator: Any) -> None:
    """Check that a linear prediction of the target has the basis and the outputs of the model."""
    own = getattr(estimator, "_target_mean", None)
    alone = getattr(getattr(estimator, "_basis_alone", None), "target_mean", None)
    for mean in (own, alone):
        if mean is not None and mean.beta.shape != estimator._posterior.alpha.shape:
            raise ValueError("the linear prediction of the target does not belong to the basis")


def _check_predictions(estimator: Any) -> None:
    """Predict some basis vectors: numbers, and probabilities with the sum one."""
    rows = estimator.basis_vectors_[:ROWS_TRIED, : n_inputs(estimator)]
    if not len(rows):
        return
    model = of_inputs(estimator)
    posterior = getattr(estimator, "_posterior", None)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if hasattr(model, "predict_proba"):
            found = [model.predict_proba(rows)]
        elif isinstance(posterior, MeanOnly):
            found = [posterior.mean(posterior.Z[:ROWS_TRIED])]
        else:
            mean, std = model.predict(rows, return_std=True)
            found = [mean, np.where(std > 0.0, 0.0, np.nan)]  # infinite for heavy tails
    if not all(np.all(np.isfinite(values)) for values in found):
        raise ValueError("it predicts no finite numbers")
