"""Columns that nothing can be learned from: constant ones, identifiers of the rows, free text."""

from typing import Any

import numpy as np
import pandas as pd

from sparsegp.tables.encoding.cell_parsing import category_name
from sparsegp.tables.encoding.kinds import CATEGORY, NESTED, NUMBER
from sparsegp.tables.encoding.policy import (
    DENSE_NUMBERING,
    MIN_IDENTIFIER_LEVELS,
    MIN_ROWS_TO_LEAVE_OUT,
    MIN_WORDS_OF_TEXT,
)

__all__ = ["has_identifier_name", "reason_identifier", "reason_useless"]

#: Names of identifier columns.
IDENTIFIER_NAMES = ("id", "index", "unnamed: 0")


def has_identifier_name(name: str) -> bool:
    """Tell whether a column is called an identifier.

    >>> [has_identifier_name(name) for name in ("id", "person_id", "valid")]
    [True, True, False]
    """
    lower = name.lower()
    return lower in IDENTIFIER_NAMES or lower.endswith(("_id", " id", ".id"))


def reason_useless(cells: pd.Series, kind: str) -> str:
    """Return why nothing can be learned from a column, or an empty string."""
    if kind == NESTED:
        return "contains lists or structures"
    known = cells.dropna()
    if not len(known):
        return "has no values"
    if len(known) == len(cells) and _is_constant(known):
        return f"is always {category_name(known.iloc[0])!r}"
    return ""


def reason_identifier(cells: pd.Series, kind: str, name: str, values: Any) -> str:
    """Return why a column looks like an identifier of the rows, or an empty string.

    ``values`` are the numbers of a numerical column. Declared categories and floating-point numbers
    are never identifiers.
    """
    known = cells.dropna()
    if len(cells) < MIN_ROWS_TO_LEAVE_OUT or isinstance(cells.dtype, pd.CategoricalDtype):
        return ""
    if kind == CATEGORY:
        distinct = known.nunique()
        mostly_distinct = distinct > MIN_IDENTIFIER_LEVELS and 2 * distinct > len(known)
        if distinct < len(known) and not mostly_distinct:
            return ""
        if known.astype(str).str.split().str.len().mean() > MIN_WORDS_OF_TEXT:
            return f"looks like free text: {distinct:,} distinct strings"
        return f"looks like an identifier: {distinct:,} distinct strings"
    if kind == NUMBER and _is_whole(cells, values) and len(np.unique(values)) == len(cells):
        starts = values.min() in (0, 1) or bool(np.all(np.diff(values) > 0))
        dense = np.ptp(values) < DENSE_NUMBERING * len(values)
        if values.min() >= 0 and values.min() < len(values) and dense and starts:
            return "looks like an identifier: it numbers the rows"
        if has_identifier_name(name):
            return "looks like an identifier: distinct whole numbers"
    return ""


def _is_whole(cells: pd.Series, values: Any) -> bool:
    """Tell whether a column was written as whole numbers."""
    dtype = cells.dtype
    if isinstance(dtype, np.dtype) and dtype.kind == "f":
        return False
    if pd.api.types.is_timedelta64_dtype(dtype) or np.isnan(values).any():
        return False
    written = cells.astype(str).str.contains(".", regex=False)
    return bool(np.all(values == np.round(values))) and not bool(written.any())


def _is_constant(known: pd.Series) -> bool:
    dtype = known.dtype
    if isinstance(dtype, np.dtype) and dtype.kind in "fiub":
        values = known.to_numpy()
        return bool(np.all(values == values[0]))
    return bool(known.map(category_name).nunique() == 1)
