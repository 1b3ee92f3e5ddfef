"""Scorers for ``cross_val_score``, ``GridSearchCV`` and other users of ``scoring``."""

from typing import Any

from sklearn import metrics as sk

from sparsegp.metrics.scores import crps, interval_coverage, nlpd

__all__ = ["coverage_scorer", "crps_scorer", "get_scorer", "nlpd_scorer"]


def nlpd_scorer(estimator: Any, X: Any, y: Any) -> float:
    """Return minus ``nlpd``: a scorer is greater for a better model.

    Of a classifier it is scikit-learn's ``"neg_log_loss"``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import cross_val_score
    >>> from sparsegp import SparseGPRegressor
    >>> from sparsegp.metrics import nlpd_scorer
    >>> X = np.linspace(0, 6, 80)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).standard_normal(80)
    >>> model = SparseGPRegressor(max_basis=10, random_state=0)
    >>> bool(np.mean(cross_val_score(model, X[::-1], y[::-1], scoring=nlpd_scorer, cv=2)) < 2.0)
    True
    """
    return -nlpd(*_last_step(estimator, X), y)


def crps_scorer(estimator: Any, X: Any, y: Any) -> float:
    """Return minus ``crps``: a scorer is greater for a better model."""
    return -crps(*_last_step(estimator, X), y)


def coverage_scorer(estimator: Any, X: Any, y: Any) -> float:
    """Return the coverage of 95 % intervals: about 0.95 is best, not the largest."""
    return interval_coverage(*_last_step(estimator, X), y)


_SCORERS = {"nlpd": nlpd_scorer, "crps": crps_scorer, "coverage": coverage_scorer}


def get_scorer(name: str) -> Any:
    """Return a scorer by name: "nlpd", "crps", "coverage", or a name of scikit-learn's.

    Examples
    --------
    >>> from sparsegp.metrics import get_scorer
    >>> get_scorer("nlpd").__name__
    'nlpd_scorer'
    """
    if name in _SCORERS:
        return _SCORERS[name]
    try:
        return sk.get_scorer(name)
    except (KeyError, ValueError):
        known = ", ".join(repr(each) for each in _SCORERS)
        raise ValueError(
            f"there is no scorer {name!r}: use one of {known}, or a name of "
            "sklearn.metrics.get_scorer_names()"
        ) from None


def _last_step(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the model that predicts and its inputs: the last step of a pipeline, or a search's."""
    if hasattr(estimator, "best_estimator_"):
        return _last_step(estimator.best_estimator_, X)
    if hasattr(estimator, "steps"):  # a pipeline
        first, last = estimator[:-1], estimator.steps[-1][1]
        return _last_step(last, first.transform(X) if len(estimator.steps) > 1 else X)
    return estimator, X
