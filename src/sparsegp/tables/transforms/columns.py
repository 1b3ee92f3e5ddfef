"""Transforms of the columns of a table: none, scaled, by quantiles or logarithms.

A column of at most ``FEW_VALUES`` distinct values is discrete: normal scores say nothing of it. One
that is almost constant is the exception: its rare values, which would be dozens of standard
deviations away, get a score of 3 or 4.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import is_of_other_library, namespace, take
from sparsegp.tables.policy import (
    ALMOST_CONSTANT,
    CONSTANT_COLUMN,
    FEW_VALUES,
    SMALLEST_RANGE,
)
from sparsegp.tables.transforms.quantiles import QuantileMap, fit_logarithm, fit_quantiles
from sparsegp.tables.transforms.scaling import Scaling, fit_scaling

__all__ = [
    "COMMON",
    "LOG",
    "NONE",
    "QUANTILE",
    "STANDARD",
    "ColumnType",
    "Columns",
    "column_type",
    "fit_columns",
]

Floats = npt.NDArray[np.float64]

NONE, STANDARD, COMMON, QUANTILE, LOG = "none", "standard", "common", "quantile", "log"


class ColumnType(Enum):
    """The distribution of the values of a column, roughly."""

    CONSTANT = "constant"
    RARE = "almost constant"
    DISCRETE = "few values"
    CONTINUOUS = "continuous"


@dataclass(frozen=True)
class Columns:
    """Columns that are scaled, and some of them then mapped by quantiles or logarithms."""

    scaling: Scaling
    maps: tuple[QuantileMap | None, ...]  # one per column, of the scaled values

    def apply(self, X: Floats) -> Floats:
        """Transform a table (n, D)."""
        return _mapped(self.scaling.apply(X), self.maps, QuantileMap.apply)

    def invert(self, X: Floats) -> Floats:
        """Return the table in its own units."""
        return self.scaling.invert(_mapped(X + 0.0, self.maps, QuantileMap.invert))


def _mapped(
    X: Floats,
    maps: Sequence[QuantileMap | None],
    work: Callable[[QuantileMap, Floats], Floats],
) -> Floats:
    """Map columns where the table is; NumPy's are overwritten."""
    if is_of_other_library(X):  # not every library has arrays that change
        columns = [X[:, i] if each is None else work(each, X[:, i]) for i, each in enumerate(maps)]
        return namespace(X).stack(columns, axis=1)
    for column, each in enumerate(maps):
        if each is not None:
            X[:, column] = work(each, X[:, column])
    return X


def column_type(x: Floats, weight: Floats | None) -> ColumnType:
    """Return the type of a column (n,).

    >>> column_type(np.arange(11.0), None), column_type(np.array([0.0, 1.0]), None)
    (<ColumnType.CONTINUOUS: 'continuous'>, <ColumnType.DISCRETE: 'few values'>)
    """
    if np.ptp(x) <= max(CONSTANT_COLUMN * np.max(np.abs(x)), SMALLEST_RANGE):
        return ColumnType.CONSTANT
    values, position = np.unique(x, return_inverse=True)
    count = np.bincount(position.ravel(), weights=weight)
    if count.max() >= ALMOST_CONSTANT * count.sum():
        return ColumnType.RARE
    return ColumnType.DISCRETE if len(values) <= FEW_VALUES else ColumnType.CONTINUOUS


def fit_columns(X: Floats, weight: Floats | None, kinds: Sequence[str]) -> Scaling | Columns:
    """Learn the transforms of a table (n, D), one kind per column.

    A column with quantiles or logarithms must not be constant.

    >>> X = np.arange(100.0)[:, None] ** 4
    >>> fit_columns(X, None, ["quantile"]).apply(X)[[0, 50, 99], 0].round(3)
    array([-2.576,  0.013,  2.576])
    """
    scaling = _scaling_of(X, weight, kinds)
    if QUANTILE not in kinds and LOG not in kinds:
        return scaling
    scaled = scaling.apply(X)
    maps: list[QuantileMap | None] = [None] * len(kinds)
    for column, kind in enumerate(kinds):
        if kind == QUANTILE:
            maps[column] = fit_quantiles(scaled[:, column], weight)
        elif kind == LOG:
            offset, scale = float(scaling.offset[column]), float(scaling.scale[column])
            _check_positive(X[:, column], column)
            maps[column] = fit_logarithm(X[:, column], offset, scale, weight)
    return Columns(scaling, tuple(maps))


def _check_positive(x: Floats, column: int) -> None:
    if np.min(x) <= 0.0:
        raise ValueError(
            f"transform_X='log' needs positive numbers, but the column at position {column} has "
            f"{np.min(x):g}: use 'quantile' or 'standard' for it"
        )


def _scaling_of(X: Floats, weight: Floats | None, kinds: Sequence[str]) -> Scaling:
    if all(kind == NONE for kind in kinds):
        return fit_scaling(X, weight, NONE)
    xp, scaling = namespace(X), fit_scaling(X, weight, STANDARD)
    together = [column for column, kind in enumerate(kinds) if kind == COMMON]
    if together:
        common = fit_scaling(take(X.T, np.array(together)).T, weight, COMMON).scale
        parts = [scaling.scale[i : i + 1] for i in range(len(kinds))]
        for position, column in enumerate(together):
            parts[column] = common[position : position + 1]
        scaling = replace(scaling, scale=xp.concat(parts))
    if NONE not in kinds:
        return scaling
    alone = xp.asarray([kind == NONE for kind in kinds], device=X.device)
    return Scaling(
        xp.where(alone, xp.zeros_like(scaling.offset), scaling.offset),
        xp.where(alone, xp.ones_like(scaling.scale), scaling.scale),
    )
