"""Inferring from a table how its columns should be encoded."""

import warnings
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.exceptions import ColumnWarning
from sparsegp.tables.encoding.cell_parsing import (
    Inferred,
    category_name,
    format_note,
    infer_kind,
)
from sparsegp.tables.encoding.column_encoding import ColumnEncoding
from sparsegp.tables.encoding.dates import supported_periods
from sparsegp.tables.encoding.identifiers import (
    has_identifier_name,
    reason_identifier,
    reason_useless,
)
from sparsegp.tables.encoding.kinds import (
    CATEGORY,
    DATE,
    NESTED,
    NUMBER,
    ORDERED,
    PERIODIC,
)
from sparsegp.tables.encoding.missing_numbers import encode_numbers, missing_note
from sparsegp.tables.encoding.number_formats import PLAIN_FORMAT
from sparsegp.tables.encoding.policy import (
    MIN_IDENTIFIER_LEVELS,
    MIN_LEVELS_TO_POOL,
    MIN_ROWS_OF_LEVEL,
)
from sparsegp.tables.encoding.raw_table import RawTable
from sparsegp.tables.encoding.table_encoding import TableEncoding

__all__ = ["Hints", "infer_columns"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Hints:
    """What the user said about columns, by name or position."""

    keep: Collection[str | int] = ()  # inputs even if they look like identifiers
    categories: Collection[str | int] = ()  # even if they are numbers
    #: A table of which more rows will come: no column is left out for what the first rows hold.
    is_stream: bool = False

    def has(self, group: Collection[str | int], name: str, position: int) -> bool:
        """Tell whether a column is in a group."""
        return name in group or position in group


def infer_columns(table: RawTable, hints: Hints) -> TableEncoding | None:
    """Return the encoding of a table; None if its columns are numbers and stay as they are."""
    inferred = [_inferred(table, i, hints) for i in range(len(table.columns))]
    # numbers only: an unnamed column that numbers the rows may be the time
    plain = table.is_plain or all(one.kind == NUMBER for one in inferred)
    encodings: list[ColumnEncoding] = []
    left_out: dict[str, str] = {}
    notes: list[str] = []
    for i, (cells, one) in enumerate(zip(table.columns, inferred, strict=True)):
        name = table.label(i)
        reason = _reason_left_out(cells, one, name, i, hints, plain=plain)
        if one.mostly_numbers is not None:
            notes.append(_remark(cells, one, name, left_out=bool(reason)))
        if reason:
            left_out[name] = reason
            continue
        if not plain and not hints.is_stream:
            one = _as_category(cells, one, name)  # noqa: PLW2901  (a better guess)
        columns, note = _encode_column(cells, one, name)
        never_missing = not hints.is_stream  # of a stream little is known yet
        encodings += [
            replace(c, position=i, had_missing=c.had_missing or not never_missing) for c in columns
        ]
        notes += note
    encodings = [c for c in encodings if c.is_main or c.feature not in (table.names or ())]
    if not encodings:
        reasons = "; ".join(f"{name!r} {reason}" for name, reason in left_out.items())
        raise ValueError(
            f"no column is left to learn from ({reasons or 'X has none'}): give a table with "
            "columns that vary"
        )
    if table.is_plain and not left_out:
        return None
    return TableEncoding(tuple(encodings), left_out, tuple(notes), table.names is not None)


def _inferred(table: RawTable, position: int, hints: Hints) -> Inferred:
    cells, name = table.columns[position], table.label(position)
    if isinstance(cells, np.ndarray):
        return Inferred(NUMBER)
    if isinstance(cells.dtype, np.dtype) and cells.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r} must be real")
    if hints.has(hints.categories, name, position) and not table.is_plain:
        return Inferred(CATEGORY)
    return infer_kind(cells)


def _reason_left_out(
    cells: Any, one: Inferred, name: str, position: int, hints: Hints, *, plain: bool
) -> str:
    """Return why a column is left out, or an empty string."""
    if isinstance(cells, np.ndarray):
        return ""
    if hints.is_stream and not _is_settled(cells, one):
        return ""
    reason = reason_useless(cells, one.kind)
    if reason and not (plain and hints.has(hints.keep, name, position)):
        return reason
    if hints.has(hints.keep, name, position) or (plain and not has_identifier_name(name)):
        return ""
    values = None
    if one.kind == NUMBER:
        values = _of_kind(name, one).encode(cells)
    return reason_identifier(cells, one.kind, name, values)


def _remark(cells: pd.Series, one: Inferred, name: str, *, left_out: bool) -> str:
    """Say that numbers became strings, and warn of it: a mistake in one cell may be the cause."""
    assert one.mostly_numbers is not None
    n_numbers, cell = one.mostly_numbers
    became = "left out as strings" if left_out else "a category"
    note = (
        f"{name!r}: {became}, though {n_numbers:,} of {len(cells.dropna()):,} cells are numbers; "
        f"{cell[:40]!r} is none: correct it, or leave the cell empty"
    )
    warnings.warn(f"column {note}", ColumnWarning, stacklevel=2)
    return note


def _is_settled(cells: pd.Series, one: Inferred) -> bool:
    """Tell whether the first rows of a stream show that a column is of no use."""
    many = one.kind == CATEGORY and cells.nunique() > MIN_IDENTIFIER_LEVELS
    return many or one.kind == NESTED


def _as_category(cells: Any, one: Inferred, name: str) -> Inferred:
    """Return a category for numbers that are none: identifiers that recur, one value or none."""
    if isinstance(cells, np.ndarray) or one.kind not in (NUMBER, DATE):
        return one
    known = cells.dropna()
    whole = pd.api.types.is_integer_dtype(cells.dtype) or known.map(str).str.isdigit().all()
    if known.nunique() == 1 or (has_identifier_name(name) and one.kind == NUMBER and whole):
        return Inferred(CATEGORY)
    return one


def _encode_column(cells: Any, one: Inferred, name: str) -> tuple[list[ColumnEncoding], list[str]]:
    """Return the inputs that a column becomes, and notes on how."""
    if one.kind == CATEGORY:
        return _encode_category(cells, name)
    base = _of_kind(name, one)
    if one.kind == ORDERED:
        base = replace(base, levels=tuple(map(category_name, cells.cat.categories)))
    values = replace(base, fill=np.nan).encode(cells)
    encodings, notes = encode_numbers(values, base)
    if one.number_format != PLAIN_FORMAT:
        notes.insert(0, format_note(cells, name, one.number_format))
    if one.missing_marks:
        marks = ", ".join(map(repr, one.missing_marks))
        notes.append(f"{name!r}: numbers; {marks} is none and counts as missing")
    if one.kind != DATE:
        return encodings, notes
    parts = supported_periods(values)
    also = f" and {', '.join(parts)}" if parts else ""
    notes.insert(0, f"{name!r}: dates, used as days since 1970{also}")
    waves = [
        ColumnEncoding(name, PERIODIC, part=part, wave=wave)
        for part in parts
        for wave in ("sin", "cos")
    ]
    return [*encodings, *waves], notes


def _of_kind(name: str, one: Inferred) -> ColumnEncoding:
    form = one.number_format
    return ColumnEncoding(
        name,
        one.kind,
        0.0,
        number_format=form.form,
        unit=form.unit,
        missing_marks=one.missing_marks,
    )


def _encode_category(cells: pd.Series, name: str) -> tuple[list[ColumnEncoding], list[str]]:
    """Return the levels of a category; of many levels the rare ones are pooled."""
    counts = cells.dropna().map(category_name).astype(str).value_counts()
    rare: list[str] = []
    if len(counts) > MIN_LEVELS_TO_POOL:
        rare = sorted(counts.index[counts < MIN_ROWS_OF_LEVEL])
    levels = tuple(sorted(set(counts.index) - set(rare)))
    if len(rare) == 1 or not levels:
        levels, rare = tuple(sorted(counts.index)), []
    n_missing = int(cells.isna().sum())
    notes = [missing_note(name, n_missing, len(cells), "treated as a category")]
    pooled, had_missing = tuple(rare), n_missing > 0
    column = ColumnEncoding(name, CATEGORY, levels=levels, pooled=pooled, had_missing=had_missing)
    return [column], notes if n_missing else []
