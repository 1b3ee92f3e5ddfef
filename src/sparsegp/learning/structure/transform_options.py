"""What the user wants to become of columns and targets, and what of it is left open."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsegp.kernels.base import Kernel, Vector
from sparsegp.tables.transforms.columns import LOG, QUANTILE, STANDARD, ColumnType, column_type

__all__ = ["AUTO", "TransformOptions", "kinds_of_target", "monotone_kinds", "open_columns"]

AUTO = "auto"

# The largest value of a column over its smallest, from where its logarithm may be of use.
WIDE_RANGE = 10.0
# A target of which one value has more than this share of the rows is not bent.
MOST_ROWS = 0.5


@dataclass(frozen=True)
class TransformOptions:
    """What the user wants to become of each column and of the target; "auto" leaves it open."""

    columns: tuple[str, ...]
    target: str


def open_columns(
    X: Vector, weight: Vector | None, options: Sequence[str], kernel: Kernel, decides: bool
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return what becomes of each column for now, and which columns are left open.

    Normal scores say nothing of few values, and codes of categories must stay what they are.
    """
    coded = kernel.coded_columns(X.shape[1])
    kinds, free = [], []
    for column, kind in enumerate(options):
        if kind == AUTO and (column in coded or not decides):
            kinds.append(STANDARD)
        elif kind == LOG:
            constant = column_type(X[:, column], weight) is ColumnType.CONSTANT
            kinds.append(STANDARD if constant else LOG)
        elif kind in (AUTO, QUANTILE):
            character = column_type(X[:, column], weight)
            if character is ColumnType.CONTINUOUS and kind == AUTO:
                free.append(column)
            scored = character is ColumnType.RARE
            scored |= character is ColumnType.CONTINUOUS and kind == QUANTILE
            kinds.append(QUANTILE if scored else STANDARD)
        else:
            kinds.append(kind)
    return tuple(kinds), tuple(free)


def kinds_of_target(
    y: Vector, weight: Vector | None, options: str, decides: bool, positive: bool
) -> tuple[str, ...]:
    """Return the kinds of target to be tried, the plain one first.

    A value that most rows have is no matter of density: a curve would gain by stretching the
    target around it, without end.
    """
    if options != AUTO:
        return (options,)
    if not decides or any(_largest_share(column, weight) > MOST_ROWS for column in y.T):
        return (STANDARD,)
    return (STANDARD, "sinh-arcsinh", "log") if positive else (STANDARD, "sinh-arcsinh")


def _largest_share(y: Vector, weight: Vector | None) -> float:
    """Return the share of the rows that have the most frequent value."""
    _, position = np.unique(y, return_inverse=True)
    count = np.bincount(position.ravel(), weights=weight)
    return float(count.max() / count.sum())


def monotone_kinds(X: Vector, *, logarithms: bool) -> tuple[str, ...]:
    """Return what each column (n, D) is bent to: normal scores or, if it goes far, logarithms."""
    far = (np.min(X, axis=0) > 0.0) & (np.max(X, axis=0) >= WIDE_RANGE * np.min(X, axis=0))
    return tuple(LOG if logarithms and goes_far else QUANTILE for goes_far in far)
