"""The columns of a table and of a model."""

from typing import Any

import pandas as pd

from sparsegp.cli.errors import BadInputError, column_hint
from sparsegp.tables.encoded_inputs import input_names
from sparsegp.tables.encoding import ColumnEncoding, TableEncoding
from sparsegp.tables.encoding.kinds import NUMBER

__all__ = ["as_numbers", "check_column", "encoding_of"]


def check_column(table: pd.DataFrame, name: str, option: str) -> None:
    """Refuse the name of a column that does not exist."""
    if name not in table.columns:
        raise BadInputError(
            f"there is no column {name!r} for {option}: {column_hint(list(table.columns), name)}"
        )


def encoding_of(model: Any) -> TableEncoding:
    """Return how a model encodes tables; numbers as they are, if it was fitted on numbers."""
    if model.encoding_ is not None:
        return model.encoding_
    names = input_names(model)
    if names is None:
        raise BadInputError(
            "the model was fitted on an array without column names: predict with it in Python, or "
            "fit it with 'sparsegp fit'"
        )
    columns = (ColumnEncoding(str(name), NUMBER, position=i) for i, name in enumerate(names))
    return TableEncoding(tuple(columns))


def as_numbers(X: pd.DataFrame) -> pd.DataFrame:
    """Return columns as numbers, whatever they are in the file."""
    columns = {name: ColumnEncoding(str(name), NUMBER).encode(X[name]) for name in X.columns}
    return pd.DataFrame(columns)
