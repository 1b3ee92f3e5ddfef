"""From the options of a classifier to checked settings of a fit."""

from dataclasses import replace
from typing import Any

import numpy as np

from sparsegp.estimators.options.checks import check_bias, check_integer, check_option
from sparsegp.estimators.options.regression import check_common
from sparsegp.estimators.policy import (
    BASIS_OF_ANOTHER_CLASS,
    BASIS_OF_CLASSES,
    MOST_BASIS_OF_CLASSES,
)
from sparsegp.learning.basis.active_set import OBJECTIVES, ActiveSettings
from sparsegp.learning.classes.class_fit import ClassSettings
from sparsegp.learning.classes.label_regression import LEAST_SQUARES
from sparsegp.learning.settings import AUTO
from sparsegp.model.sites.updates import SCHEMES
from sparsegp.selection.active.steps import SITES
from sparsegp.selection.active_set import SELECTIONS

__all__ = ["check_candidates", "classification_settings", "needs_memory", "sized"]


def classification_settings(estimator: Any) -> ClassSettings:
    """Return the settings of a SparseGPClassifier; a bad one raises an error that names it."""
    check_option("selection", estimator.selection, SELECTIONS)
    check_option("sites", estimator.sites, tuple(SITES))
    check_option("objective", estimator.objective, OBJECTIVES)
    check_option("posterior", estimator.posterior, ("projected", "active"))
    check_option("inference", estimator.inference, ("auto", *SCHEMES, LEAST_SQUARES))
    if estimator.inference == LEAST_SQUARES and estimator.posterior == "active":
        raise ValueError(
            "inference='least_squares' takes in the labels of all rows, which posterior='active' "
            "does not use: set posterior='projected' or another inference"
        )
    if estimator.inference == LEAST_SQUARES and check_bias(estimator.bias) is not None:
        raise ValueError(
            "inference='least_squares' takes its biases from the labels: set bias='auto' or "
            "another inference"
        )
    check_common(estimator)
    if estimator.stop is not None:
        check_option("stop", estimator.stop, (AUTO,))
    refine_basis = _refine_basis(estimator)
    n_candidates = estimator.n_candidates
    if n_candidates is not None:
        check_integer("n_candidates", n_candidates, 1)
    active = ActiveSettings(
        max_basis=_max_basis(estimator),
        selection=estimator.selection,
        n_candidates=n_candidates,
        sites=estimator.sites,
        objective=estimator.objective,
        stop=estimator.stop is not None,
        max_iterations=check_integer("n_adaptations", estimator.n_adaptations, 0),
        # a basis holds no duplicates; an active set may, and then the labels of all of them count
        distinct=estimator.posterior == "projected",
    )
    return ClassSettings(
        active=active,
        posterior=estimator.posterior,
        inference=estimator.inference,
        optimise=estimator.optimizer is not None,
        refine_basis=refine_basis,
        grows=estimator.max_basis == AUTO and refine_basis is not True,
        may_be_numbers=all(_is_one_of(getattr(estimator, n), own) for n, own in _OPEN.items()),
    )


#: Options of a model whose inference is open, with the values that leave it open.
_OPEN = {
    "inference": (AUTO,),
    "posterior": ("projected",),
    "kernel": (None, AUTO),
    "max_basis": (AUTO,),
    "refine_basis": (AUTO,),
    "optimizer": ("lbfgs",),
    "selection": ("adaptive",),
    "n_candidates": (None,),
    "sites": ("moment_matching",),
    "bias": (AUTO,),
    "stop": (None,),
    "slope_bounds": ((1e-2, 1e2),),
}


def _is_one_of(value: Any, own: tuple[Any, ...]) -> bool:
    """Tell whether an option has one of some values; limits may be a list or an array, too."""
    value = value.tolist() if isinstance(value, np.ndarray) else value
    return (tuple(value) if isinstance(value, list) else value) in own


def check_candidates(estimator: Any, candidates: Any) -> None:
    """Refuse candidates where basis vectors need labels."""
    if candidates is not None and estimator.posterior == "active":
        raise ValueError(
            "candidates have no labels, which the rows of posterior='active' need: set "
            "posterior='projected', or leave candidates out"
        )


def sized(settings: ClassSettings, estimator: Any, n_classes: int) -> ClassSettings:
    """Return the settings with the number of basis vectors that the table needs.

    With "auto" a category adds its levels to the usual number, and a class beyond two some: each is
    a direction of its own.
    """
    if estimator.max_basis != AUTO:
        return settings
    encoding = getattr(estimator, "encoding_", None)
    columns = () if encoding is None else encoding.columns
    levels = max((len(column.levels) for column in columns), default=0)
    classes = BASIS_OF_ANOTHER_CLASS * max(n_classes - 2, 0)
    m = min(BASIS_OF_CLASSES + levels + classes, MOST_BASIS_OF_CLASSES)
    return replace(settings, active=replace(settings.active, max_basis=m))


def _max_basis(estimator: Any) -> int:
    if isinstance(estimator.max_basis, str):
        check_option("max_basis", estimator.max_basis, (AUTO,))
        return BASIS_OF_CLASSES
    return check_integer("max_basis", estimator.max_basis, 1)


def needs_memory(estimator: Any) -> str | None:
    """Return why all rows have to be in memory, and what to do, if they have to."""
    if estimator.posterior != "active":
        return None
    return (
        "posterior='active' relates every row to every basis vector, which needs all rows in "
        "memory: for a table that is read in blocks use posterior='projected'"
    )


def _refine_basis(estimator: Any) -> bool | str:
    value = estimator.refine_basis
    if isinstance(value, str) and value == "auto":
        return value
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"refine_basis must be True, False or 'auto', got {value!r}")
    if value and estimator.optimizer is None:
        raise ValueError(
            "refine_basis=True optimises inducing inputs, which optimizer=None forbids: set "
            "optimizer='lbfgs' or refine_basis=False"
        )
    if value and estimator.posterior == "active":
        raise ValueError(
            "refine_basis=True optimises inducing inputs by the evidence of all labels, which "
            "posterior='active' does not use: set posterior='projected' or refine_basis=False"
        )
    return bool(value)
