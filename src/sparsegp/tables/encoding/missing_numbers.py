"""Missing numbers: a neutral value, and an indicator if they were missing often.

It needs NumPy alone, for arrays with missing numbers.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sparsegp.tables.encoding.column_encoding import ColumnEncoding
from sparsegp.tables.encoding.kinds import MISSING_INDICATOR, NUMBER
from sparsegp.tables.encoding.policy import MIN_MISSING_ROWS, MIN_MISSING_SHARE
from sparsegp.tables.encoding.table_encoding import TableEncoding

__all__ = ["encode_numbers", "infer_missing_numbers", "missing_note"]

Floats = npt.NDArray[np.float64]


def encode_numbers(
    values: Floats, column: ColumnEncoding
) -> tuple[list[ColumnEncoding], list[str]]:
    """Return the inputs of numbers (n,), NaN where they are missing, and notes."""
    n_missing = int(np.isnan(values).sum())
    if n_missing == len(values):
        note = f"{column.name!r}: missing in all training rows, replaced by zero"
        return [replace(column, fill=0.0)], [note]
    fill = float(np.nanmedian(values)) if n_missing else float(np.median(values))
    column = replace(column, fill=fill)
    if not n_missing:
        return [replace(column, had_missing=False)], []
    has_indicator = n_missing >= max(MIN_MISSING_ROWS, MIN_MISSING_SHARE * len(values))
    also = ", and an indicator column added" if has_indicator else ""
    how = f"replaced by the median {fill:.6g}{also}"
    indicator = ColumnEncoding(column.name, MISSING_INDICATOR, missing_marks=column.missing_marks)
    note = missing_note(column.name, n_missing, len(values), how)
    return [column, indicator] if has_indicator else [column], [note]


def missing_note(name: str, n_missing: int, n_rows: int, how: str) -> str:
    """Return a remark on missing values."""
    return f"{name!r}: missing in {n_missing:,} of {n_rows:,} rows, {how}"


def infer_missing_numbers(X: Floats, names: list[str] | None) -> TableEncoding:
    """Return the encoding of an array (n, D) of which some numbers are missing."""
    encodings: list[ColumnEncoding] = []
    notes: list[str] = []
    for i, values in enumerate(X.T):
        name = f"x{i}" if names is None else names[i]
        columns, note = encode_numbers(values, ColumnEncoding(name, NUMBER, position=i))
        encodings += [replace(column, position=i) for column in columns]
        notes += note
    return TableEncoding(tuple(encodings), {}, tuple(notes), names is not None)
