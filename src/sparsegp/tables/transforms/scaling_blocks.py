"""The scaling of a table in parts: bit for bit that of ``fit_scaling``.

Two passes. The first checks the rows and finds sums, minima and maxima; the largest distance from
the mean follows from these. The second sums squares. How the table is cut changes no bit of a sum
(``summation``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from sparsegp.tables.out_of_core import Parts
from sparsegp.tables.policy import CONSTANT_COLUMN
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.validated_reduce import Check, validated_reduce
from sparsegp.tables.transforms.columns import NONE
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.summation import ColumnSum

__all__ = ["fit_table_scalings"]

Floats = npt.NDArray[np.float64]
Seen = TypeVar("Seen")


@dataclass(frozen=True)
class _Profile:
    """Sums, minima and maxima of the columns of some rows; ``a + b`` is that of both parts."""

    total: ColumnSum  # Σ share (x − first row)
    low: Floats  # (D,)
    high: Floats  # (D,)

    @classmethod
    def of(cls, values: Floats, share: Floats, first: Floats) -> "_Profile":
        """Return the profile of rows (b, D) with relative weights (b, 1)."""
        total = ColumnSum.of(share * (values - first))
        return cls(total, values.min(axis=0), values.max(axis=0))

    def __add__(self, other: "_Profile") -> "_Profile":
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return _Profile(self.total + other.total, low, high)


@dataclass(frozen=True)
class _Centre:
    """Means of columns, and the largest distances from them."""

    offset: Floats  # (D,)
    extent: Floats  # (D,), the largest distance from it; one for constant columns
    varies: npt.NDArray[np.bool_]  # (D,)

    @classmethod
    def of(cls, profile: _Profile, first: Floats) -> "_Centre":
        low, high, offset = profile.low, profile.high, first + profile.total.value
        largest = np.maximum(np.abs(low), np.abs(high))
        extent = np.maximum(np.abs(low - offset), np.abs(high - offset))
        varies = extent > CONSTANT_COLUMN * largest
        return cls(offset, np.where(varies, extent, np.ones_like(extent)), varies)

    def squares(self, values: Floats, share: Floats) -> ColumnSum:
        """Return the sum of squared distances of rows (b, D)."""
        return ColumnSum.of(share * ((values - self.offset) / self.extent) ** 2)

    def scaling(self, squares: ColumnSum, left_alone: npt.NDArray[np.bool_]) -> Scaling:
        """Return the scaling; columns ``left_alone`` are not scaled."""
        deviation = self.extent * np.sqrt(squares.value)
        varies = self.varies & (deviation > float(np.finfo(np.float64).tiny))
        scale = np.where(varies, deviation, np.ones_like(deviation))
        return Scaling(np.where(left_alone, 0.0, self.offset), np.where(left_alone, 1.0, scale))


@dataclass(frozen=True)
class _Both(Generic[Seen]):
    """A quantity of inputs and of targets."""

    X: Seen
    y: Seen

    def __add__(self, other: "_Both[Seen]") -> "_Both[Seen]":
        return _Both(add(self.X, other.X), add(self.y, other.y))


def fit_table_scalings(
    table: Parts, columns: Sequence[str], target: str, check: Check
) -> tuple[Scaling, Scaling]:
    """Return the scalings of inputs and targets.

    Parameters
    ----------
    table : table in parts
    columns : sequence of {"standard", "none"}
        The scaling of each input column.
    target : {"standard", "none"}
        The scaling of the targets.
    check : callable
        Refuses rows that cannot be used.
    """
    one = table.fetch(np.zeros(1, dtype=np.intp))
    first = _Both(one.X[0], one.y[0])
    total = table.total_weight
    profiles = validated_reduce(table, check, partial(_profiles, total, first))
    centres = _Both(_Centre.of(profiles.X, first.X), _Centre.of(profiles.y, first.y))
    squares = table.reduce(partial(_squares, total, centres))
    alone = np.array([kind == NONE for kind in columns])
    target_alone = np.full(table.n_outputs, target == NONE)
    return centres.X.scaling(squares.X, alone), centres.y.scaling(squares.y, target_alone)


def _profiles(total: float, first: _Both[Floats], start: int, rows: Rows) -> _Both[_Profile]:
    share = _shares(rows, total)
    return _Both(_Profile.of(rows.X, share, first.X), _Profile.of(rows.y, share, first.y))


def _squares(
    total: float, centres: _Both[_Centre], start: int, rows: Rows
) -> _Both[ColumnSum] | None:
    if not len(rows):
        return None
    share = _shares(rows, total)
    return _Both(centres.X.squares(rows.X, share), centres.y.squares(rows.y, share))


def _shares(rows: Rows, total: float) -> Floats:
    """Return the share of each row in the whole table: (b, 1)."""
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    return np.asarray((weight / total)[:, None])
