"""The scaling of a table that is read in parts: to the last bit that of ``fit_scaling``.

Two passes. The first checks the rows and finds sums, smallest and largest values; the largest
distance from the mean follows from these, since rounding keeps the order of numbers. The second
sums squares. Both go through the parts in turn, for the bits of a sum depend on its order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.data.columns import NONE
from sparsegp.data.rows import Rows
from sparsegp.data.scaling import CONSTANT_COLUMN, Scaling
from sparsegp.data.summation import ColumnSum
from sparsegp.data.table import Table

__all__ = ["Check", "fit_table_scalings"]

Floats = npt.NDArray[np.float64]
#: Called with the number of its first row and a part, before anything is made of it.
Check = Callable[[int, Rows], None]


@dataclass(frozen=True)
class _Profile:
    """What the first pass has seen of some columns."""

    total: ColumnSum  # of what lies beyond the first row, times shares
    first: Floats | None = None  # (D,), the first row
    low: Floats | None = None  # (D,)
    high: Floats | None = None

    def plus(self, values: Floats, share: Floats) -> "_Profile":
        """Return the profile with rows (b, D) more that have a share (b, 1) each."""
        first = values[0] if self.first is None else self.first
        low, high = values.min(axis=0), values.max(axis=0)
        if self.low is not None and self.high is not None:
            low, high = np.minimum(self.low, low), np.maximum(self.high, high)
        return _Profile(self.total.plus(share * (values - first)), first, low, high)


@dataclass(frozen=True)
class _Squares:
    """What the second pass has seen."""

    total: ColumnSum
    offset: Floats  # (D,)
    spread: Floats  # (D,), the largest distance from it; one for constant columns
    varies: npt.NDArray[np.bool_]  # (D,)

    @classmethod
    def about(cls, profile: _Profile) -> "_Squares":
        """Begin, with the mean of a profile."""
        first, low, high = (np.asarray(x) for x in (profile.first, profile.low, profile.high))
        offset = first + profile.total.value
        largest = np.maximum(np.abs(low), np.abs(high))
        spread = np.maximum(np.abs(low - offset), np.abs(high - offset))
        varies = spread > CONSTANT_COLUMN * largest
        spread = np.where(varies, spread, np.ones_like(spread))
        return cls(ColumnSum(profile.total.n), offset, spread, varies)

    def plus(self, values: Floats, share: Floats) -> "_Squares":
        """Return the sums with rows (b, D) more."""
        added = share * ((values - self.offset) / self.spread) ** 2
        return replace(self, total=self.total.plus(added))

    def scaling(self, left_alone: npt.NDArray[np.bool_]) -> Scaling:
        """Return the scaling of all columns but some."""
        deviation = self.spread * np.sqrt(self.total.value)
        varies = self.varies & (deviation > float(np.finfo(np.float64).tiny))
        scale = np.where(varies, deviation, np.ones_like(deviation))
        return Scaling(np.where(left_alone, 0.0, self.offset), np.where(left_alone, 1.0, scale))


def fit_table_scalings(
    table: Table, columns: Sequence[str], target: str, check: Check
) -> tuple[Scaling, Scaling]:
    """Return the scalings of inputs and targets.

    Parameters
    ----------
    table : Table
    columns : sequence of {"standard", "none"}
        What becomes of each column of the inputs.
    target : {"standard", "none"}
        What becomes of the targets.
    check : callable
        Refuses rows that cannot be used.
    """
    nothing = _Profile(ColumnSum(table.n_rows))
    total = table.total_weight
    profiles = table.in_turn(partial(_look, total, check), (nothing, nothing))
    squares = tuple(_Squares.about(profile) for profile in profiles)
    squares = table.in_turn(partial(_look, total, None), squares)
    alone = np.array([kind == NONE for kind in columns])
    return squares[0].scaling(alone), squares[1].scaling(np.full(table.n_outputs, target == NONE))


def _look(
    total: float, check: Check | None, state: tuple[Any, ...], start: int, rows: Rows
) -> tuple[Any, ...]:
    """Return what is known of inputs and targets with a part more."""
    if not len(rows):
        return state
    if check is not None:
        check(start, rows)
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    share = (weight / total)[:, None]  # (b, 1)
    return state[0].plus(rows.X, share), state[1].plus(rows.y, share)
