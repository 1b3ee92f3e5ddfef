"""Methods of fitted estimators that take rows from anywhere."""

from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from inspect import signature
from typing import Any, TypeVar

from sklearn.utils.validation import check_is_fitted

from sparsegp.tables.map_rows import like_inputs, map_rows
from sparsegp.tables.open import check_columns, is_out_of_core

__all__ = ["like_its_inputs", "portable", "rowwise"]

Method = TypeVar("Method", bound=Callable[..., Any])

#: Arguments that have one line per row of X.
BESIDE = ("y",)


def like_its_inputs(method: Method) -> Method:
    """Return a method's predictions in the library and on the device of its first argument X."""

    @wraps(method)
    def predicting(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        return like_inputs(method(self, X, *args, **options), X)

    return predicting  # type: ignore[return-value]


def rowwise(method: Method) -> Method:
    """Let a method that predicts each row by itself take rows out of core too.

    A memory-mapped array and a table in a file give arrays; a Dask collection gives lazy Dask
    collections. A target y beside X is cut with it.
    """

    @wraps(method)
    def predicting(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        if not is_out_of_core(X):
            return method(self, X, *args, **options)
        check_is_fitted(self)
        given = dict(signature(method).bind(self, X, *args, **options).arguments)
        if given.get("return_cov"):
            raise ValueError("return_cov relates all rows to each other: pass an array in memory")
        check_columns(self, X)
        beside = [given[name] for name in BESIDE if name in given]
        others = {k: v for k, v in given.items() if k not in ("self", "X", *BESIDE)}
        return map_rows(partial(_predict, portable(self), method.__name__, others), X, *beside)

    return predicting  # type: ignore[return-value]


def _predict(estimator: Any, name: str, others: dict[str, Any], X: Any, *beside: Any) -> Any:
    return getattr(estimator, name)(X, *beside, **others)


def portable(estimator: Any) -> Any:
    """Return the estimator as it is sent to workers: no callback, training rows or column names.

    Rows that are neighbours of new rows are part of the model.
    """
    light = copy(estimator)
    light._rows, light.callback = None, None
    vars(light).pop("feature_names_in_", None)  # blocks are arrays
    return light
