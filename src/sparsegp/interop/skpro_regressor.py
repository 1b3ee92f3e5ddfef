"""The regressor behind skpro's interface of probabilistic regressors."""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from skpro.distributions.base import BaseDistribution
from skpro.regression.base import BaseProbaRegressor

from sparsegp.estimators.regressor import SparseGPRegressor
from sparsegp.interop.skpro_distribution import as_skpro

__all__ = ["SkproRegressor"]


class SkproRegressor(BaseProbaRegressor):
    """A regressor of sparsegp for skpro: ``predict_proba`` returns a distribution of skpro.

    It is a normal distribution where the model has one, and else a warped or heavy-tailed one with
    exact densities, probabilities and quantiles.

    Parameters
    ----------
    estimator : SparseGPRegressor or None, default=None
        The estimator to fit, which is cloned; None: with its defaults.

    Attributes
    ----------
    estimator_ : SparseGPRegressor
        The fitted estimator.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from sparsegp import SparseGPRegressor
    >>> from sparsegp.interop.skpro_regressor import SkproRegressor
    >>> X = pd.DataFrame({"x": np.linspace(0, 6, 60)})
    >>> y = pd.DataFrame({"y": np.sin(X["x"])})
    >>> model = SkproRegressor(SparseGPRegressor(random_state=0)).fit(X, y)
    >>> float(model.predict_proba(X).cdf(y + 1.0)["y"].min().round(2))
    1.0
    """

    _tags = {  # noqa: RUF012  (as skpro has it)
        "capability:multioutput": False,
        "capability:missing": True,
        "X_inner_mtype": "pd_DataFrame_Table",
        "y_inner_mtype": "pd_DataFrame_Table",
    }

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator
        super().__init__()

    def _fit(self, X: pd.DataFrame, y: pd.DataFrame) -> "SkproRegressor":
        estimator = SparseGPRegressor() if self.estimator is None else clone(self.estimator)
        self._columns = y.columns
        self.estimator_ = estimator.fit(_named(X), np.asarray(y, dtype=np.float64)[:, 0])
        return self

    def _predict(self, X: pd.DataFrame) -> pd.DataFrame:
        mean = self.estimator_.predict(_named(X))
        return pd.DataFrame({self._columns[0]: mean}, index=X.index)

    def _predict_proba(self, X: pd.DataFrame) -> BaseDistribution:
        predicted = self.estimator_.predict_distribution(_named(X))
        return as_skpro(predicted, X.index, self._columns)

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Return parameters for skpro's own checks."""
        quick: dict[str, Any] = {"kernel": "rbf", "transform_X": "standard", "random_state": 0}
        return [
            {"estimator": SparseGPRegressor(transform_y="standard", **quick)},
            {"estimator": SparseGPRegressor(transform_y="yeo-johnson", max_basis=20, **quick)},
        ]


def _named(X: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns have strings as names; skpro allows any."""
    return X.set_axis([str(name) for name in X.columns], axis=1)
