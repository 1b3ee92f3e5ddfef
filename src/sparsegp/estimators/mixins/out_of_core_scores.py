"""R² of tables out of core: sums over parts, made where the rows are."""

from copy import copy
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sparsegp.estimators.mixins.rowwise import portable
from sparsegp.tables.open import check_columns, open_out_of_core
from sparsegp.tables.r2_sums import R2Sums
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.validated_reduce import validated_reduce

__all__ = ["out_of_core_r2"]


def out_of_core_r2(estimator: Any, X: Any, y: Any, sample_weight: Any) -> float:
    """Return R² for a table in a file or a Dask collection; only sums leave the parts."""
    check_is_fitted(estimator)
    check_columns(estimator, X)
    light = portable(estimator)
    table = open_out_of_core(copy(light), X, y, sample_weight)
    n_outputs = int(estimator._posterior.alpha.shape[1])
    if table.n_outputs != n_outputs:
        raise ValueError(
            f"y has {table.n_outputs} outputs, but the model was fitted with {n_outputs}"
        )
    return validated_reduce(table, table.check, partial(_sums, light)).r2


def _sums(estimator: Any, start: int, rows: Rows) -> R2Sums:
    prediction = np.reshape(estimator.predict(rows.X), rows.y.shape)  # (b, p)
    return R2Sums.of(rows.y, prediction, rows.weight)
