"""Predictions for tables that are not held in memory: some rows at a time, or lazily on workers."""

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial, wraps
from inspect import signature
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from sparsegp.arrays import namespace
from sparsegp.estimators.out_of_core_tables import is_dask, is_out_of_core, names_of
from sparsegp.estimators.validation import check_finite
from sparsegp.tables.sources.parquet import FileInputs, FileTarget
from sparsegp.tables.sources.table import ROWS_OF_PART, floats

__all__ = ["check_columns", "check_in_memory", "some_rows_at_a_time", "traveller"]

Method = TypeVar("Method", bound=Callable[..., Any])

#: Arguments that have a line for each row of X.
BESIDE = ("y",)


def some_rows_at_a_time(method: Method) -> Method:
    """Let a method that speaks of each row by itself take a table in blocks.

    A map of a file and a table in one give arrays; a Dask collection gives such, and nothing is
    computed before it is asked for. A target y beside X is cut with it.
    """

    @wraps(method)
    def of_any(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        if not is_out_of_core(X):
            return method(self, X, *args, **options)
        check_is_fitted(self)
        given = dict(signature(method).bind(self, X, *args, **options).arguments)
        if given.get("return_cov"):
            raise ValueError("return_cov relates all rows to each other: give an array in memory")
        check_columns(self, X)
        beside = [given[name] for name in BESIDE if name in given]
        others = {k: v for k, v in given.items() if k not in ("self", "X", *BESIDE)}
        of_block = partial(_speak, traveller(self), method.__name__, others)
        if is_dask(X):
            from sparsegp.tables.sources.dask_collections import lazy_answers  # noqa: PLC0415  (no Dask here)

            return lazy_answers(of_block, X, *beside)
        return _join([of_block(*block) for block in _blocks(X, *beside)])

    return of_any  # type: ignore[return-value]


def _speak(estimator: Any, name: str, others: dict[str, Any], X: Any, *beside: Any) -> Any:
    return getattr(estimator, name)(X, *beside, **others)


def check_columns(estimator: Any, X: Any) -> None:
    """Refuse a table elsewhere with other columns than the model was fitted on."""
    if len(X.shape) == 2:  # else its first block is refused
        validate_data(estimator, names_of(X), reset=False)


def check_in_memory(name: str, X: Any) -> None:
    """Refuse a table elsewhere where its rows cannot be taken some at a time."""
    if isinstance(X, FileInputs) or is_dask(X):
        raise TypeError(
            f"{name} must be an array in memory here, got {type(X).__name__}: give the rows that "
            "are needed, e.g. by compute() of a Dask collection"
        )


def traveller(estimator: Any) -> Any:
    """Return the estimator as it may travel: silent, without training rows and names of columns."""
    light = copy(estimator)
    light._rows, light.callback = None, None
    vars(light).pop("feature_names_in_", None)  # blocks are arrays
    return light


def _blocks(X: Any, *beside: Any) -> Iterator[tuple[Any, ...]]:
    """Yield rows (b, D) of a file, and what is beside them; NaN is refused by its number."""
    if not len(X):
        raise ValueError("X has no rows to predict")
    beside = tuple(_beside(X, y) for y in beside)
    start = 0
    for block, *targets in _read(X, beside):
        end = start + len(block)
        columns = X.table.columns if isinstance(X, FileInputs) else None
        check_finite("X", block, columns, range(start, end))
        yield block, *targets, *(y[start:end] for y in beside if not isinstance(y, FileTarget))
        start = end


def _read(X: Any, beside: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield blocks of X, and of a target in the same file if there is one."""
    if not isinstance(X, FileInputs):
        for start in range(0, len(X), ROWS_OF_PART):
            yield (floats(X[start : start + ROWS_OF_PART]),)
    elif any(isinstance(y, FileTarget) for y in beside):
        for rows in X.table.parts():
            yield rows.X, rows.y[:, 0] if X.table.one_target else rows.y
    else:
        for block in X.table.inputs():
            yield (block,)


def _beside(X: Any, y: Any) -> Any:
    """Return a target that can be read along with X: an array, or one of the same file."""
    if not isinstance(y, FileTarget):
        y = np.asarray(y)
        check_consistent_length(X, y)
    elif not isinstance(X, FileInputs) or y.table is not X.table:
        raise ValueError("y must be the target of the same table as X: (table.X, table.y)")
    return y


def _join(parts: list[Any]) -> Any:
    """Join arrays, or tuples of arrays, row after row."""
    if isinstance(parts[0], tuple):
        return tuple(_join(list(each)) for each in zip(*parts, strict=True))
    return namespace(parts[0]).concat(parts)
