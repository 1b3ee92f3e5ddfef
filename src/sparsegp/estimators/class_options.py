"""From the options of a classifier to checked settings of a fit."""

from typing import Any

from sparsegp.estimators.options import TRANSFORMS
from sparsegp.estimators.validation import check_integer, check_option
from sparsegp.learning.active import OBJECTIVES, ActiveSettings
from sparsegp.learning.classify import ClassSettings
from sparsegp.model.schemes import SCHEMES
from sparsegp.selection.active.steps import SITES
from sparsegp.selection.active_set import SELECTIONS

__all__ = ["classification_settings"]


def classification_settings(estimator: Any) -> ClassSettings:
    """Return the settings of a SparseGPClassifier; a bad one raises an error that names it."""
    check_option("selection", estimator.selection, SELECTIONS)
    check_option("sites", estimator.sites, tuple(SITES))
    check_option("objective", estimator.objective, OBJECTIVES)
    check_option("posterior", estimator.posterior, ("projected", "active"))
    check_option("inference", estimator.inference, ("auto", *SCHEMES))
    check_option("transform_X", estimator.transform_X, TRANSFORMS)
    _check_common(estimator)
    if isinstance(estimator.refine_basis, str):
        check_option("refine_basis", estimator.refine_basis, ("auto",))
    elif estimator.refine_basis and estimator.posterior == "active":
        raise ValueError(
            "refine_basis=True moves the basis by the evidence of all labels, which "
            "posterior='active' does not use: set posterior='projected' or refine_basis=False"
        )
    n_candidates = estimator.n_candidates
    if n_candidates is not None:
        check_integer("n_candidates", n_candidates, 1)
    active = ActiveSettings(
        max_basis=check_integer("max_basis", estimator.max_basis, 1),
        selection=estimator.selection,
        n_candidates=n_candidates,
        sites=estimator.sites,
        objective=estimator.objective,
        stop=estimator.stop is not None,
        max_rounds=check_integer("n_adaptations", estimator.n_adaptations, 0),
    )
    return ClassSettings(
        active=active,
        posterior=estimator.posterior,
        inference=estimator.inference,
        optimise=estimator.optimizer is not None,
        refine_basis=estimator.refine_basis,
    )


def _check_common(estimator: Any) -> None:
    """Check what both estimators have."""
    if estimator.optimizer is not None:
        check_option("optimizer", estimator.optimizer, ("lbfgs",))
    if estimator.callback is not None and not callable(estimator.callback):
        raise ValueError(f"callback must be callable or None, got {estimator.callback!r}")
    if estimator.refine_basis is True and estimator.optimizer is None:
        raise ValueError(
            "refine_basis=True moves the basis by optimisation, which optimizer=None forbids: set "
            "optimizer='lbfgs' or refine_basis=False"
        )
    if estimator.stop is not None:
        check_option("stop", estimator.stop, ("auto",))
