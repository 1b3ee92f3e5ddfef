"""On-line estimators behind ``learn_one`` and ``predict_one``, for rows that are dicts.

This is the protocol of river, which is not imported here. ``sparsegp.interop.river_models`` derives
estimators of river from these classes, for its pipelines and checks.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor
from sparsegp.estimators.options.online import TARGET
from sparsegp.estimators.river.dict_columns import DictColumns, Row

__all__ = ["OneRowClassifier", "OneRowRegressor"]

#: What is done when a detector finds a drift: a share that is forgotten, or a call with the model.
OnDrift = float | Callable[[Any], object]


class _OneRow:
    """A model that learns rows that are dicts; abstract."""

    model_: Any
    drift_detector: Any
    on_drift: OnDrift
    _columns: DictColumns
    _detector: Any

    def _set_up(self, model: Any, features: Sequence[Hashable] | None, strict: bool) -> None:
        """Copy what was given: parameters stay as they are."""
        self.model_ = model
        # from now on the model gets arrays, and would warn that they have no names
        known = self.model_.__dict__.pop("feature_names_in_", ())
        names = known if features is None else features
        is_fitted = self.model_.__sklearn_is_fitted__()
        self._columns = DictColumns(names, strict=strict, as_given=is_fitted)
        self._detector = deepcopy(self.drift_detector)

    def forget(self, rate: float) -> Self:
        """Move the posterior towards the prior by a share from 0 to 1."""
        self.model_.forget(rate)
        return self

    def _learn(self, x: Row, y: Any, **options: Any) -> None:
        """Learn one row, after its error was shown to the drift detector."""
        row, names = self._columns.array(x), self._columns.names_for(x)
        self._name_lags(names)
        error = None if self._detector is None else self._error(row, y)
        self.model_.partial_fit(row, [y], **options)
        self._columns.count(x, row, names)  # a row that was refused does not change the means
        if error is not None:
            self._detector.update(error)
            if self._detector.drift_detected:
                self._react()

    def _learn_table(self, X: Any, y: Any, **options: Any) -> None:
        """Learn the rows of a table, in their order."""
        for x, target in zip(X.to_dict("records"), y, strict=True):
            self._learn(x, target, **options)

    def _inputs(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the rows of a table as an array."""
        return np.concatenate([self._columns.array(x) for x in X.to_dict("records")])

    def _react(self) -> None:
        if callable(self.on_drift):
            self.on_drift(self.model_)
        else:
            self.forget(self.on_drift)

    def _name_lags(self, names: Sequence[Hashable]) -> None:
        """Replace names of columns in ``lags`` by their positions, before the first row."""
        lags = self.model_.lags
        if isinstance(lags, Mapping) and not self.model_.__sklearn_is_fitted__():
            places = {name: i for i, name in enumerate(names) if name != TARGET}
            self.model_.set_params(lags={places.get(key, key): n for key, n in lags.items()})

    def _error(self, row: npt.NDArray[np.float64], y: Any) -> float | None:
        """Return the error of the prediction of a row; None before the first."""
        raise NotImplementedError


class OneRowRegressor(_OneRow):
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
    drift_detector : object, default=None
        One of ``river.drift``, or any with ``update(number)`` and ``drift_detected``. A copy of it
        sees the absolute error of each row before the row is learned.
    on_drift : float or callable, default=1.0
        What follows a detection: the share of what was learned that is forgotten, or a function
        that is called with ``model_``.

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
        drift_detector: Any = None,
        on_drift: OnDrift = 1.0,
    ) -> None:
        self.model, self.features, self.strict = model, features, strict
        self.drift_detector, self.on_drift = drift_detector, on_drift
        own = OnlineGPRegressor() if model is None else deepcopy(model)
        self._set_up(own, features, strict)

    def learn_one(self, x: Row, y: float) -> Self:
        """Learn one row."""
        self._learn(x, y)
        return self

    def predict_one(self, x: Row) -> float:
        """Predict the target of one row; 0 before the first is learned."""
        return self.predict_moments_one(x)[0]

    def predict_moments_one(self, x: Row) -> tuple[float, float]:
        """Return mean and standard deviation of the target, noise included; (0, 1) at first."""
        if not self.model_.__sklearn_is_fitted__():
            return 0.0, 1.0
        mean, std = self.model_.predict(self._columns.array(x), return_std=True)
        return float(mean[0]), float(std[0])

    def _error(self, row: npt.NDArray[np.float64], y: Any) -> float | None:
        if not self.model_.__sklearn_is_fitted__():
            return None
        return abs(float(y) - float(self.model_.predict(row)[0]))


class OneRowClassifier(_OneRow):
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
    drift_detector : object, default=None
        One of ``river.drift``, or any with ``update(number)`` and ``drift_detected``. A copy of it
        sees for each row, before it is learned, whether its label was predicted wrongly.
    on_drift : float or callable, default=1.0
        What follows a detection: the share of what was learned that is forgotten, or a function
        that is called with ``model_``.
    """

    def __init__(
        self,
        model: OnlineGPClassifier | None = None,
        classes: Sequence[Any] = (False, True),
        features: Sequence[Hashable] | None = None,
        strict: bool = False,
        drift_detector: Any = None,
        on_drift: OnDrift = 1.0,
    ) -> None:
        self.model, self.classes, self.features, self.strict = model, classes, features, strict
        self.drift_detector, self.on_drift = drift_detector, on_drift
        own = OnlineGPClassifier() if model is None else deepcopy(model)
        self._set_up(own, features, strict)

    def learn_one(self, x: Row, y: Any) -> Self:
        """Learn one row."""
        self._learn(x, y, classes=list(self.classes))
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

    def _error(self, row: npt.NDArray[np.float64], y: Any) -> float | None:
        if not self.model_.__sklearn_is_fitted__():
            return None
        return float(self.model_.predict(row)[0] != y)
