"""How the columns of a table are encoded as inputs, in a form that a model file can store.

Numbers stay as they are (the estimator transforms them), dates become days since 1970, categories
become codes for the categorical kernel. A missing number or date is replaced by the median of the
training rows; if it was missing there often, an indicator column is added. Missing and unknown
categories are levels of their own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.tables.cell_parsing import (
    CATEGORY,
    DATE,
    NUMBER,
    encode_categories,
    parse_dates,
    parse_numbers,
)

__all__ = ["MISSING_INDICATOR", "ColumnEncoding", "TableEncoding"]

Floats = npt.NDArray[np.float64]

#: The kind of an input that tells whether another column is missing.
MISSING_INDICATOR = "missing"
KINDS = (NUMBER, DATE, CATEGORY, MISSING_INDICATOR)


@dataclass(frozen=True)
class ColumnEncoding:
    """One input of the model and the column it comes from."""

    name: str  # of the column in the table
    kind: str
    fill: float | None = None  # for missing numbers and dates; None refuses them
    levels: tuple[str, ...] = ()  # of a category

    @property
    def feature(self) -> str:
        """The name of the input."""
        return f"{self.name} is missing" if self.kind == MISSING_INDICATOR else self.name

    @property
    def is_categorical(self) -> bool:
        """Tell whether the input consists of category codes."""
        return self.kind in (CATEGORY, MISSING_INDICATOR)

    def encode(self, cells: pd.Series) -> Floats:
        """Return the input (n,)."""
        if self.kind == CATEGORY:
            return encode_categories(cells, {level: i for i, level in enumerate(self.levels, 1)})
        if self.kind == MISSING_INDICATOR:
            return cells.isna().to_numpy(dtype=np.float64)
        parse = parse_dates if self.kind == DATE else parse_numbers
        values = parse(cells, self.name)
        missing = np.isnan(values)
        if not missing.any():
            return values
        if self.fill is None:
            raise BadInputError(
                f"column {self.name!r} has a missing value, and the model does not know what to "
                "replace it with: fill it in, or create the model with 'sparsegp fit'"
            )
        return np.where(missing, self.fill, values)

    def as_json(self) -> dict[str, Any]:
        """Return what a model file stores."""
        return {
            "name": self.name,
            "kind": self.kind,
            "fill": self.fill,
            "levels": list(self.levels),
        }


@dataclass(frozen=True)
class TableEncoding:
    """All inputs, in the order of the model."""

    columns: tuple[ColumnEncoding, ...]
    left_out: dict[str, str] = field(default_factory=dict)  # column name and reason
    notes: tuple[str, ...] = ()  # remarks for the user

    @property
    def names(self) -> list[str]:
        """The columns of the table that are needed."""
        return list(dict.fromkeys(column.name for column in self.columns))

    @property
    def is_categorical(self) -> list[bool]:
        """Tell which inputs consist of category codes."""
        return [column.is_categorical for column in self.columns]

    def encode(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the inputs as numbers, whatever the order of the table's columns."""
        return pd.DataFrame({c.feature: c.encode(table[c.name]) for c in self.columns})

    def as_json(self) -> dict[str, Any]:
        """Return what a model file stores."""
        return {
            "columns": [column.as_json() for column in self.columns],
            "left_out": self.left_out,
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, stored: Any) -> "TableEncoding":
        """Return the encoding stored in a model file; a crafted file can be wrong in any way."""
        try:
            columns = tuple(_column_from_json(one) for one in stored["columns"])
            left_out = {str(name): str(why) for name, why in stored["left_out"].items()}
            return cls(columns, left_out, tuple(map(str, stored["notes"])))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInputError(
                "the description of the columns in the model file cannot be read: fit the model "
                "again"
            ) from error

    @classmethod
    def of_numbers(cls, names: Sequence[str]) -> "TableEncoding":
        """Return the encoding of a model that was fitted in Python: numbers as they are."""
        return cls(tuple(ColumnEncoding(str(name), NUMBER) for name in names))


def _column_from_json(stored: Any) -> ColumnEncoding:
    name, kind, fill = stored["name"], stored["kind"], stored["fill"]
    valid_fill = fill is None or (type(fill) in (int, float) and np.isfinite(fill))
    if not isinstance(name, str) or kind not in KINDS or not valid_fill:
        raise ValueError(f"{stored!r} does not describe a column")
    return ColumnEncoding(name, kind, fill, tuple(map(str, stored["levels"])))
