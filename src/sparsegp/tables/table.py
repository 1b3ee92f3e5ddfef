"""A table of checked training rows, wherever they are kept.

``tables.open`` makes one of whatever the user hands in. It has inputs, targets and weights in the
units of the user. A fit asks it for a sample of rows, for the means and standard deviations of its
columns, and for all rows transformed; whether these are in memory, on a device, in a file or on a
cluster shows nowhere else.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array
from sparsegp.tables.memory import Memory, ModelMemory
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["LowestTarget", "Table"]

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class LowestTarget:
    """The smallest target of some rows, and the number of its row; ``a + b`` is that of both."""

    value: float
    row: int

    def __add__(self, other: "LowestTarget") -> "LowestTarget":
        return min(self, other, key=lambda each: (each.value, each.row))


class Table(ABC):
    """Training rows in the user's units, checked; abstract."""

    n_rows: int  # of positive weight
    n_columns: int
    n_outputs: int
    one_target: bool  # whether y was given as a vector, not as a table of one column
    is_weighted: bool
    how_read: str | None = None  # in words, if the rows are not in memory
    on_host: bool = True  # False: arrays of another library, on a device
    classes: npt.NDArray[Any] | None = None  # of labels; targets are then columns of ±1
    counted: Indices | None = None  # numbers in X of the rows of positive weight; None: all rows
    candidates: Array | None = None  # inputs to choose the basis from, if not from the rows

    @abstractmethod
    def fetch(self, numbers: Indices) -> Rows:
        """Return a few rows, in the order of their numbers."""

    @abstractmethod
    def fit_scalings(
        self, columns: tuple[str, ...], target: str
    ) -> tuple[Scaling | Columns, Scaling]:
        """Return the scalings of inputs and targets by all rows.

        Parameters
        ----------
        columns : tuple of {"standard", "none"}
            The kind of scaling of each input column.
        target : {"standard", "none"}
        """

    @property
    @abstractmethod
    def lowest_target(self) -> LowestTarget:
        """The smallest target of all rows."""

    @abstractmethod
    def transformed(
        self, inputs: Scaling | Columns, targets: Scaling | Warps | None = None
    ) -> AnyRows:
        """Return all rows with transformed inputs and targets; None leaves targets as they are."""

    def within(self, memory: Memory, model: ModelMemory) -> "Table":
        """Return the table, read in blocks that fit into memory beside the model."""
        return self

    def sample(self, size: int, rng: np.random.Generator) -> Rows:
        """Return ``size`` rows drawn without replacement, in the order of the table; or all.

        They are on the host wherever the table is, so that they decide the same everywhere.
        """
        if self.n_rows <= size:
            return self.fetch(np.arange(self.n_rows))
        return self.fetch(np.sort(rng.choice(self.n_rows, size, replace=False, shuffle=False)))

    def numbers_in_X(self, positions: Indices) -> Indices:
        """Return the numbers in the user's X of rows at some positions of this table."""
        return positions if self.counted is None else self.counted[positions]
