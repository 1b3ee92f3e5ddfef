"""Looking at a table and deciding what becomes of its columns."""

from collections.abc import Collection

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.cli.errors import BadInputError, known_columns
from sparsegp.cli.tables.cells import (
    CATEGORY,
    DATE,
    NESTED,
    NUMBER,
    as_text,
    days,
    kind_of,
    numbers,
)
from sparsegp.cli.tables.columns import FLAG, Column, Columns

__all__ = ["check_column", "decide"]

Indices = npt.NDArray[np.intp]

# A number that so large a share of the training rows lacks has a column that says so.
OFTEN_MISSING, OFTEN_MISSING_ROWS = 0.01, 5
# Categories with more levels than this, and than half of the rows, tell rows apart and no more.
MANY_LEVELS = 20
# Names of columns that tell rows apart, if they hold whole numbers and each but once.
COUNTERS = ("id", "index", "unnamed: 0")


def check_column(table: pd.DataFrame, name: str, option: str) -> None:
    """Refuse the name of a column that is not there."""
    if name not in table.columns:
        raise BadInputError(
            f"there is no column {name!r} for {option}: {known_columns(list(table.columns), name)}"
        )


def decide(
    table: pd.DataFrame, training: Indices, *, keep: Collection[str] = (), drop: Collection[str]
) -> Columns:
    """Return what becomes of the columns.

    Whether a column is an input, and of which kind, all rows say; fills and levels come from the
    training rows. ``keep`` overrules the suspicion that a column only counts rows.
    """
    kept: list[Column] = []
    left_out: dict[str, str] = {}
    notes: list[str] = []
    for name in (c for c in table.columns if c not in drop):
        cells = table[name]
        kind = kind_of(cells)
        reason = _useless(cells, kind) or ("" if name in keep else _identifier(cells, kind, name))
        if reason:
            left_out[name] = reason
            continue
        if kind in (NUMBER, DATE) and cells.nunique() == 1:
            kind = CATEGORY  # one value, or none
        kept += _inputs(cells, training, kind, name, notes)
    kept = [c for c in kept if c.kind != FLAG or c.feature not in table.columns]
    if not kept:
        told = "; ".join(f"{name!r} {reason}" for name, reason in left_out.items())
        raise BadInputError(
            f"no column is left to learn from ({told or 'there is only the target'}): give a table "
            "with columns that vary, or name one with --keep"
        )
    return Columns(tuple(kept), left_out, tuple(notes))


def _useless(cells: pd.Series, kind: str) -> str:
    """Return why nothing can be learned from a column, if so."""
    if kind == NESTED:
        return "holds lists or structures"
    known = cells.dropna()
    if not len(known):
        return "has no values"
    if len(known) == len(cells) and known.nunique() == 1:
        return f"is always {as_text(known.iloc[0])!r}"
    return ""


def _identifier(cells: pd.Series, kind: str, name: str) -> str:
    """Return why a column looks as if it only told rows apart, if so."""
    known = cells.dropna()
    distinct = known.nunique()
    if kind == CATEGORY:
        if distinct == len(known) or (distinct > MANY_LEVELS and 2 * distinct > len(known)):
            return f"looks like an identifier: {distinct:,} different texts"
    elif kind == NUMBER and distinct == len(cells):
        values = numbers(cells, name)
        whole = bool(np.all(values == np.round(values)))
        if whole and values.min() in (0, 1) and values.max() - values.min() == len(cells) - 1:
            return "looks like an identifier: it counts the rows"
        named = name.lower() in COUNTERS or name.lower().endswith(("_id", " id"))
        if whole and named:
            return "looks like an identifier: all whole numbers, all different"
    return ""


def _inputs(
    cells: pd.Series, training: Indices, kind: str, name: str, notes: list[str]
) -> list[Column]:
    """Return the inputs that a column gives, and note what is done to it."""
    seen = cells.iloc[training]
    if kind == CATEGORY:
        levels = sorted({as_text(value) for value in seen.dropna().unique()})
        if seen.isna().any():
            count = f"{int(seen.isna().sum()):,} of {len(seen):,} rows"
            notes.append(f"{name!r}: missing in {count}, taken as a level of its own")
        return [Column(name, CATEGORY, levels=tuple(levels))]
    values = days(seen, name) if kind == DATE else numbers(seen, name)
    if kind == DATE:
        notes.append(f"{name!r}: dates, taken as days since 1970")
    lacking = int(np.isnan(values).sum())
    if lacking == len(values):
        notes.append(f"{name!r}: no value in the rows learned from, zero taken")
        return [Column(name, kind, 0.0)]
    fill = float(np.nanmedian(values))
    flagged = lacking >= max(OFTEN_MISSING_ROWS, OFTEN_MISSING * len(values))
    if lacking:
        also = ", and a column that says so" if flagged else ""
        count = f"{lacking:,} of {len(values):,} rows"
        notes.append(f"{name!r}: missing in {count}, median {fill:.6g} taken{also}")
    flag = [Column(name, FLAG)] if flagged else []
    return [Column(name, kind, fill), *flag]
