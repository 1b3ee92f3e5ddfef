"""Transforms of columns and target that the user gave, and which are left open."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.structure import policy
from sparsegp.tables.transforms.columns import LOG, QUANTILE, STANDARD, ColumnType, column_type

__all__ = ["AUTO", "TransformOptions", "kinds_of_target", "monotone_kinds", "open_columns"]

AUTO = "auto"


@dataclass(frozen=True)
class TransformOptions:
    """The transform of each column and of the target; "auto" leaves it open."""

    columns: tuple[str, ...]
    target: str


def open_columns(
    X: Vector, weight: Vector | None, options: Sequence[str], kernel: Kernel, decides: bool
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the first transform of each column, and which columns are left open.

    Normal scores are useless for few distinct values, codes of categories must not change, and a
    period means nothing on a warped column.
    """
    coded = kernel.coded_columns(X.shape[1]) | kernel.periodic_columns(X.shape[1])
    kinds, free = [], []
    for column, kind in enumerate(options):
        if kind == AUTO and (column in coded or not decides):
            kinds.append(STANDARD)
        elif kind == LOG:
            constant = column_type(X[:, column], weight) is ColumnType.CONSTANT
            kinds.append(STANDARD if constant else LOG)
        elif kind in (AUTO, QUANTILE):
            found = column_type(X[:, column], weight)
            if found is ColumnType.CONTINUOUS and kind == AUTO:
                free.append(column)
            scored = found is ColumnType.RARE
            scored |= found is ColumnType.CONTINUOUS and kind == QUANTILE
            kinds.append(QUANTILE if scored else STANDARD)
        else:
            kinds.append(kind)
    return tuple(kinds), tuple(free)


def kinds_of_target(
    y: Vector, weight: Vector | None, options: str, decides: bool, positive: bool
) -> tuple[str, ...]:
    """Return the kinds of target to be tried, the plain one first.

    A value that most rows share has no density: a warp would gain without limit by stretching the
    target around it. Few positive targets do not tell that none is zero.
    """
    if options != AUTO:
        return (options,)
    if not decides or any(
        _largest_share(column, weight) > policy.MAX_SHARE_OF_ONE_VALUE for column in y.T
    ):
        return (STANDARD,)
    kinds = (STANDARD, "sinh-arcsinh")
    return (*kinds, "log") if positive and len(y) >= policy.MIN_ROWS_FOR_LOGARITHM else kinds


def _largest_share(y: Vector, weight: Vector | None) -> float:
    """Return the share of the rows that have the most frequent value."""
    _, position = np.unique(y, return_inverse=True)
    count = np.bincount(position.ravel(), weights=weight)
    return float(count.max() / count.sum())


def monotone_kinds(X: Vector, *, logarithms: bool) -> tuple[str, ...]:
    """Return the warp of each column (n, D): normal scores or, with a wide range, logarithms."""
    low, high = np.min(X, axis=0), np.max(X, axis=0)
    wide = (low > 0.0) & (high >= policy.WIDE_RANGE * low)
    return tuple(LOG if logarithms and is_wide else QUANTILE for is_wide in wide)
