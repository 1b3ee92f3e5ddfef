"""What becomes of the columns of a table, in a form that a model file can keep.

Numbers stay what they are (the estimator scales them), dates are days since 1970, categories are
codes for the categorical kernel. A missing number or date is the median of the training rows; if
they lacked it often, a column of its own says so. A missing category is a level of its own, and so
is one that the training rows did not have.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.tables.cells import CATEGORY, DATE, NUMBER, codes, days, numbers

__all__ = ["FLAG", "Column", "Columns"]

Floats = npt.NDArray[np.float64]

#: The kind of a column that says whether another one is missing.
FLAG = "missing"
KINDS = (NUMBER, DATE, CATEGORY, FLAG)


@dataclass(frozen=True)
class Column:
    """One input of the model and where it comes from."""

    name: str  # of the column in the table
    kind: str
    fill: float | None = None  # for missing numbers and dates; None refuses them
    levels: tuple[str, ...] = ()  # of a category

    @property
    def feature(self) -> str:
        """The name of the input."""
        return f"{self.name} is missing" if self.kind == FLAG else self.name

    @property
    def coded(self) -> bool:
        """Tell whether the input holds codes."""
        return self.kind in (CATEGORY, FLAG)

    def apply(self, cells: pd.Series) -> Floats:
        """Return the input (n,)."""
        if self.kind == CATEGORY:
            return codes(cells, {level: i for i, level in enumerate(self.levels, 1)})
        if self.kind == FLAG:
            return cells.isna().to_numpy(dtype=np.float64)
        values = days(cells, self.name) if self.kind == DATE else numbers(cells, self.name)
        missing = np.isnan(values)
        if not missing.any():
            return values
        if self.fill is None:
            raise BadInputError(
                f"column {self.name!r} has a missing value, and the model has no rule for it: fill "
                "it in, or make the model with 'sparsegp fit'"
            )
        return np.where(missing, self.fill, values)

    def as_json(self) -> dict[str, Any]:
        """Return what a model file keeps."""
        return {
            "name": self.name,
            "kind": self.kind,
            "fill": self.fill,
            "levels": list(self.levels),
        }


@dataclass(frozen=True)
class Columns:
    """All inputs, in the order of the model."""

    columns: tuple[Column, ...]
    left_out: dict[str, str] = field(default_factory=dict)  # name and why
    notes: tuple[str, ...] = ()  # what was done that somebody should know

    @property
    def names(self) -> list[str]:
        """The columns of the table that are needed."""
        return list(dict.fromkeys(column.name for column in self.columns))

    def apply(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the inputs, numbers all of them, whatever the order of the table's columns."""
        return pd.DataFrame({c.feature: c.apply(table[c.name]) for c in self.columns})

    def as_json(self) -> dict[str, Any]:
        """Return what a model file keeps."""
        return {
            "columns": [column.as_json() for column in self.columns],
            "left_out": self.left_out,
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, kept: Any) -> "Columns":
        """Return what a model file has kept; a file that somebody made may be wrong in any way."""
        try:
            columns = tuple(_column(one) for one in kept["columns"])
            left_out = {str(name): str(why) for name, why in kept["left_out"].items()}
            return cls(columns, left_out, tuple(map(str, kept["notes"])))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInputError(
                "what the model file notes of the columns cannot be read: fit the model again"
            ) from error

    @classmethod
    def of_numbers(cls, names: Sequence[str]) -> "Columns":
        """Return the columns of a model that was made in Python: numbers as they are."""
        return cls(tuple(Column(str(name), NUMBER) for name in names))


def _column(kept: Any) -> Column:
    name, kind, fill = kept["name"], kept["kind"], kept["fill"]
    number = fill is None or (type(fill) in (int, float) and np.isfinite(fill))
    if not isinstance(name, str) or kind not in KINDS or not number:
        raise ValueError(f"{kept!r} describes no column")
    return Column(name, kind, fill, tuple(map(str, kept["levels"])))
