"""The on-line estimators as estimators of river."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from river import base, proba

from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.estimators.river.dict_columns import Row
from sparsegp.estimators.river.dict_rows import OneRowClassifier, OneRowRegressor
from sparsegp.interop.policy import QUICK_OPTIONS

__all__ = ["GPClassifier", "GPRegressor"]


class GPRegressor(OneRowRegressor, base.MiniBatchRegressor):  # type: ignore[misc]
    """Gaussian process regression on a stream, for river.

    Parameters
    ----------
    model : OnlineGPRegressor, default=None
        A copy of it, ``model_``, learns; None is one with default options.
    features : sequence, default=None
        Names of all features of the stream; None is those of the first row.
    strict : bool, default=False
        Refuse rows with other features. Otherwise a missing feature is replaced by its mean, and a
        new one is ignored.
    drift_detector : river.base.DriftDetector, default=None
        A copy of it sees the absolute error of each row before the row is learned.
    on_drift : float or callable, default=1.0
        What follows a detection: the share of what was learned that is forgotten, or a function
        that is called with ``model_``.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from sparsegp.interop.river_models import GPRegressor
    >>> rows = datasets.TrumpApproval().take(100)
    >>> error = evaluate.progressive_val_score(rows, GPRegressor(), metrics.MAE())
    >>> bool(error.get() < 2.0)
    True
    """

    def predict_one(self, x: Row, with_dist: bool = False) -> Any:
        """Predict the target of one row, or its normal distribution, noise included."""
        mean, std = self.predict_moments_one(x)
        if not with_dist:
            return mean
        made: Any = proba.Gaussian
        return made._from_state(n=1, m=mean, var=std**2, ddof=0)

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        """Learn the rows of a table, in their order."""
        self._learn_table(X, y)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Predict the target of each row."""
        if not self.model_.__sklearn_is_fitted__() or not len(X):
            return pd.Series(np.zeros(len(X)), index=X.index)
        return pd.Series(np.asarray(self.model_.predict(self._inputs(X))), index=X.index)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": OnlineGPRegressor(**QUICK_OPTIONS)}


class GPClassifier(OneRowClassifier, base.MiniBatchClassifier):  # type: ignore[misc]
    """Gaussian process classification on a stream, for river.

    Parameters
    ----------
    model : OnlineGPClassifier, default=None
        A copy of it, ``model_``, learns; None is one with default options.
    classes : sequence, default=(False, True)
        All labels of the stream.
    features : sequence, default=None
        Names of all features of the stream; None is those of the first row.
    strict : bool, default=False
        Refuse rows with other features. Otherwise a missing feature is replaced by its mean, and a
        new one is ignored.
    drift_detector : river.base.DriftDetector, default=None
        A copy of it sees for each row, before it is learned, whether its label was predicted
        wrongly.
    on_drift : float or callable, default=1.0
        What follows a detection: the share of what was learned that is forgotten, or a function
        that is called with ``model_``.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from sparsegp.interop.river_models import GPClassifier
    >>> rows = datasets.Phishing().take(200)
    >>> accuracy = evaluate.progressive_val_score(rows, GPClassifier(), metrics.Accuracy())
    >>> bool(accuracy.get() > 0.75)
    True
    """

    @property
    def _multiclass(self) -> bool:
        return len(self.classes) > 2

    def predict_one(self, x: Row, **_: Any) -> Any:
        """Return the most probable label."""
        return OneRowClassifier.predict_one(self, x)

    def predict_proba_one(self, x: Row, **_: Any) -> dict[Any, float]:
        """Return the probability of each label."""
        return OneRowClassifier.predict_proba_one(self, x)

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        """Learn the rows of a table, in their order."""
        self._learn_table(X, y, classes=list(self.classes))

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """Return the probability of each label (columns) for each row."""
        if not self.model_.__sklearn_is_fitted__() or not len(X):
            equal = np.full((len(X), len(self.classes)), 1.0 / len(self.classes))
            return pd.DataFrame(equal, index=X.index, columns=list(self.classes))
        p = self.model_.predict_proba(self._inputs(X))
        return pd.DataFrame(p, index=X.index, columns=self.model_.classes_.tolist())

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"model": OnlineGPClassifier(**QUICK_OPTIONS)}
