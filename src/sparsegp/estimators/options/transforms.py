"""From the options ``transform_X`` and ``transform_y`` to the transforms of each column."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from sparsegp.estimators.options.checks import check_option
from sparsegp.learning.structure.transform_options import AUTO, TransformOptions
from sparsegp.tables.encoded_inputs import input_names
from sparsegp.tables.table import Table
from sparsegp.tables.transforms.columns import COMMON, LOG, NONE, QUANTILE, STANDARD
from sparsegp.tables.transforms.curves import CURVES
from sparsegp.tables.validation import LARGEST_DIFFERENT, LARGEST_INPUT, check_size

__all__ = [
    "check_domain",
    "check_sizes",
    "column_names",
    "named_columns",
    "transform_options",
]

INPUTS = (AUTO, STANDARD, COMMON, QUANTILE, LOG, NONE)
TARGETS = (AUTO, NONE, *CURVES)


def transform_options(
    transform_X: Any, transform_y: Any, feature_names: Sequence[str] | None, n_features: int
) -> TransformOptions:
    """Return the transform of each column; one that a dict does not name is standardised."""
    check_option("transform_y", transform_y, TARGETS)
    if not isinstance(transform_X, Mapping):
        check_option("transform_X", transform_X, INPUTS)
        return TransformOptions((transform_X,) * n_features, transform_y)
    kinds = [STANDARD] * n_features
    named: dict[int, Any] = {}
    for column, kind in transform_X.items():
        position = _position(column, feature_names, n_features)
        if position in named:
            raise ValueError(f"transform_X names one column twice: {named[position]!r}, {column!r}")
        check_option(f"transform_X of column {column!r}", kind, INPUTS)
        named[position], kinds[position] = column, kind
    return TransformOptions(tuple(kinds), transform_y)


def _position(column: Any, feature_names: Sequence[str] | None, n_features: int) -> int:
    """Return the position of a column that is given by name or by position."""
    if isinstance(column, str):
        if feature_names is None:
            raise ValueError(
                f"transform_X names the column {column!r}, but X has no column names: give a "
                "DataFrame, or positions"
            )
        if column not in feature_names:
            raise ValueError(f"transform_X names a column that X does not have: {column!r}")
        return list(feature_names).index(column)
    whole = isinstance(column, Integral) and not isinstance(column, bool)
    if not whole or not 0 <= column < n_features:
        raise ValueError(
            f"transform_X names column {column!r}, but X has the columns 0 to {n_features - 1}"
        )
    return int(column)


def column_names(estimator: Any) -> list[str] | None:
    """Return the names of the inputs that an estimator was fitted on; None if they have none."""
    return input_names(estimator)


def named_columns(
    kinds: Sequence[str], feature_names: Sequence[str] | None
) -> dict[str | int, str]:
    """Return the transform of each column, by its name if it has one, else by its position."""
    names: Sequence[str | int] = range(len(kinds)) if feature_names is None else feature_names
    return dict(zip(names, kinds, strict=True))


def check_sizes(options: TransformOptions, table: Table) -> None:
    """Refuse inputs whose differences overflow, and what stays as it is if its squares do."""
    rows = getattr(table, "_rows", None)  # in memory
    if rows is None:
        return
    kept = [column for column, kind in enumerate(options.columns) if kind == NONE]
    if isinstance(rows.X, np.ndarray):
        check_size("X", rows.X, LARGEST_DIFFERENT)
        check_size("X", rows.X[:, kept], LARGEST_INPUT)
    if options.target == NONE:
        check_size("y", rows.y, LARGEST_INPUT)


def check_domain(transform_y: str, table: Table) -> None:
    """Refuse targets outside the domain of an explicit transform."""
    lowest = CURVES[transform_y].lowest if transform_y in CURVES else -np.inf
    if lowest == -np.inf:
        return
    found = table.lowest_target
    if found.value <= lowest:
        raise ValueError(
            f"transform_y={transform_y!r} needs targets above {lowest:g}, got {found.value:g} in "
            f"row {found.row}: use 'sinh-arcsinh' or 'yeo-johnson', which take any number, or "
            "shift the target"
        )
