"""Tables as each kind of library takes them; what is learned is learned from training rows."""

from collections.abc import Callable

import numpy as np
import pandas as pd

__all__ = ["as_categories", "as_numbers", "as_strings", "strings_of"]

Frame = pd.DataFrame


def strings_of(X: Frame) -> list[str]:
    """Return the names of the columns that are not numbers."""
    return [c for c in X if not pd.api.types.is_numeric_dtype(X[c].dtype)]


def as_categories(X: Frame) -> Callable[[Frame], Frame]:
    """Return a function that makes categories of strings; those not seen are missing values."""
    kinds = {c: pd.CategoricalDtype(sorted(X[c].dropna().unique())) for c in strings_of(X)}

    def encoded(table: Frame) -> Frame:
        known = {c: table[c].where(table[c].isin(kind.categories)) for c, kind in kinds.items()}
        return _replaced(table, {c: known[c].astype(kind) for c, kind in kinds.items()})

    return encoded


def as_strings(X: Frame) -> Callable[[Frame], Frame]:
    """Return a function that makes of missing strings a word of their own."""
    names = strings_of(X)
    return lambda table: _replaced(
        table, {c: table[c].fillna("missing").astype(str) for c in names}
    )


def _replaced(table: Frame, columns: dict[str, pd.Series]) -> Frame:
    """Return the table with other values in some columns, whatever these are called."""
    return pd.DataFrame({c: columns.get(c, table[c]) for c in table}, index=table.index)


def as_numbers(X: Frame, *, scaled: bool) -> Callable[[Frame], np.ndarray]:
    """Return a function that makes numbers of a table: a column of 0 and 1 for each string.

    Missing numbers become medians; ``scaled`` gives columns mean 0 and deviation 1. Columns that
    are constant are left out.
    """
    strings = strings_of(X)
    numbers = [c for c in X if c not in strings]
    medians = X[numbers].median()
    names = list(pd.get_dummies(X[strings]).columns) if strings else []

    def plain(table: Frame) -> np.ndarray:
        parts = table[numbers].fillna(medians).to_numpy(dtype=np.float64)
        if not strings:
            return parts
        hot = pd.get_dummies(table[strings]).reindex(columns=names, fill_value=False)
        return np.hstack([parts, hot.to_numpy(dtype=np.float64)])

    known = plain(X)
    varies = np.ptp(known, axis=0) > 0.0
    offset, scale = known.mean(axis=0)[varies], known.std(axis=0)[varies]

    def encoded(table: Frame) -> np.ndarray:
        found = plain(table)[:, varies]
        return (found - offset) / scale if scaled else found

    return encoded
