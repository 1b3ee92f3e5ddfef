"""Parsing the cells of a column as numbers, dates or categories."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.policy import ROWS_TO_INSPECT

__all__ = [
    "CATEGORY",
    "DATE",
    "MISSING",
    "NESTED",
    "NUMBER",
    "UNKNOWN",
    "category_name",
    "encode_categories",
    "infer_kind",
    "parse_dates",
    "parse_numbers",
]

Floats = npt.NDArray[np.float64]

NUMBER, DATE, CATEGORY, NESTED = "number", "date", "category", "nested"

#: Codes of missing and unknown categories; known categories count from 1.
MISSING, UNKNOWN = 0, -1

_ISO_DATE = r"^\d{4}-\d{2}-\d{2}"
_BOOLEANS = {"true": "True", "false": "False"}


def infer_kind(column: pd.Series) -> str:
    """Return the type of a column; strings are numbers or dates if all of them parse as such.

    >>> infer_kind(pd.Series(["1", "2.5", None])), infer_kind(pd.Series(["a", "2.5"]))
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
    first = known[:ROWS_TO_INSPECT]
    if any(isinstance(value, (list, dict, tuple, set, np.ndarray)) for value in first):
        return NESTED
    if not any(isinstance(value, bool) for value in first):
        if _to_numeric(known).notna().all():
            return NUMBER
        if known.astype(str).str.match(_ISO_DATE).all() and _to_datetime(known).notna().all():
            return DATE
    return CATEGORY


def parse_numbers(column: pd.Series, name: str) -> Floats:
    """Return a column as numbers (n,); NaN where they are missing or not finite."""
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        column = column / pd.Timedelta(days=1)
    values = _to_numeric(column)
    _refuse_unparsed(column, values.isna(), name, "number")
    array = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isfinite(array), array, np.nan)


def parse_dates(column: pd.Series, name: str) -> Floats:
    """Return dates as days since 1970 (n,), with fractions; NaN where they are missing."""
    dates = _to_datetime(column)
    _refuse_unparsed(column, dates.isna(), name, "date (year-month-day)")
    since = (dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return since.to_numpy(dtype=np.float64, na_value=np.nan)


def encode_categories(column: pd.Series, levels: Mapping[str, int]) -> Floats:
    """Return the codes of categories (n,).

    >>> encode_categories(pd.Series(["b", None, "z"]), {"a": 1, "b": 2})
    array([ 2.,  0., -1.])
    """
    positions, values = pd.factorize(column)  # −1 where missing
    codes = [levels.get(category_name(value), UNKNOWN) for value in values]
    return np.array([*codes, MISSING], dtype=np.float64)[positions]


def category_name(value: Any) -> str:
    """Return the name of a category, the same for the same value from any file format.

    >>> category_name(1.0), category_name("1"), category_name(True), category_name(" true")
    ('1', '1', 'True', 'True')
    """
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    text = str(value).strip()
    return _BOOLEANS.get(text.lower(), text)


def _to_numeric(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column.astype("float64")
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    return pd.to_numeric(column, errors="coerce").astype("float64")


def _to_datetime(column: pd.Series) -> pd.Series:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return pd.to_datetime(column, utc=True)
    strings = column.map(str, na_action="ignore")
    return pd.to_datetime(strings, utc=True, format="ISO8601", errors="coerce")


def _refuse_unparsed(column: pd.Series, unparsed: pd.Series, name: str, what: str) -> None:
    """Refuse cells that are not missing and yet not of the type of the column."""
    bad = np.flatnonzero((unparsed & column.notna()).to_numpy())
    nan = [i for i in bad if str(column.iloc[i]).lower() == "nan"]
    wrong = [i for i in bad if i not in nan] if nan else bad
    if len(wrong):
        raise BadInputError(
            f"column {name!r} contains {str(column.iloc[wrong[0]])!r}, which is not a {what} like "
            "in the training rows: correct it, or leave the cell empty"
        )
