"""Predictions for tables that are not held in memory: some rows at a time, or lazily on workers."""

from collections.abc import Callable, Iterator
from copy import copy
from functools import partial, wraps
from inspect import signature
from typing import Any, TypeVar

from sklearn.utils.validation import check_is_fitted, validate_data

from sparsegp.arrays import namespace
from sparsegp.data.parquet import FileInputs
from sparsegp.data.table import ROWS_OF_PART, floats
from sparsegp.estimators.far_tables import is_dask, is_far, names_of
from sparsegp.estimators.validation import check_finite

__all__ = ["check_columns", "some_rows_at_a_time", "traveller"]

Method = TypeVar("Method", bound=Callable[..., Any])


def some_rows_at_a_time(method: Method) -> Method:
    """Let a method that speaks of each row by itself take a table in blocks.

    A map of a file and a table in one give arrays; a Dask array gives Dask arrays, and nothing is
    computed before it is asked for.
    """

    @wraps(method)
    def of_any(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        if not is_far(X):
            return method(self, X, *args, **options)
        check_is_fitted(self)
        if signature(method).bind(self, X, *args, **options).arguments.get("return_cov"):
            raise ValueError("return_cov relates all rows to each other: give an array in memory")
        check_columns(self, X)
        of_block = partial(_speak, traveller(self), method.__name__, args, options)
        if is_dask(X):
            from sparsegp.data.dask_collections import lazy_answers  # noqa: PLC0415  (no Dask here)

            return lazy_answers(of_block, X)
        return _join([of_block(block) for block in _blocks(X)])

    return of_any  # type: ignore[return-value]


def _speak(
    estimator: Any, name: str, args: tuple[Any, ...], options: dict[str, Any], X: Any
) -> Any:
    return getattr(estimator, name)(X, *args, **options)


def check_columns(estimator: Any, X: Any) -> None:
    """Refuse a table elsewhere with other columns than the model was fitted on."""
    if len(X.shape) == 2:  # else its first block is refused
        validate_data(estimator, names_of(X), reset=False)


def traveller(estimator: Any) -> Any:
    """Return the estimator as it may travel: silent, without training rows and names of columns."""
    light = copy(estimator)
    light._rows, light.callback = None, None
    vars(light).pop("feature_names_in_", None)  # blocks are arrays
    return light


def _blocks(X: Any) -> Iterator[Any]:
    """Yield rows (b, D) of a file; those that hold NaN are refused by their numbers."""
    if not len(X):
        raise ValueError("X has no rows to predict")
    parts = range(0, len(X), ROWS_OF_PART)
    is_file = isinstance(X, FileInputs)
    blocks = X.table.inputs() if is_file else (floats(X[i : i + ROWS_OF_PART]) for i in parts)
    start = 0
    for block in blocks:
        numbers = range(start, start + len(block))
        check_finite("X", block, X.table.columns if is_file else None, numbers)
        yield block
        start += len(block)


def _join(parts: list[Any]) -> Any:
    """Join arrays, or tuples of arrays, row after row."""
    if isinstance(parts[0], tuple):
        return tuple(_join(list(each)) for each in zip(*parts, strict=True))
    return namespace(parts[0]).concat(parts)
