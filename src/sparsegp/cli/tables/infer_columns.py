"""Inferring from a table how its columns should be encoded."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.cli.errors import BadInputError, column_hint
from sparsegp.cli.policy import MIN_IDENTIFIER_LEVELS, MIN_MISSING_ROWS, MIN_MISSING_SHARE
from sparsegp.cli.tables.cell_parsing import (
    CATEGORY,
    DATE,
    NESTED,
    NUMBER,
    category_name,
    infer_kind,
    parse_dates,
    parse_numbers,
)
from sparsegp.cli.tables.encoding import MISSING_INDICATOR, ColumnEncoding, TableEncoding

__all__ = ["check_column", "infer_columns"]

Indices = npt.NDArray[np.intp]

#: Names of identifier columns, if they hold distinct whole numbers.
IDENTIFIER_NAMES = ("id", "index", "unnamed: 0")


def check_column(table: pd.DataFrame, name: str, option: str) -> None:
    """Refuse the name of a column that does not exist."""
    if name not in table.columns:
        raise BadInputError(
            f"there is no column {name!r} for {option}: {column_hint(list(table.columns), name)}"
        )


def infer_columns(
    table: pd.DataFrame, training: Indices, *, keep: Collection[str] = (), drop: Collection[str]
) -> TableEncoding:
    """Return the encoding of a table.

    Whether a column is an input, and its type, depend on all rows; fill values and categories come
    from the training rows. ``keep`` names columns that are inputs although they look like
    identifiers.
    """
    encodings: list[ColumnEncoding] = []
    left_out: dict[str, str] = {}
    notes: list[str] = []
    for name in (c for c in table.columns if c not in drop):
        cells = table[name]
        kind = infer_kind(cells)
        reason = _reason_useless(cells, kind)
        if not reason and name not in keep:
            reason = _reason_identifier(cells, kind, name)
        if reason:
            left_out[name] = reason
            continue
        if kind in (NUMBER, DATE) and cells.nunique() == 1:
            kind = CATEGORY  # one value, or missing
        encodings += _encode_column(cells, training, kind, name, notes)
    encodings = [
        c for c in encodings if c.kind != MISSING_INDICATOR or c.feature not in table.columns
    ]
    if not encodings:
        reasons = "; ".join(f"{name!r} {reason}" for name, reason in left_out.items())
        raise BadInputError(
            f"no column is left to learn from ({reasons or 'there is only the target'}): give a "
            "table with columns that vary, or name one with --keep"
        )
    return TableEncoding(tuple(encodings), left_out, tuple(notes))


def _reason_useless(cells: pd.Series, kind: str) -> str:
    """Return why nothing can be learned from a column, or an empty string."""
    if kind == NESTED:
        return "contains lists or structures"
    known = cells.dropna()
    if not len(known):
        return "has no values"
    if len(known) == len(cells) and known.nunique() == 1:
        return f"is always {category_name(known.iloc[0])!r}"
    return ""


def _reason_identifier(cells: pd.Series, kind: str, name: str) -> str:
    """Return why a column looks like an identifier of the rows, or an empty string."""
    known = cells.dropna()
    distinct = known.nunique()
    if kind == CATEGORY:
        mostly_distinct = distinct > MIN_IDENTIFIER_LEVELS and 2 * distinct > len(known)
        if distinct == len(known) or mostly_distinct:
            return f"looks like an identifier: {distinct:,} distinct strings"
    elif kind == NUMBER and distinct == len(cells):
        values = parse_numbers(cells, name)
        whole = bool(np.all(values == np.round(values)))
        if whole and values.min() in (0, 1) and values.max() - values.min() == len(cells) - 1:
            return "looks like an identifier: it numbers the rows"
        named = name.lower() in IDENTIFIER_NAMES or name.lower().endswith(("_id", " id"))
        if whole and named:
            return "looks like an identifier: distinct whole numbers"
    return ""


def _encode_column(
    cells: pd.Series, training: Indices, kind: str, name: str, notes: list[str]
) -> list[ColumnEncoding]:
    """Return the inputs that a column becomes, and add notes on how."""
    seen = cells.iloc[training]
    if kind == CATEGORY:
        levels = sorted({category_name(value) for value in seen.dropna().unique()})
        if seen.isna().any():
            count = f"{int(seen.isna().sum()):,} of {len(seen):,} rows"
            notes.append(f"{name!r}: missing in {count}, treated as a category")
        return [ColumnEncoding(name, CATEGORY, levels=tuple(levels))]
    values = parse_dates(seen, name) if kind == DATE else parse_numbers(seen, name)
    if kind == DATE:
        notes.append(f"{name!r}: dates, used as days since 1970")
    n_missing = int(np.isnan(values).sum())
    if n_missing == len(values):
        notes.append(f"{name!r}: missing in all training rows, replaced by zero")
        return [ColumnEncoding(name, kind, 0.0)]
    fill = float(np.nanmedian(values))
    has_indicator = n_missing >= max(MIN_MISSING_ROWS, MIN_MISSING_SHARE * len(values))
    if n_missing:
        also = ", and an indicator column added" if has_indicator else ""
        count = f"{n_missing:,} of {len(values):,} rows"
        notes.append(f"{name!r}: missing in {count}, replaced by the median {fill:.6g}{also}")
    indicator = [ColumnEncoding(name, MISSING_INDICATOR)] if has_indicator else []
    return [ColumnEncoding(name, kind, fill), *indicator]
