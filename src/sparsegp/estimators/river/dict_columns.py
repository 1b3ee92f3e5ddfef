"""Rows that are dicts with varying features, as rows of an array.

A Gaussian process has a fixed set of columns: those of the first row, or those given in advance. By
the convention of river a row need not have them all. A missing feature is replaced by its mean;
a feature that is new since the first row is ignored, with one warning.
"""

import warnings
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.exceptions import FitWarning

__all__ = ["DictColumns", "Row"]

Row = Mapping[Hashable, Any]


class DictColumns:
    """The features, in the order of columns, and the running mean of each.

    Without names those of the first row are used: sorted, or in the order of the dict
    (``as_given``) if columns without names have been learned before.

    >>> columns = DictColumns()
    >>> _ = columns.learn({"b": 4.0, "a": 1.0})
    >>> columns.array({"a": 3.0})
    array([[3., 4.]])
    """

    def __init__(
        self, names: Iterable[Hashable] = (), *, strict: bool = False, as_given: bool = False
    ) -> None:
        self.names, self.strict, self.as_given = tuple(names), strict, as_given
        self._means: dict[Hashable, float] = {}
        self._counts: dict[Hashable, int] = {}
        self._warned = False

    def learn(self, x: Row) -> npt.NDArray[np.float64]:
        """Return a row as (1, D), and take it into account for the means."""
        names = self.names_for(x)
        row = self._row(x, names)
        self.count(x, row, names)
        return row

    def count(self, x: Row, row: npt.NDArray[np.float64], names: tuple[Hashable, ...]) -> None:
        """Take a row into account for the means; its array is ``row``."""
        self.names = names
        for name, value in zip(names, row[0].tolist(), strict=True):
            if not _is_missing(x.get(name)):
                count = self._counts.get(name, 0) + 1
                mean = self._means.get(name, 0.0)
                self._counts[name], self._means[name] = count, mean + (value - mean) / count

    def array(self, x: Row) -> npt.NDArray[np.float64]:
        """Return a row as (1, D); the means are unchanged."""
        return self._row(x, self.names_for(x))

    def names_for(self, x: Row) -> tuple[Hashable, ...]:
        """Return the names known, or those of x."""
        return self.names or tuple(x if self.as_given else sorted(x, key=str))

    def _row(self, x: Row, names: tuple[Hashable, ...]) -> npt.NDArray[np.float64]:
        if not names:
            raise ValueError("x has no features: the first row must have at least one")
        known = set(names)
        missing = [name for name in names if _is_missing(x.get(name))]
        new = [name for name in x if name not in known]
        if self.strict and (missing or new):
            raise ValueError(
                "x must have the features of the first row: "
                f"missing {sorted(map(str, missing))}, new {sorted(map(str, new))}"
            )
        if new and not self._warned:
            self._warned = True
            warnings.warn(
                f"x has features that the first row did not have: {sorted(map(str, new))}. They "
                "are ignored; pass the names of all features in features",
                FitWarning,
                stacklevel=4,
            )
        absent = set(missing)
        values = [self._means.get(n, 0.0) if n in absent else _number(n, x[n]) for n in names]
        return np.array([values])


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)  # noqa: PLR0124  (NaN)


def _number(name: Hashable, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"feature {name!r} must be a number, got {value!r}: encode it") from error
