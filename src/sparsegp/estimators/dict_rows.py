"""On-line estimators behind ``learn_one`` and ``predict_one``, for rows that are dicts.

This is the protocol of river. Nothing of river is imported: an object with these methods can be
put where river's evaluation expects a model.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from sparsegp.estimators.online_classifier import OnlineGPClassifier
from sparsegp.estimators.online_regressor import OnlineGPRegressor

__all__ = ["OneRowClassifier", "OneRowRegressor"]

Row = Mapping[Hashable, float]


class _Columns:
    """The order of features, taken from the first row."""

    def __init__(self, names: Iterable[Hashable]) -> None:
        self.names: tuple[Hashable, ...] = tuple(names)

    def array(self, x: Row) -> npt.NDArray[np.float64]:
        """Return a row as (1, D); every row must have the features of the first."""
        names = self.names or tuple(x)
        if set(names) != set(x):
            missing, extra = set(names) - set(x), set(x) - set(names)
            raise ValueError(
                "x must have the features of the first row: "
                f"missing {sorted(map(str, missing))}, new {sorted(map(str, extra))}"
            )
        return np.array([[x[name] for name in names]], dtype=np.float64)


class OneRowRegressor:
    """A regressor that learns and predicts one dict at a time.

    Parameters
    ----------
    model : OnlineGPRegressor

    >>> from sparsegp import OnlineGPRegressor
    >>> model = OneRowRegressor(OnlineGPRegressor(random_state=0))
    >>> for hour in range(10):
    ...     _ = model.learn_one({"hour": hour, "load": 1.0}, 2.0 * hour)
    >>> bool(5.0 < model.predict_one({"hour": 5, "load": 1.0}) < 15.0)
    True
    """

    def __init__(self, model: OnlineGPRegressor) -> None:
        self.model = model
        self._columns = _Columns(getattr(model, "feature_names_in_", ()))

    def learn_one(self, x: Row, y: float) -> Self:
        """Learn one row."""
        self.model.partial_fit(self._columns.array(x), [y])
        self._columns.names = self._columns.names or tuple(x)
        return self

    def predict_one(self, x: Row) -> float:
        """Predict the target of one row; 0 before the first was learned."""
        if not self.model.__sklearn_is_fitted__():
            return 0.0
        return float(np.asarray(self.model.predict(self._columns.array(x)))[0])


class OneRowClassifier:
    """A classifier that learns and predicts one dict at a time.

    Parameters
    ----------
    model : OnlineGPClassifier
    classes : sequence
        All labels that will ever come.
    """

    def __init__(self, model: OnlineGPClassifier, classes: Sequence[Any]) -> None:
        self.model = model
        self.classes = list(classes)
        self._columns = _Columns(getattr(model, "feature_names_in_", ()))

    def learn_one(self, x: Row, y: Any) -> Self:
        """Learn one row."""
        self.model.partial_fit(self._columns.array(x), [y], classes=self.classes)
        self._columns.names = self._columns.names or tuple(x)
        return self

    def predict_proba_one(self, x: Row) -> dict[Any, float]:
        """Return the probability of each label; equal ones before the first row was learned."""
        if not self.model.__sklearn_is_fitted__():
            return dict.fromkeys(self.classes, 1.0 / len(self.classes))
        probabilities = self.model.predict_proba(self._columns.array(x))[0]
        return dict(zip(self.model.classes_.tolist(), probabilities.tolist(), strict=True))

    def predict_one(self, x: Row) -> Any:
        """Return the most probable label."""
        probabilities = self.predict_proba_one(x)
        return max(probabilities, key=lambda label: probabilities[label])
