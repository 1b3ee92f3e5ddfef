"""From any table in memory to its inputs: encoded, if its columns are not all plain numbers.

``encoding_`` of an estimator says what was decided when it was fitted; None: nothing, the columns
are the inputs.
"""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_array, validate_data

from sparsegp.exceptions import ColumnWarning
from sparsegp.tables.encoding.missing_numbers import infer_missing_numbers
from sparsegp.tables.encoding.raw_table import RawTable, is_frame, read_raw
from sparsegp.tables.encoding.table_encoding import TableEncoding
from sparsegp.tables.validation import check_finite, naming

__all__ = ["check_inputs", "input_names", "n_inputs"]

Floats = npt.NDArray[np.float64]


def check_inputs(estimator: Any, name: str, X: Any, *, reset: bool, stream: bool = False) -> Floats:
    """Return inputs in memory as doubles (n, D), encoded and checked as scikit-learn does.

    ``reset`` decides on the encoding and notes it, with number and names of the columns, on the
    estimator; else these must be the same. The first rows of a ``stream`` leave no column out, and
    further ones may bring new levels of categories.
    """
    with naming(name):
        return _checked(estimator, name, X, reset, stream)


def _checked(estimator: Any, name: str, X: Any, reset: bool, stream: bool) -> Floats:
    """Return the inputs; errors may leave out the argument."""
    if reset:
        return _first_inputs(estimator, name, X, stream)
    encoding = getattr(estimator, "encoding_", None)
    if encoding is None:
        return _check_numbers(estimator, name, X, reset=False)
    table = _raw_as_fitted(estimator, X, encoding)
    if stream:
        encoding = estimator.encoding_ = encoding.with_new_levels(table)
    return check_array(encoding.encode(table), dtype=np.float64)


def input_names(estimator: Any) -> list[str] | None:
    """Return the names of a fitted estimator's inputs; None if they have none."""
    encoding = getattr(estimator, "encoding_", None)
    if encoding is not None:
        return encoding.input_names
    return list(estimator.feature_names_in_) if hasattr(estimator, "feature_names_in_") else None


def n_inputs(estimator: Any) -> int:
    """Return the number of inputs of a fitted estimator's kernel."""
    encoding = getattr(estimator, "encoding_", None)
    return int(estimator.n_features_in_) if encoding is None else len(encoding.columns)


def _first_inputs(estimator: Any, name: str, X: Any, stream: bool) -> Floats:
    """Decide on the encoding, and return the inputs of the first rows."""
    estimator.encoding_ = None
    if is_frame(X) and not _is_numeric_objects(X):
        table = read_raw(X)
        encoding = _infer(estimator, table, stream)
        if encoding is not None:
            _note_columns(estimator, X, table)
            _warn_of_left_out(encoding)
            estimator.encoding_ = encoding
            return check_array(encoding.encode(table), dtype=np.float64)
    X = validate_data(estimator, X, reset=True, dtype=np.float64, ensure_all_finite=False)
    if np.isfinite(X).all():
        return X
    names = input_names(estimator)
    check_finite(name, np.where(np.isnan(X), 0.0, X), names)
    estimator.encoding_ = infer_missing_numbers(X, names)
    return estimator.encoding_.encode(RawTable(list(X.T), None, len(X)))


def _check_numbers(estimator: Any, name: str, X: Any, *, reset: bool) -> Floats:
    """Return plain numbers as doubles (n, D)."""
    _refuse_text(name, X)
    X = validate_data(estimator, X, reset=reset, dtype=np.float64, ensure_all_finite=False)
    check_finite(name, X, getattr(estimator, "feature_names_in_", None))
    return X


def _refuse_text(name: str, X: Any) -> None:
    """Refuse a table with strings where the model knows numbers, naming the first column."""
    if not is_frame(X) or _is_numeric_objects(X):
        return
    table = read_raw(X)
    for position, cells in enumerate(table.columns):
        text = _first_text(cells)
        if text is not None:
            raise ValueError(
                f"{name} has text in column {table.label(position)!r} ({text[:40]!r}), but the "
                "model was fitted on numbers: correct it, or fit again on a table with such cells"
            )


def _first_text(cells: Any) -> str | None:
    """Return the first cell of a column that is a string and no number."""
    if not hasattr(cells, "dropna") or getattr(cells.dtype, "kind", "O") in "fiubmMc":
        return None
    for cell in cells.dropna():
        if isinstance(cell, str):
            try:
                float(cell)
            except ValueError:
                return cell
    return None


def _infer(estimator: Any, table: RawTable, stream: bool) -> TableEncoding | None:
    # pandas is needed for columns that are not numbers
    from sparsegp.tables.encoding.infer_columns import Hints, infer_columns  # noqa: PLC0415

    if not table.n_rows or not table.columns:
        return None  # scikit-learn's check refuses it
    hints: dict[str, Any] = getattr(estimator, "_column_hints", dict)()
    return infer_columns(table, Hints(**hints, is_stream=stream))


def _is_numeric_objects(X: Any) -> bool:
    """Tell whether an array of objects holds numbers only, and none of them is missing."""
    if not isinstance(X, np.ndarray) or X.dtype.kind != "O":
        return False
    try:
        return bool(np.isfinite(X.astype(np.float64)).all())
    except (TypeError, ValueError, OverflowError):
        return False


def _note_columns(estimator: Any, X: Any, table: RawTable) -> None:
    """Note number and names of the columns as scikit-learn does."""
    header = _header(X, table)
    validate_data(estimator, header, reset=True, skip_check_array=True)


def _header(X: Any, table: RawTable) -> Any:
    """Return something with the columns of a table, for scikit-learn's checks."""
    if isinstance(X, np.ndarray) or table.names is None:
        return X if hasattr(X, "shape") else np.zeros((1, len(table.columns)))
    from pandas import DataFrame  # noqa: PLC0415  (only tables with names need it)

    return DataFrame(np.zeros((1, len(table.columns))), columns=list(table.names))


def _raw_as_fitted(estimator: Any, X: Any, encoding: TableEncoding) -> RawTable:
    """Return the columns of a table for a fitted estimator.

    A table with names may have them in any order, and more of them; an array must have those of the
    fit.
    """
    if is_frame(X):
        table = read_raw(X)
    else:
        array = check_array(X, dtype=np.float64, ensure_all_finite=False)
        check_finite("X", np.where(np.isnan(array), 0.0, array))
        table = read_raw(array)
    if not table.n_rows:
        raise ValueError(
            "Found array with 0 sample(s) while a minimum of 1 is required: X is empty"
        )
    if table.names is None or not encoding.named:
        validate_data(estimator, _header(X, table), reset=False, skip_check_array=True)
    return table


def _warn_of_left_out(encoding: TableEncoding) -> None:
    if encoding.left_out:
        reasons = "; ".join(f"{name!r} {why}" for name, why in encoding.left_out.items())
        warnings.warn(
            f"columns are left out: {reasons}. To keep one, make it a column of floats or of "
            "pandas' category dtype",
            ColumnWarning,
            stacklevel=2,
        )
    marked = [c for c in encoding.columns if c.is_main and c.missing_marks]
    for column in marked:
        warnings.warn(
            f"column {column.name!r} is read as numbers: {column.missing_marks[0]!r} is none and "
            "counts as missing",
            ColumnWarning,
            stacklevel=2,
        )
