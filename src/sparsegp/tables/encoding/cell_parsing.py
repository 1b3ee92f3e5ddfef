"""Parsing the cells of a column as numbers, dates or categories."""

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.tables.encoding.kinds import BOOLEAN, CATEGORY, DATE, NESTED, NUMBER, ORDERED
from sparsegp.tables.encoding.number_formats import PLAIN_FORMAT, NumberFormat, find_format
from sparsegp.tables.encoding.policy import (
    MAX_SHARE_UNPARSED,
    MIN_SHARE_TO_REMARK,
    ROWS_TO_INSPECT,
)

__all__ = [
    "MISSING",
    "RARE",
    "UNKNOWN",
    "Inferred",
    "as_series",
    "category_name",
    "encode_categories",
    "encode_ranks",
    "format_note",
    "infer_kind",
    "parse_booleans",
    "parse_dates",
    "parse_numbers",
]

Floats = npt.NDArray[np.float64]

#: Codes of missing, unknown and rare categories; known categories count from 1.
MISSING, UNKNOWN, RARE = 0, -1, -2

_ISO_DATE = r"^\d{4}-\d{2}-\d{2}"
_BOOLEANS = {"true": "True", "false": "False"}


@dataclass(frozen=True)
class Inferred:
    """The kind of a column, and how its cells are written."""

    kind: str
    number_format: NumberFormat = PLAIN_FORMAT
    #: Strings among numbers that count as missing.
    missing_marks: tuple[str, ...] = ()
    #: Of a category most of whose cells are numbers: how many of them, and a cell that is none.
    mostly_numbers: tuple[int, str] | None = None


def as_series(values: npt.NDArray[Any]) -> pd.Series:
    """Return an array as a column."""
    return pd.Series(values)


def infer_kind(column: pd.Series) -> Inferred:
    """Return the kind of a column; strings are numbers, dates or booleans if they parse as such.

    >>> infer_kind(pd.Series(["1", "2.5", None])).kind, infer_kind(pd.Series(["a", "2.5"])).kind
    ('number', 'category')
    """
    dtype = column.dtype
    types = pd.api.types
    if isinstance(dtype, pd.CategoricalDtype):
        return Inferred(ORDERED if dtype.ordered else CATEGORY)
    if types.is_bool_dtype(dtype):
        return Inferred(BOOLEAN)
    if types.is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        return Inferred(DATE)
    if types.is_numeric_dtype(dtype) or types.is_timedelta64_dtype(dtype):
        return Inferred(NUMBER)
    if isinstance(dtype, pd.IntervalDtype):
        return Inferred(CATEGORY)
    known = column.dropna()
    first = known[:ROWS_TO_INSPECT]
    if any(isinstance(value, (list, dict, tuple, set, np.ndarray)) for value in first):
        return Inferred(NESTED)
    if len(known) and all(isinstance(value, (bool, np.bool_)) for value in first):
        return Inferred(BOOLEAN)
    if any(isinstance(value, (bool, np.bool_)) for value in first):
        return Inferred(CATEGORY)
    refuse_complex(known)
    if _to_numeric(known).notna().all():
        return Inferred(NUMBER)
    return _infer_strings(known.map(str))


def _infer_strings(known: pd.Series) -> Inferred:
    """Return the kind of a column of strings that are not all plain numbers."""
    if known.str.strip().str.lower().isin(_BOOLEANS).all():
        return Inferred(BOOLEAN)
    if known.str.match(_ISO_DATE).all() and _to_datetime(known).notna().all():
        return Inferred(DATE)
    good, form = _to_numeric(known).notna(), PLAIN_FORMAT
    counts = Counter(known.to_list())
    written, cells = find_format(counts)
    if sum(counts[cell] for cell in cells) > good.sum():
        fits = known.map(dict.fromkeys(counts, False) | dict.fromkeys(cells, True))
        good, form = fits.astype(bool), written
    marks = tuple(sorted(set(known[~good])))
    # of a few rows, and of a few distinct values, one wrong cell is no reason to call it a number
    few_bad = len(marks) <= max(1, MAX_SHARE_UNPARSED * known.nunique())
    if (~good).sum() <= MAX_SHARE_UNPARSED * len(known) and few_bad:
        return Inferred(NUMBER, form, marks)
    if good.sum() >= MIN_SHARE_TO_REMARK * len(known):
        return Inferred(CATEGORY, mostly_numbers=(int(good.sum()), known[~good].iloc[0]))
    return Inferred(CATEGORY)


def parse_numbers(
    column: pd.Series,
    name: str,
    form: NumberFormat = PLAIN_FORMAT,
    marks: tuple[str, ...] = (),
) -> Floats:
    """Return a column as numbers (n,); NaN where they are missing."""
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        column = column / pd.Timedelta(days=1)
    refuse_complex(column)
    if marks:
        column = column.mask(column.isin(marks))
    values = _to_numeric(column if form == PLAIN_FORMAT else _unformatted(column, form))
    _refuse_unparsed(column, values.isna(), name, "number")
    array = values.to_numpy(dtype=np.float64, na_value=np.nan)
    refuse_infinite(array, name)
    return array


def format_note(column: pd.Series, name: str, form: NumberFormat) -> str:
    """Return a remark on numbers that are not plainly written, with an example.

    >>> format_note(pd.Series(["7", "€1,234.50"]), "price", NumberFormat("thousands", "€"))
    "'price': read as numbers, '€1,234.50' as 1234.5"
    """
    for cell in column.dropna():
        number = form.number(cell) if isinstance(cell, str) else None
        if number is not None and not cell.strip().isdigit():
            return f"{name!r}: read as numbers, {cell!r} as {number:.10g}"
    return f"{name!r}: read as numbers"


def _unformatted(column: pd.Series, form: NumberFormat) -> pd.Series:
    """Return a column with the strings of a format as numbers."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return column
    cells = column.astype(object)
    strings = {cell for cell in cells if isinstance(cell, str)}
    read = {text: number for text in strings if (number := form.number(text)) is not None}
    return cells.map(lambda cell: read.get(cell, cell) if isinstance(cell, str) else cell)


def refuse_complex(column: pd.Series) -> None:
    """Refuse complex numbers, whose imaginary part would be lost."""
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else ""
    some = column[:ROWS_TO_INSPECT] if kind == "O" else ()
    if kind == "c" or any(isinstance(value, (complex, np.complexfloating)) for value in some):
        raise ValueError(f"Complex data not supported: column {str(column.name)!r} must be real")


def refuse_infinite(values: Floats, name: str) -> None:
    """Refuse infinity, naming the column and the row."""
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        raise ValueError(
            f"X contains inf (first in row {infinite[0]}, in column {name!r}): remove these rows "
            "or fill them in, e.g. with sklearn.impute.SimpleImputer"
        )


def parse_booleans(column: pd.Series, name: str) -> Floats:
    """Return booleans as 0 and 1 (n,); NaN where they are missing.

    >>> parse_booleans(pd.Series(["true", "False", None]), "x")
    array([ 1.,  0., nan])
    """
    names = column.astype(object).map(category_name, na_action="ignore")
    numbers = {"True": 1.0, "False": 0.0, "1": 1.0, "0": 0.0}
    values = names.map(numbers, na_action="ignore").astype("float64")
    _refuse_unparsed(column, values.isna(), name, "boolean")
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


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


def encode_ranks(column: pd.Series, levels: tuple[str, ...]) -> Floats:
    """Return the ranks of ordered categories (n,), from 0; NaN where missing or unknown.

    >>> encode_ranks(pd.Series(["high", "low", "?"]), ("low", "high"))
    array([ 1.,  0., nan])
    """
    codes = encode_categories(column, {level: rank for rank, level in enumerate(levels, 1)})
    return np.where(codes > 0, codes - 1.0, np.nan)


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
    try:
        return pd.to_numeric(column, errors="coerce").astype("float64")
    except OverflowError:  # an integer beyond double precision
        return pd.to_numeric(column.map(_or_infinite), errors="coerce").astype("float64")


def _or_infinite(value: Any) -> Any:
    return np.inf if isinstance(value, int) and abs(value) > sys.float_info.max else value


def _to_datetime(column: pd.Series) -> pd.Series:
    if isinstance(column.dtype, pd.PeriodDtype):
        column = column.dt.to_timestamp()
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return pd.to_datetime(column, utc=True)
    strings = column.map(str, na_action="ignore")
    return pd.to_datetime(strings, utc=True, format="ISO8601", errors="coerce")


def _refuse_unparsed(column: pd.Series, unparsed: pd.Series, name: str, what: str) -> None:
    """Refuse cells that are not missing and yet not of the kind of the column."""
    bad = np.flatnonzero((unparsed & column.notna()).to_numpy())
    wrong = [i for i in bad if str(column.iloc[i]).strip().lower() != "nan"]
    if wrong:
        raise ValueError(
            f"column {name!r} contains {str(column.iloc[wrong[0]])!r}, which is not a {what} like "
            "in the training rows: correct it, or leave the cell empty"
        )
