"""The columns of any table in memory, as pandas columns or arrays of numbers.

pandas, polars and pyarrow are only touched where the user's table is of them. Numbers in NumPy
arrays need none of these libraries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["RawTable", "is_frame", "read_raw"]

#: Kinds of NumPy dtypes that hold numbers.
NUMBERS = "fiub"


@dataclass(frozen=True)
class RawTable:
    """Columns of equal length: pandas columns, or arrays of numbers."""

    columns: Sequence[Any]
    names: tuple[str, ...] | None
    n_rows: int

    @property
    def is_plain(self) -> bool:
        """Tell whether all columns have a dtype of NumPy's numbers and no missing value."""
        return all(_is_plain(column) for column in self.columns)

    def label(self, position: int) -> str:
        """Return the name of a column, for messages and inputs."""
        return f"x{position}" if self.names is None else self.names[position]


def is_frame(X: Any) -> bool:
    """Tell whether a table has columns of its own dtypes, or an array holds objects or dates."""
    if _library(X) in ("pandas", "polars", "pyarrow"):
        return hasattr(X, "columns")
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "OUSmM"


def read_raw(X: Any) -> RawTable:
    """Return the columns of a table that ``is_frame``, or of an array (n, D) of numbers."""
    library = _library(X)
    if library == "pyarrow":
        X, library = X.to_pandas(), "pandas"
    if library == "polars":
        if not hasattr(X, "get_columns"):
            raise TypeError("X is a lazy frame of polars: pass X.collect()")
        columns: list[Any] = [_from_polars(column) for column in X.get_columns()]
        return RawTable(columns, _names(X.columns), X.height)
    if library == "pandas":
        columns = [_unwrapped(X.iloc[:, i]) for i in range(X.shape[1])]
        return RawTable(columns, _names(X.columns), len(X))
    if X.dtype.kind in NUMBERS:
        return RawTable(list(np.asarray(X, dtype=np.float64).T), None, len(X))
    import pandas as pd  # noqa: PLC0415  (optional)

    frame = pd.DataFrame(X).infer_objects()
    return RawTable([frame.iloc[:, i] for i in range(frame.shape[1])], None, len(frame))


def _library(X: Any) -> str:
    return type(X).__module__.split(".")[0]


def _names(columns: Any) -> tuple[str, ...] | None:
    """Return names if they are strings, as scikit-learn has it; it refuses a mixture itself."""
    return tuple(map(str, columns)) if all(isinstance(name, str) for name in columns) else None


def _unwrapped(column: Any) -> Any:
    """Return a column of Arrow's dtypes as one of NumPy's, with the same values."""
    wrapped = hasattr(column.dtype, "pyarrow_dtype")
    if not wrapped:
        return column
    plain = column.array.__arrow_array__().to_pandas()
    plain.index = column.index
    return plain


def _from_polars(column: Any) -> Any:
    """Return a column of polars as one of pandas; strings and categories as objects."""
    import pandas as pd  # noqa: PLC0415  (optional)

    dtype = str(column.dtype)
    if dtype.startswith(("String", "Utf8", "Categorical", "Enum", "Boolean", "Decimal", "Object")):
        values = column.to_list()
        kind = bool if dtype == "Boolean" and None not in values else object
        return pd.Series(values, dtype=kind)
    return pd.Series(column.to_numpy())


def _is_plain(column: Any) -> bool:
    dtype = column.dtype
    if not isinstance(dtype, np.dtype) or dtype.kind not in NUMBERS:
        return False
    return dtype.kind != "f" or not np.isnan(np.asarray(column)).any()
