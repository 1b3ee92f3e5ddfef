"""Small fitted models of every kind, whose files are altered."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from sparsegp import OnlineGPClassifier, OnlineGPRegressor, SparseGPClassifier, SparseGPRegressor
from sparsegp.kernels import Matern

__all__ = ["MODELS", "fitted", "new_rows"]

_RNG = np.random.default_rng(0)
_X = _RNG.normal(size=(60, 2))
_F = np.sin(_X[:, 0]) + _X[:, 1]
_Y = _F + 0.1 * _RNG.normal(size=60)
_LABELS = np.array(["low", "middle", "high"])[np.digitize(_F, [-0.5, 0.5])]
_TABLE = pd.DataFrame(
    {
        "size": np.where(_X[:, 0] > 1.0, np.nan, _X[:, 0]),
        "city": np.array(["Bern", "Oslo", "Rome"])[np.digitize(_X[:, 1], [-0.5, 0.5])],
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(60), unit="D"),
    }
)


def _regressor(**options: Any) -> SparseGPRegressor:
    plain = {"kernel": Matern(), "optimizer": None, "transform_X": "standard", "n_neighbors": 0}
    plain |= {"transform_y": "standard"}
    return SparseGPRegressor(max_basis=10, random_state=0, **plain | options)


MODELS = {
    "regressor": lambda: _regressor().fit(_X, _Y),
    "two targets": lambda: _regressor().fit(_X, np.column_stack((_Y, _F))),
    "neighbours": lambda: _regressor(n_neighbors=4).fit(_X, _Y),
    "warped": lambda: _regressor(transform_y="yeo-johnson").fit(_X, np.exp(_Y)),
    "quantiles": lambda: _regressor(transform_X="quantile", transform_y="log").fit(_X, np.exp(_Y)),
    "chosen": lambda: SparseGPRegressor(max_basis=10, random_state=0).fit(_X, _Y),
    "table": lambda: _regressor(kernel=None).fit(_TABLE, _Y),
    "classes": lambda: SparseGPClassifier(max_basis=8, optimizer=None, random_state=0).fit(
        _X, _LABELS
    ),
    "two classes": lambda: SparseGPClassifier(max_basis=8, optimizer=None, random_state=0).fit(
        _X, _F > 0.0
    ),
    "stream": lambda: OnlineGPRegressor(max_basis=8, n_warmup=30, random_state=0).fit(_X, _Y),
    "warm-up": lambda: OnlineGPRegressor(n_warmup=50).partial_fit(_X[:20], _Y[:20]),
    "lags": lambda: OnlineGPRegressor(max_basis=8, n_warmup=30, lags=2).fit(_X, _Y),
    "stream of classes": lambda: OnlineGPClassifier(max_basis=8, n_warmup=30).fit(_X, _LABELS),
    "stream of a table": lambda: OnlineGPRegressor(max_basis=8).partial_fit(_TABLE, _Y),
}


@cache
def fitted(name: str) -> Any:
    """Return a fitted model; do not change it."""
    return MODELS[name]()


def new_rows(name: str) -> Any:
    """Return rows that a model predicts."""
    return _TABLE[:7] if "table" in name else _X[:7] + 0.1
