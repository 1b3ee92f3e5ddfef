"""Rows of a table elsewhere, as the algebra sees them: transformed, fetched or summed.

``OutOfCoreRows`` stand where ``Rows`` stand in a fit. Whoever needs numbers of rows takes a few of
them and gets ``Rows``; whoever needs a sum over all of them sends the work to the parts. A pass
over out-of-core rows is the same pass over each part.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, take
from sparsegp.tables.index_sampling import ComplementIndex
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.table import Table, positions
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["AnyRows", "OutOfCoreInputs", "OutOfCoreRows", "inputs_at", "load_rows", "subset"]

T = TypeVar("T")
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class _Transforms:
    """What becomes of inputs and targets on the way to the algebra."""

    inputs: Scaling | Columns
    targets: Scaling | Warps

    def apply(self, rows: Rows) -> Rows:
        return Rows(self.inputs.apply(rows.X), self.targets.apply(rows.y), rows.weight)


class OutOfCoreRows:
    """Transformed rows of a table: all of them, or those of the given numbers."""

    noise_factor = None  # all rows have the same noise

    def __init__(
        self,
        table: Table,
        inputs: Scaling | Columns,
        targets: Scaling | Warps,
        numbers: Indices | ComplementIndex | None = None,
    ) -> None:
        self.table, self.numbers = table, numbers
        self._transforms = _Transforms(inputs, targets)

    def __len__(self) -> int:
        return self.table.n_rows if self.numbers is None else len(self.numbers)

    @cached_property
    def X(self) -> "OutOfCoreInputs":
        """The inputs."""
        return OutOfCoreInputs(self)

    @property
    def total_weight(self) -> float:
        """The number of rows if a row of weight s is s rows."""
        if self.numbers is None:
            return self.table.total_weight
        return float(self.reduce(_total_weight))

    def __getitem__(self, part: slice) -> Rows:
        return self.take(positions(part, len(self)))

    def take(self, indices: Any) -> Rows:
        """Fetch the rows at these positions; they should be few."""
        places = positions(indices, len(self))
        numbers = places if self.numbers is None else self.numbers[places]
        return self._transforms.apply(self.table.fetch(numbers))

    def only(self, indices: Indices | ComplementIndex) -> "OutOfCoreRows":
        """Return the rows at these positions, however many, without fetching them."""
        numbers = indices if self.numbers is None else self.numbers[np.asarray(indices)]
        return OutOfCoreRows(self.table, self._transforms.inputs, self._transforms.targets, numbers)

    def with_targets(self, targets: Scaling | Warps) -> "OutOfCoreRows":
        """Return the same rows with other transforms of the targets."""
        return OutOfCoreRows(self.table, self._transforms.inputs, targets, self.numbers)

    def reduce(self, work: Callable[..., T], *beside: Array) -> T:
        """Return the sum of what ``work`` makes of the rows of each part.

        Arrays ``beside`` the rows have a line for each, in the order of the numbers of the rows in
        the table. They are kept here; ``work`` gets the lines of its part after the rows.
        """
        numbers = None if self.numbers is None else np.sort(np.asarray(self.numbers))
        along = partial(_lines_of_part, numbers, beside)
        return self.table.reduce(partial(_of_part, self._transforms, work), along)

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.table.is_weighted


#: Rows in memory, or elsewhere.
AnyRows = Rows | OutOfCoreRows


def _total_weight(rows: Rows) -> float:
    return rows.total_weight


def _lines_of_part(
    numbers: Indices | None, beside: tuple[Array, ...], start: int, end: int
) -> tuple[Indices | None, list[Array]]:
    """Return which rows of a part count, None if all do, and the lines beside them."""
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
    """Do the work on those rows of a part that count, if any."""
    places, beside = along
    if places is not None:
        rows = rows.take(places)
    return work(transforms.apply(rows), *beside) if len(rows) else None


class OutOfCoreInputs:
    """The inputs of far rows: an array (n, D) of which some rows can be read."""

    def __init__(self, rows: OutOfCoreRows) -> None:
        self._rows = rows
        self.shape = (len(rows), rows.table.n_columns)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Array:
        """Fetch rows by a slice or by positions; all columns of them."""
        places = key[0] if isinstance(key, tuple) else key
        return self._rows.take(places).X


def load_rows(rows: AnyRows) -> Rows:
    """Return the rows in memory; far ones should be few."""
    return rows.take(np.arange(len(rows))) if isinstance(rows, OutOfCoreRows) else rows


def subset(rows: AnyRows, indices: Indices | ComplementIndex) -> AnyRows:
    """Return the rows at these positions, which may be many: far ones stay where they are."""
    return rows.only(indices) if isinstance(rows, OutOfCoreRows) else rows.take(np.asarray(indices))


def inputs_at(X: Array | OutOfCoreInputs, indices: Indices) -> Array:
    """Return the inputs (m, D) at some positions of X (n, D)."""
    if isinstance(X, OutOfCoreInputs):
        return X[indices]
    return take(X, indices)
