"""The target column: which task it asks for, and its values."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.tables.cells import CATEGORY, DATE, NESTED, NUMBER, as_text, kind_of, numbers

__all__ = ["AUTO", "CLASSIFICATION", "REGRESSION", "Target", "read_target"]

AUTO, REGRESSION, CLASSIFICATION = "auto", "regression", "classification"
MOST_CLASSES = 100


@dataclass(frozen=True)
class Target:
    """The values to learn: numbers, or labels."""

    name: str
    task: str
    values: npt.NDArray[Any]  # (n,), floats or texts
    note: str = ""  # about a task that was guessed


def read_target(cells: pd.Series, name: str, task: str = AUTO) -> Target:
    """Return the target.

    Texts, categories and truth values are labels, and so are numbers of two different values;
    other numbers are numbers.
    """
    _refuse_missing(cells, name)
    kind, distinct = kind_of(cells), 0
    if kind in (DATE, NESTED):
        raise BadInputError(f"target {name!r} holds no numbers or labels: make a column of such")
    distinct = cells.nunique()
    if distinct == 1:
        raise BadInputError(
            f"target {name!r} is always {as_text(cells.iloc[0])!r}: there is nothing to learn"
        )
    labels = kind == CATEGORY or distinct == 2
    note = ""
    if task == AUTO:
        task = CLASSIFICATION if labels else REGRESSION
        if kind == NUMBER and distinct == 2:
            note = f"{name!r} has two values, taken as classes (--task regression for numbers)"
    if task == REGRESSION:
        return _numbers(cells, name, kind, note)
    if distinct > MOST_CLASSES:
        raise BadInputError(
            f"target {name!r} has {distinct:,} different values, and more than {MOST_CLASSES} are "
            "too many for classes: group them, or choose another target"
        )
    labels_of_rows = np.array([as_text(value) for value in cells], dtype=np.str_)
    return Target(name, CLASSIFICATION, labels_of_rows, note)


def _numbers(cells: pd.Series, name: str, kind: str, note: str) -> Target:
    if kind != NUMBER:
        raise BadInputError(
            f"target {name!r} holds {as_text(cells.iloc[0])!r}, which is no number: correct the "
            "column, or use --task classification"
        )
    values = numbers(cells, name)
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
