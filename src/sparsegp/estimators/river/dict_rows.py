"""On-line estimators behind ``learn_one`` and ``predict_one``, for rows that are dicts.

This is the protocol of river, which is not imported: an object with these methods works in river's
evaluation. For its pipelines and its ``clone``, derive

    class GPRegressor(OneRowRegressor, river.base.Regressor):
        "A Gaussian process on a stream."

which passes river's own checks (tests/estimators/test_online_river.py).
"""

from collections.abc import Hashable, Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np

from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.estimators.river.dict_columns import DictColumns, Row

__all__ = ["OneRowClassifier", "OneRowRegressor"]


def _columns_for(model: Any, features: Sequence[Hashable] | None, strict: bool) -> DictColumns:
    """Return the columns given in advance, or those of a fitted model."""
    # from now on the model gets arrays, and would warn that they have no names
    known = model.__dict__.pop("feature_names_in_", ())
    names = known if features is None else features
    return DictColumns(names, strict=strict, as_given=model.__sklearn_is_fitted__())


class OneRowRegressor:
    """A regressor that learns and predicts one dict at a time.

    Parameters
    ----------
    model : OnlineGPRegressor, default=None
        A copy of it, ``model_``, learns; this one is not changed. If it has learned rows already,
        the copy continues from there. None is one with default options.
    features : sequence, default=None
        Names of all features of the stream; None is those of the first row.
    strict : bool, default=False
        Refuse rows with other features. Otherwise a missing feature (or None, or NaN) is replaced
        by its mean, and a new one is ignored.

    Examples
    --------
    >>> from sparsegp import OnlineGPRegressor
    >>> model = OneRowRegressor(OnlineGPRegressor(random_state=0))
    >>> for hour in range(10):
    ...     _ = model.learn_one({"hour": hour, "load": 1.0}, 2.0 * hour)
    >>> bool(5.0 < model.predict_one({"hour": 5, "load": 1.0}) < 15.0)
    True
    """

    def __init__(
        self,
        model: OnlineGPRegressor | None = None,
        features: Sequence[Hashable] | None = None,
        strict: bool = False,
    ) -> None:
        self.model, self.features, self.strict = model, features, strict
        self.model_ = OnlineGPRegressor() if model is None else deepcopy(model)
        self._columns = _columns_for(self.model_, features, strict)

    def learn_one(self, x: Row, y: float) -> Self:
        """Learn one row."""
        columns = deepcopy(self._columns)
        self.model_.partial_fit(columns.learn(x), [y])
        self._columns = columns  # a row that was refused does not change the means
        return self

    def predict_one(self, x: Row) -> float:
        """Predict the target of one row; 0 before the first is learned."""
        if not self.model_.__sklearn_is_fitted__():
            return 0.0
        return float(np.asarray(self.model_.predict(self._columns.array(x)))[0])


class OneRowClassifier:
    """A classifier that learns and predicts one dict at a time.

    Parameters
    ----------
    model : OnlineGPClassifier, default=None
        A copy of it, ``model_``, learns; this one is not changed. If it has learned rows already,
        the copy continues from there. None is one with default options.
    classes : sequence, default=(False, True)
        All labels of the stream.
    features : sequence, default=None
        Names of all features of the stream; None is those of the first row.
    strict : bool, default=False
        Refuse rows with other features. Otherwise a missing feature (or None, or NaN) is replaced
        by its mean, and a new one is ignored.
    """

    def __init__(
        self,
        model: OnlineGPClassifier | None = None,
        classes: Sequence[Any] = (False, True),
        features: Sequence[Hashable] | None = None,
        strict: bool = False,
    ) -> None:
        self.model, self.classes, self.features, self.strict = model, classes, features, strict
        self.model_ = OnlineGPClassifier() if model is None else deepcopy(model)
        self._columns = _columns_for(self.model_, features, strict)

    def learn_one(self, x: Row, y: Any) -> Self:
        """Learn one row."""
        columns = deepcopy(self._columns)
        self.model_.partial_fit(columns.learn(x), [y], classes=list(self.classes))
        self._columns = columns  # a row that was refused does not change the means
        return self

    def predict_proba_one(self, x: Row) -> dict[Any, float]:
        """Return the probability of each label; equal ones before the first row is learned."""
        if not self.model_.__sklearn_is_fitted__():
            return dict.fromkeys(self.classes, 1.0 / len(self.classes))
        probabilities = self.model_.predict_proba(self._columns.array(x))[0]
        return dict(zip(self.model_.classes_.tolist(), probabilities.tolist(), strict=True))

    def predict_one(self, x: Row) -> Any:
        """Return the most probable label."""
        probabilities = self.predict_proba_one(x)
        return max(probabilities, key=lambda label: probabilities[label])
