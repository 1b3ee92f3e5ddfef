"""Features of time: earlier targets and earlier values of columns, and the last target as mean.

A row that is learned gets the values of the rows before it. A row that is predicted is taken as the
next one after the last row learned, wherever it stands among the rows to predict: the targets in
between are not known. Before the first row everything is taken to have been as in that row.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import Array

__all__ = ["History", "Lags"]


@dataclass(frozen=True)
class Lags:
    """Which earlier values are features."""

    target: int = 0  # the number of earlier targets
    columns: tuple[tuple[int, int], ...] = ()  # position, and number of earlier values
    last_mean: bool = False  # whether the last target is the mean of the next

    @property
    def any(self) -> bool:
        """Whether anything of earlier rows is needed."""
        return self.last_mean or self.n_targets > 0 or bool(self.columns)

    @property
    def n_targets(self) -> int:
        """How many earlier targets are kept."""
        return max(self.target, int(self.last_mean))

    @property
    def n_rows(self) -> int:
        """How many earlier rows are kept."""
        return max((count for _, count in self.columns), default=0)

    def n_features(self, n_outputs: int) -> int:
        """Return the number of features that are added."""
        return self.target * n_outputs + sum(count for _, count in self.columns)

    def names(self, n_outputs: int, columns: Sequence[str]) -> list[str]:
        """Return the names of the features that are added.

        >>> Lags(1, ((0, 2),)).names(1, ["load"])
        ['target, 1 before', 'load, 1 before', 'load, 2 before']
        """
        outputs = ["target"] if n_outputs == 1 else [f"target {c}" for c in range(n_outputs)]
        own = [(name, back) for back in range(1, self.target + 1) for name in outputs]
        others = [(columns[j], back) for j, n in self.columns for back in range(1, n + 1)]
        return [f"{name}, {back} before" for name, back in own + others]


@dataclass(frozen=True)
class History:
    """The last rows, oldest first."""

    lags: Lags
    X: Array  # (p, D)
    Y: Array  # (k, K); both are empty before the first row

    @classmethod
    def empty(cls, lags: Lags, n_columns: int, n_outputs: int) -> "History":
        """Return the history before the first row."""
        return cls(lags, np.empty((0, n_columns)), np.empty((0, n_outputs)))

    @property
    def last(self) -> Array:
        """The last target: (K,)."""
        return self.Y[-1]

    def for_learning(self, X: Array, Y: Array) -> tuple[Array, Array]:
        """Return inputs with features of time, and targets minus their means."""
        if not self.lags.any:
            return X, Y
        targets, rows = (
            _preceded(self.Y, Y, self.lags.n_targets),
            _preceded(self.X, X, self.lags.n_rows),
        )
        n = len(X)
        parts = [X]
        parts += [_back(targets, n, back) for back in range(1, self.lags.target + 1)]
        for j, count in self.lags.columns:
            parts += [_back(rows, n, back)[:, [j]] for back in range(1, count + 1)]
        return np.hstack(parts), Y - _back(targets, n, 1) if self.lags.last_mean else Y

    def for_prediction(self, X: Array) -> Array:
        """Return inputs with features of time, each row as the next one."""
        if not self.lags.any:
            return X
        own = [self.Y[-back] for back in range(1, self.lags.target + 1)]
        own += [self.X[-back, [j]] for j, n in self.lags.columns for back in range(1, n + 1)]
        if not own:
            return X
        return np.hstack((X, np.tile(np.concatenate(own), (len(X), 1))))

    def after(self, X: Array, Y: Array) -> "History":
        """Return the history after rows."""
        if not self.lags.any or not len(X):
            return self
        return History(
            self.lags,
            _latest(_preceded(self.X, X, self.lags.n_rows), self.lags.n_rows),
            _latest(_preceded(self.Y, Y, self.lags.n_targets), self.lags.n_targets),
        )


def _preceded(earlier: Array, values: Array, count: int) -> Array:
    """Return values after ``count`` earlier ones; the first value stands for those before it."""
    missing = count - len(earlier)
    first = earlier[:1] if len(earlier) else values[:1]
    return np.concatenate((np.repeat(first, missing, axis=0), earlier, values))


def _back(values: Array, n: int, back: int) -> Array:
    """Return, for the last n of the values, those ``back`` before each."""
    return values[len(values) - n - back : len(values) - back]


def _latest(values: Array, count: int) -> Array:
    return values[len(values) - count :].copy()
