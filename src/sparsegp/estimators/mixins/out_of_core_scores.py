"""Scores of tables that are not held in memory: sums over parts, made where the rows lie."""

from copy import copy
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from sparsegp.estimators.mixins.out_of_core_predictions import check_columns, traveller
from sparsegp.estimators.out_of_core_tables import is_dask, table_in_blocks
from sparsegp.estimators.validation import check_finite
from sparsegp.tables.r2_sums import R2Sums
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.parquet import FileInputs

__all__ = ["is_scored_in_parts", "out_of_core_r2"]

Indices = npt.NDArray[np.intp]


def is_scored_in_parts(X: Any) -> bool:
    """Tell whether the targets that belong to inputs are not in memory either."""
    return isinstance(X, FileInputs) or is_dask(X)


def out_of_core_r2(estimator: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """Return R² for a table in a file or a Dask collection; no row and no prediction comes here."""
    check_is_fitted(estimator)
    check_columns(estimator, X)
    light = traveller(estimator)
    table, counted = table_in_blocks(copy(light), X, y, sample_weight)
    n_outputs = int(estimator._posterior.alpha.shape[1])
    if table.n_outputs != n_outputs:
        raise ValueError(
            f"y has {table.n_outputs} outputs, but the model was fitted with {n_outputs}"
        )
    errors: R2Sums = table.reduce(partial(_errors, light, counted))
    return errors.r2


def _errors(estimator: Any, counted: Indices | None, start: int, rows: Rows) -> R2Sums | None:
    if not len(rows):
        return None
    end = start + len(rows)
    numbers = range(start, end) if counted is None else counted[start:end].tolist()
    check_finite("X", rows.X, None, numbers)
    check_finite("y", rows.y, None, numbers)
    prediction = np.reshape(estimator.predict(rows.X), rows.y.shape)  # (b, p)
    return R2Sums.of(rows.y, prediction, rows.weight)
