"""What the cells of a column mean: numbers, dates, categories."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.cli.errors import BadInputError

__all__ = [
    "CATEGORY",
    "DATE",
    "MISSING",
    "NESTED",
    "NUMBER",
    "UNKNOWN",
    "as_text",
    "codes",
    "days",
    "kind_of",
    "numbers",
]

Floats = npt.NDArray[np.float64]

NUMBER, DATE, CATEGORY, NESTED = "number", "date", "category", "nested"

#: Codes of what is no level of a category; levels count from 1.
MISSING, UNKNOWN = 0, -1

_ISO_DATE = r"^\d{4}-\d{2}-\d{2}"
_TRUTH = {"true": "True", "false": "False"}


def kind_of(column: pd.Series) -> str:
    """Return what a column holds; texts are numbers or dates if all of them are.

    >>> kind_of(pd.Series(["1", "2.5", None])), kind_of(pd.Series(["a", "2.5"]))
    ('number', 'category')
    """
    dtype = column.dtype
    if pd.api.types.is_bool_dtype(dtype) or isinstance(dtype, pd.CategoricalDtype):
        return CATEGORY
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return DATE
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        return NUMBER
    known = column.dropna()
    if any(isinstance(value, (list, dict, tuple, set, np.ndarray)) for value in known[:100]):
        return NESTED
    if not any(isinstance(value, bool) for value in known[:100]):
        if _parsed(known).notna().all():
            return NUMBER
        if known.astype(str).str.match(_ISO_DATE).all() and _dates(known).notna().all():
            return DATE
    return CATEGORY


def numbers(column: pd.Series, name: str) -> Floats:
    """Return a column as numbers (n,); NaN where they are missing or not finite."""
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        column = column / pd.Timedelta(days=1)
    values = _parsed(column)
    _refuse(column, values.isna(), name, "number")
    array = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isfinite(array), array, np.nan)


def days(column: pd.Series, name: str) -> Floats:
    """Return dates as days since 1970 (n,), with parts of days; NaN where they are missing."""
    dates = _dates(column)
    _refuse(column, dates.isna(), name, "date (year-month-day)")
    since = (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return since.to_numpy(dtype=np.float64, na_value=np.nan)


def codes(column: pd.Series, levels: Mapping[str, int]) -> Floats:
    """Return the codes of categories (n,).

    >>> codes(pd.Series(["b", None, "z"]), {"a": 1, "b": 2})
    array([ 2.,  0., -1.])
    """
    places, values = pd.factorize(column)  # −1 where missing
    table = [levels.get(as_text(value), UNKNOWN) for value in values]
    return np.array([*table, MISSING], dtype=np.float64)[places]


def as_text(value: Any) -> str:
    """Return the name of a category, the same for the same value from any kind of file.

    >>> as_text(1.0), as_text("1"), as_text(True), as_text(" true")
    ('1', '1', 'True', 'True')
    """
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    text = str(value).strip()
    return _TRUTH.get(text.lower(), text)


def _parsed(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.astype("float64")
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    return pd.to_numeric(column, errors="coerce").astype("float64")


def _dates(column: pd.Series) -> pd.Series:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return pd.to_datetime(column, utc=True)
    texts = column.map(str, na_action="ignore")
    return pd.to_datetime(texts, utc=True, format="ISO8601", errors="coerce")


def _refuse(column: pd.Series, lost: pd.Series, name: str, what: str) -> None:
    """Refuse cells that hold something, but nothing of the kind that the column had."""
    bad = np.flatnonzero((lost & column.notna()).to_numpy())
    nan = [i for i in bad if str(column.iloc[i]).lower() == "nan"]
    wrong = [i for i in bad if i not in nan] if nan else bad
    if len(wrong):
        raise BadInputError(
            f"column {name!r} holds {str(column.iloc[wrong[0]])!r}, which is no {what} as it was "
            "in the rows learned from: correct it, or leave the cell empty"
        )
