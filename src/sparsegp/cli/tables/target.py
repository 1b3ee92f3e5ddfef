"""The target column: its task and its values."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.policy import MAX_CLASSES
from sparsegp.cli.tables.cell_parsing import (
    CATEGORY,
    DATE,
    NESTED,
    NUMBER,
    category_name,
    infer_kind,
    parse_numbers,
)

__all__ = ["AUTO", "CLASSIFICATION", "REGRESSION", "Target", "read_target"]

AUTO, REGRESSION, CLASSIFICATION = "auto", "regression", "classification"


@dataclass(frozen=True)
class Target:
    """The values to predict: numbers or labels."""

    name: str
    task: str
    values: npt.NDArray[Any]  # (n,), floats or strings
    note: str = ""  # about an inferred task


def read_target(cells: pd.Series, name: str, task: str = AUTO) -> Target:
    """Return the target.

    With the task "auto", strings, categories and booleans are labels, and so are numbers with only
    two distinct values; other numbers make a regression.
    """
    _refuse_missing(cells, name)
    kind = infer_kind(cells)
    if kind in (DATE, NESTED):
        raise BadInputError(f"target {name!r} is neither numbers nor labels: choose another column")
    distinct = cells.nunique()
    if distinct == 1:
        raise BadInputError(
            f"target {name!r} is always {category_name(cells.iloc[0])!r}: there is nothing to learn"
        )
    labels = kind == CATEGORY or distinct == 2
    note = ""
    if task == AUTO:
        task = CLASSIFICATION if labels else REGRESSION
        if kind == NUMBER and distinct == 2:
            note = f"{name!r} has two values, treated as classes (or give --task regression)"
    if task == REGRESSION:
        return _regression_target(cells, name, kind, note)
    if distinct > MAX_CLASSES:
        raise BadInputError(
            f"target {name!r} has {distinct:,} distinct values, but at most {MAX_CLASSES} classes "
            "are supported: group them, or choose another target"
        )
    values = np.array([category_name(value) for value in cells], dtype=np.str_)
    return Target(name, CLASSIFICATION, values, note)


def _regression_target(cells: pd.Series, name: str, kind: str, note: str) -> Target:
    if kind != NUMBER:
        raise BadInputError(
            f"target {name!r} contains {category_name(cells.iloc[0])!r}, which is not a number: "
            "correct the column, or use --task classification"
        )
    values = parse_numbers(cells, name)
    if np.isnan(values).any():
        row = int(np.flatnonzero(np.isnan(values))[0]) + 1
        raise BadInputError(f"target {name!r} is not finite in row {row}: remove such rows")
    return Target(name, REGRESSION, values, note)


def _refuse_missing(cells: pd.Series, name: str) -> None:
    missing = np.flatnonzero(cells.isna().to_numpy())
    if len(missing):
        rows = "1 row" if len(missing) == 1 else f"{len(missing):,} rows"
        raise BadInputError(
            f"target {name!r} is missing in {rows}, first in row {missing[0] + 1}: remove these "
            "rows or fill them in"
        )
