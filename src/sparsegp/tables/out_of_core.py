"""Transformed rows of a table out of core: fetched by position, or summed part by part.

``OutOfCoreRows`` have the methods of ``Rows``. Code that needs the values of rows takes a few of
them and gets ``Rows``; code that needs a sum over all rows hands its work to ``reduce``, which does
it on each part of the table, where that part is.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, take
from sparsegp.tables.index_sampling import ComplementIndex
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = [
    "AnyInputs",
    "AnyRows",
    "OutOfCoreInputs",
    "OutOfCoreRows",
    "Parts",
    "inputs_at",
]

T = TypeVar("T")
Indices = npt.NDArray[np.intp]
#: Makes what goes along with the rows of a part from the numbers where the part begins and ends.
Along = Callable[[int, int], Any]


class Parts(Protocol):
    """A table in parts, as its transformed rows use it."""

    n_rows: int
    n_columns: int
    n_outputs: int
    is_weighted: bool
    on_workers: bool

    @property
    def total_weight(self) -> float:
        """The sum of the weights; the number of rows if there are none."""

    def fetch(self, numbers: Indices) -> Rows:
        """Return a few rows."""

    def reduce(
        self,
        work: Callable[..., T | None],
        along: Along | None = None,
        *,
        on_device: bool = False,
    ) -> T:
        """Return the sum over the parts; on the device of a part if the work can be done there."""


@dataclass(frozen=True)
class _Transforms:
    """The transforms of inputs and targets; None leaves targets as they are."""

    inputs: Scaling | Columns
    targets: Scaling | Warps | None

    def apply(self, rows: Rows) -> Rows:
        y = rows.y if self.targets is None else self.targets.apply(rows.y)
        return Rows(self.inputs.apply(rows.X), y, rows.weight)


class OutOfCoreRows:
    """Transformed rows of a table: all of them, or those of given numbers."""

    is_out_of_core: ClassVar[Literal[True]] = True
    on_host = True
    noise_factor = None  # one noise variance for all rows

    def __init__(
        self,
        table: Parts,
        inputs: Scaling | Columns,
        targets: Scaling | Warps | None,
        numbers: Indices | ComplementIndex | None = None,
    ) -> None:
        self.table, self.numbers = table, numbers
        self._transforms = _Transforms(inputs, targets)
        self.n_columns, self.n_outputs = table.n_columns, table.n_outputs
        self.is_weighted = table.is_weighted
        self.on_workers = table.on_workers

    def __len__(self) -> int:
        return self.table.n_rows if self.numbers is None else len(self.numbers)

    @cached_property
    def X(self) -> "OutOfCoreInputs":
        """The inputs (n, D), of which some rows can be read."""
        return OutOfCoreInputs(self)

    @property
    def total_weight(self) -> float:
        """Σ weight: the number of rows if a row of weight s is s rows."""
        if self.numbers is None:
            return self.table.total_weight
        return float(self.reduce(_total_weight))

    def __getitem__(self, part: slice) -> Rows:
        return self.take(np.arange(*part.indices(len(self)), dtype=np.intp))

    def take(self, indices: Any) -> Rows:
        """Fetch the rows at these positions; they should be few."""
        positions = np.asarray(indices, dtype=np.intp)
        numbers = positions if self.numbers is None else self.numbers[positions]
        return self._transforms.apply(self.table.fetch(numbers))

    def subset(self, indices: Indices | ComplementIndex) -> "OutOfCoreRows":
        """Return the rows at these positions, which may be many, without reading them."""
        numbers = indices if self.numbers is None else self.numbers[np.asarray(indices)]
        return OutOfCoreRows(self.table, self._transforms.inputs, self._transforms.targets, numbers)

    def load(self) -> Rows:
        """Read all rows; they should be few."""
        return self.take(np.arange(len(self)))

    def with_targets(self, targets: Scaling | Warps) -> "OutOfCoreRows":
        """Return the rows with transformed targets, which were not transformed before."""
        return OutOfCoreRows(self.table, self._transforms.inputs, targets, self.numbers)

    def reduce(self, work: Callable[..., T], *beside: Array, on_device: bool = False) -> T:
        """Return the sum of what ``work`` makes of the rows of each part.

        Arrays ``beside`` have one line per row, in the order of the numbers of the rows in the
        table. They are held here; ``work`` gets the lines of its part after the rows. Rows that a
        worker holds on a device stay there for work that can be done ``on_device``.
        """
        numbers = None if self.numbers is None else np.sort(np.asarray(self.numbers))
        along = partial(_lines_of_part, numbers, beside)
        own = partial(_of_part, self._transforms, work)
        return self.table.reduce(own, along, on_device=on_device)


#: Rows in memory, on a device or out of core.
AnyRows = Rows | OutOfCoreRows


def _total_weight(rows: Rows) -> float:
    return rows.total_weight


def _lines_of_part(
    numbers: Indices | None, beside: tuple[Array, ...], start: int, end: int
) -> tuple[Indices | None, list[Array]]:
    """Return which rows of a part belong to the subset (None: all), and the lines beside them."""
    if numbers is None:
        return None, [lines[start:end] for lines in beside]
    low, high = bisect_left(numbers, start), bisect_left(numbers, end)
    return numbers[low:high] - start, [lines[low:high] for lines in beside]


def _of_part(
    transforms: _Transforms,
    work: Callable[..., T],
    start: int,
    rows: Rows,
    along: tuple[Indices | None, list[Array]],
) -> T | None:
    """Do the work on the rows of a part that belong to the subset, if there are any."""
    positions, beside = along
    if positions is not None:
        rows = rows.take(positions)
    return work(transforms.apply(rows), *beside) if len(rows) else None


class OutOfCoreInputs:
    """The inputs of rows out of core: an array (n, D) of which some rows can be read."""

    def __init__(self, rows: OutOfCoreRows) -> None:
        self._rows = rows
        self.shape = (len(rows), rows.n_columns)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Array:
        """Fetch rows by a slice or by positions; all columns of them."""
        where = key[0] if isinstance(key, tuple) else key
        return self._rows[where].X if isinstance(where, slice) else self._rows.take(where).X


#: Inputs (n, D) in memory, on a device or out of core.
AnyInputs = Array | OutOfCoreInputs


def inputs_at(X: AnyInputs, indices: Indices) -> Array:
    """Return the inputs (m, D) at some positions of X (n, D)."""
    return X[indices] if isinstance(X, OutOfCoreInputs) else take(X, indices)
