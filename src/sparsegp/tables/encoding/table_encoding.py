"""How the columns of a table are encoded as inputs, in a form that a model file can store.

Numbers stay as they are (the estimator transforms them), dates become days since 1970 and periodic
parts, categories become codes for the categorical kernel, ordered categories their ranks. A missing
number is replaced by the median of the training rows; if it was missing there often, an indicator
column is added. Missing and unknown categories are levels of their own.
"""

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.exceptions import ColumnWarning
from sparsegp.tables.encoding.column_encoding import ColumnEncoding
from sparsegp.tables.encoding.kinds import CATEGORY, MISSING_INDICATOR, PERIODIC
from sparsegp.tables.encoding.raw_table import RawTable, read_raw

__all__ = ["TableEncoding"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class TableEncoding:
    """All inputs, in the order of the model."""

    columns: tuple[ColumnEncoding, ...]
    left_out: dict[str, str] = field(default_factory=dict)  # column name and reason
    notes: tuple[str, ...] = ()  # remarks for the user
    named: bool = True  # whether columns are found by their names, not their positions

    @property
    def names(self) -> list[str]:
        """The columns of the table that are needed."""
        return list(dict.fromkeys(column.name for column in self.columns))

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs."""
        return [column.feature for column in self.columns]

    @property
    def is_categorical(self) -> list[bool]:
        """Tell which inputs consist of category codes."""
        return [column.is_categorical for column in self.columns]

    @property
    def fixed_inputs(self) -> list[int]:
        """Positions of inputs whose scale has a meaning: codes, and sines and cosines."""
        kept = (CATEGORY, MISSING_INDICATOR, PERIODIC)
        return [i for i, column in enumerate(self.columns) if column.kind in kept]

    def input_of(self, position: int) -> int:
        """Return the position of the input that stands for a column of the table."""
        for i, column in enumerate(self.columns):
            if column.is_main and column.position == position:
                return i
        raise ValueError(f"the column at position {position} is no input: it was left out")

    def encode(self, X: Any) -> Floats:
        """Return the inputs (n, D) of a table, whatever the order of its columns."""
        table = X if isinstance(X, RawTable) else read_raw(X)
        cells = self._cells(table)
        self._warn_of_missing(cells)
        encoded = [column.encode(cells[column.name]) for column in self.columns]
        return np.stack(encoded, axis=1)  # (n, D)

    def _cells(self, table: RawTable) -> dict[str, Any]:
        """Return the columns that are needed."""
        if not self.named or table.names is None:
            return {c.name: table.columns[c.position] for c in self.columns}
        at = {name: i for i, name in enumerate(table.names)}
        missing = [name for name in self.names if name not in at]
        if missing:
            raise ValueError(
                f"X has no column {', '.join(map(repr, missing))}, which the model was fitted on"
            )
        return {name: table.columns[at[name]] for name in self.names}

    def _warn_of_missing(self, cells: dict[str, Any]) -> None:
        """Warn of missing values in columns that had none in the training rows."""
        never = [c.name for c in self.columns if c.fill is not None and not c.had_missing]
        found = [name for name in never if _any_missing(cells[name])]
        if found:
            warnings.warn(
                f"{', '.join(map(repr, found))}: missing here, but never in the training rows. The "
                "median of these is used, and the predicted uncertainty does not know of it",
                ColumnWarning,
                stacklevel=2,
            )

    def with_new_levels(self, table: RawTable) -> "TableEncoding":
        """Return the encoding with further levels of categories, which a stream has brought."""
        from sparsegp.tables.encoding.new_levels import new_levels  # noqa: PLC0415  (pandas)

        cells = self._cells(table)
        columns = tuple(
            replace(c, levels=(*c.levels, *new_levels(cells[c.name], c)))
            if c.kind == CATEGORY
            else c
            for c in self.columns
        )
        return replace(self, columns=columns)

    def __repr__(self) -> str:
        """Return a line a column: what it became, or why it was left out."""
        width = max((len(name) for name in (*self.names, *self.left_out)), default=0)
        lines = []
        for name in self.names:
            own = [column for column in self.columns if column.name == name]
            lines.append(f"  {name:<{width}}  {'; '.join(_merged(own))}")
        lines += [f"  {name:<{width}}  left out: {why}" for name, why in self.left_out.items()]
        return "\n".join(["TableEncoding(", *lines, ")"])

    def as_json(self) -> dict[str, Any]:
        """Return the description in plain JSON."""
        return {
            "columns": [column.as_json() for column in self.columns],
            "left_out": self.left_out,
            "notes": list(self.notes),
            "named": self.named,
        }

    @classmethod
    def from_json(cls, stored: Any) -> "TableEncoding":
        """Return the encoding of a description; a crafted file can be wrong in any way."""
        try:
            found = stored["columns"]
            at = {name: i for i, name in enumerate(dict.fromkeys(c["name"] for c in found))}
            columns = tuple(ColumnEncoding.from_json(one, at[one["name"]]) for one in found)
            left_out = {str(name): str(why) for name, why in stored["left_out"].items()}
            named = bool(stored.get("named", True))
            return cls(columns, left_out, tuple(map(str, stored["notes"])), named)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(
                "the description of the columns in the model file cannot be read: fit the model "
                "again"
            ) from error


def _merged(columns: list[ColumnEncoding]) -> list[str]:
    """Return the words of the inputs of one column; the two waves of a period are one part."""
    words = []
    for column in columns:
        if column.kind == PERIODIC:
            if column.wave == "sin":
                words.append(column.part)
        else:
            words.append(column.describe())
    return words


def _any_missing(cells: Any) -> bool:
    if isinstance(cells, np.ndarray):
        return bool(np.isnan(cells.astype(np.float64)).any())
    return bool(cells.isna().any())
