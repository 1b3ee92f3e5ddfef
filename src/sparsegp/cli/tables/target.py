"""The target column: its task, its values, and the rows that have one."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.policy import MAX_CLASSES
from sparsegp.tables.encoding.cell_parsing import (
    Inferred,
    category_name,
    format_note,
    infer_kind,
    parse_numbers,
)
from sparsegp.tables.encoding.kinds import BOOLEAN, CATEGORY, DATE, NESTED, NUMBER, ORDERED
from sparsegp.tables.encoding.number_formats import PLAIN_FORMAT

__all__ = ["AUTO", "CLASSIFICATION", "REGRESSION", "Target", "read_target"]

AUTO, REGRESSION, CLASSIFICATION = "auto", "regression", "classification"


@dataclass(frozen=True)
class Target:
    """The values to predict: numbers or labels."""

    name: str
    task: str
    values: npt.NDArray[Any]  # (n,), floats or strings
    rows: npt.NDArray[np.intp]  # (n,), positions in the table; the others have no target
    n_without: int  # rows that have no target
    notes: tuple[str, ...] = ()  # on rows that are left out, and an inferred task


def read_target(cells: pd.Series, name: str, task: str = AUTO) -> Target:
    """Return the target of the rows that have one.

    With the task "auto", strings, categories and booleans are labels, and so are numbers with only
    two distinct values; other numbers make a regression.
    """
    has_target = cells.notna().to_numpy()
    if not has_target.any():
        raise BadInputError(f"target {name!r} is missing in all rows: choose another column")
    inferred = infer_kind(cells[has_target])
    notes = _rows_note(name, "missing", int((~has_target).sum()))
    if inferred.missing_marks and task != CLASSIFICATION:
        marked = cells.isin(inferred.missing_marks).to_numpy()
        mark = f"{inferred.missing_marks[0]!r}, which is no number,"
        has_target, notes = has_target & ~marked, notes + _rows_note(name, mark, int(marked.sum()))
    known = cells[has_target].set_axis(np.flatnonzero(has_target))
    task, remark = _checked_task(known, name, task, inferred.kind)
    if task == REGRESSION:
        values = _numbers(known, name, inferred)
        if inferred.number_format != PLAIN_FORMAT:
            notes += (f"target {format_note(known, name, inferred.number_format)}",)
    else:
        values = np.array([category_name(value) for value in known], dtype=np.str_)
    return Target(
        name, task, values, known.index.to_numpy(), len(cells) - len(known), notes + remark
    )


def _checked_task(cells: pd.Series, name: str, task: str, kind: str) -> tuple[str, tuple[str, ...]]:
    """Return the task, with a remark if it was inferred from two values; refuse what is neither."""
    if kind in (DATE, NESTED):
        raise BadInputError(f"target {name!r} is neither numbers nor labels: choose another column")
    distinct = cells.nunique()
    if distinct == 1:
        raise BadInputError(
            f"target {name!r} is always {category_name(cells.iloc[0])!r}: there is nothing to learn"
        )
    remark: tuple[str, ...] = ()
    if task == AUTO:
        labels = kind in (CATEGORY, ORDERED, BOOLEAN) or distinct == 2
        task = CLASSIFICATION if labels else REGRESSION
        if kind == NUMBER and distinct == 2:
            remark = (f"{name!r} has two values, treated as classes (or give --task regression)",)
    if task == CLASSIFICATION and distinct > MAX_CLASSES:
        raise BadInputError(
            f"target {name!r} has {distinct:,} distinct values, but at most {MAX_CLASSES} classes "
            "are supported: group them, or choose another target"
        )
    return task, remark


def _numbers(cells: pd.Series, name: str, inferred: Inferred) -> npt.NDArray[np.float64]:
    """Return the targets of a regression (n,)."""
    if inferred.kind != NUMBER:
        raise BadInputError(
            f"target {name!r} contains {category_name(cells.iloc[0])!r}, which is not a number: "
            "correct the column, or use --task classification"
        )
    try:
        values = parse_numbers(cells, name, inferred.number_format)
        infinite = np.isnan(values)
    except ValueError:  # infinite
        values = pd.to_numeric(cells).to_numpy(dtype=np.float64)
        infinite = ~np.isfinite(values)
    if infinite.any():
        row = cells.index[int(np.flatnonzero(infinite)[0])] + 1
        raise BadInputError(f"target {name!r} is not finite in row {row}: remove such rows")
    return values


def _rows_note(name: str, what: str, n_rows: int) -> tuple[str, ...]:
    """Return a remark on rows that are left out, if there are any."""
    if not n_rows:
        return ()
    rows, are = ("1 row", "is") if n_rows == 1 else (f"{n_rows:,} rows", "are")
    return (f"target {name!r} is {what} in {rows}, which {are} left out",)
