"""Tables out of core: a few rows are fetched by number, sums over all rows are made part by part.

How a table is cut into parts changes no fetched row, and sums only in their rounding. The first
pass over the rows checks them.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from operator import add
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sparsegp.tables.out_of_core import Along, OutOfCoreRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.validated_reduce import Check, validated_reduce
from sparsegp.tables.table import LowestTarget, Table
from sparsegp.tables.targets import Targets
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.scaling_blocks import fit_table_scalings
from sparsegp.tables.transforms.warps import Warps
from sparsegp.tables.validation import check_finite

__all__ = ["PartitionedTable", "add_if_any", "floats", "sent_along"]

T = TypeVar("T")
Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]


class PartitionedTable(Table):
    """A table in consecutive parts; abstract.

    Rows of weight zero belong to no part: the rows of positive weight are numbered anew.
    """

    names: Sequence[str] | None = None  # of the columns, for error messages
    on_workers: bool = False  # whether parts are on the workers of a cluster
    _weight: Floats | None = None  # (N,), of all rows of X

    @abstractmethod
    def reduce(
        self,
        work: Callable[..., T | None],
        along: Along | None = None,
        *,
        on_device: bool = False,
    ) -> T:
        """Return the sum of what ``work`` makes of the number of its first row and a part.

        ``work`` may return None for nothing. What goes ``along`` with the rows of a part is made
        by this process, sent with them and handed to ``work`` after them. It gets rows on the host
        unless it can work ``on_device``.
        """

    def _set_targets(self, targets: Targets, n_outputs: int) -> None:
        """Note what is known of the targets; rows of weight zero leave the table."""
        self._weight, self.is_weighted = targets.weight, targets.weight is not None
        self.counted = targets.counted
        self.classes, self.one_target = targets.classes, targets.one_target
        self.n_outputs = n_outputs

    @property
    def total_weight(self) -> float:
        """Σ weight, summed in the order of rows in memory; the number of rows without weights."""
        if self._weight is None:
            return float(self.n_rows)
        return float(np.sum(self._weight if self.counted is None else self._weight[self.counted]))

    @property
    def check(self) -> Check:
        """The check of a part; it can be sent to another process."""
        names = None if self.names is None else list(self.names)
        return partial(_check_part, names, self.counted)

    def fit_scalings(self, columns: tuple[str, ...], target: str) -> tuple[Scaling, Scaling]:
        """Return the scalings of inputs and targets, in two passes; the first checks the rows."""
        return fit_table_scalings(self, columns, target, self.check)

    @cached_property
    def lowest_target(self) -> LowestTarget:
        """The smallest target of all rows, in a pass that checks them."""
        return validated_reduce(self, self.check, partial(_lowest, self.counted))

    def transformed(
        self, inputs: Scaling | Columns, targets: Scaling | Warps | None = None
    ) -> OutOfCoreRows:
        """Return all rows with transformed inputs and targets; nothing is read yet."""
        return OutOfCoreRows(self, inputs, targets)


def _check_part(names: list[str] | None, counted: Indices | None, start: int, rows: Rows) -> None:
    """Refuse NaN and infinity, naming the row by its number in X."""
    numbers = _numbers(counted, start, rows)
    check_finite("X", rows.X, names, numbers)
    check_finite("y", rows.y, None, numbers)


def _numbers(counted: Indices | None, start: int, rows: Rows) -> Sequence[int]:
    """Return the numbers in X of the rows of a part."""
    end = start + len(rows)
    return range(start, end) if counted is None else counted[start:end].tolist()


def _lowest(counted: Indices | None, start: int, rows: Rows) -> LowestTarget:
    row = int(np.argmin(rows.y.min(axis=1)))
    return LowestTarget(float(rows.y[row].min()), _numbers(counted, start, rows)[row])


def sent_along(along: Along | None, start: int, size: int) -> tuple[Any, ...]:
    """Return what is handed to the work on a part after its rows: nothing, or one thing."""
    return () if along is None else (along(start, start + size),)


def add_if_any(a: Any, b: Any) -> Any:
    """Return a + b; None is nothing.

    >>> add_if_any(1, 2), add_if_any(None, 2)
    (3, 2)
    """
    if a is None or b is None:
        return b if a is None else a
    return add(a, b)


def floats(X: Any) -> Floats:
    """Return a plain array of doubles, row after row."""
    return np.ascontiguousarray(np.asarray(X), dtype=np.float64)
