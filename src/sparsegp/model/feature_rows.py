"""Features of rows, block by block, and passes over them in memory or out of core.

A pass is a function of rows that returns a sum and arrays with an entry for each row. Rows in
memory are one part. Out-of-core rows have many: the function runs on each part with the entries of
its rows, sums are added where the rows are stored, and the arrays come back in row order.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from operator import add
from typing import Any, TypeVar

import numpy as np

from sparsegp.arrays import Array, map_shares, n_threads, thread_shares, to_numpy
from sparsegp.model.features import Basis, residual_variances
from sparsegp.model.policy import KEPT_BYTES
from sparsegp.tables.out_of_core import AnyRows, OutOfCoreRows
from sparsegp.tables.rows import Rows, block_size_for

__all__ = ["AnyFeatureRows", "FeatureRows", "OutOfCoreFeatureRows", "PassResult", "feature_rows"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class PassResult:
    """Result of a pass; ``a + b`` is that over the rows of a followed by the rows of b."""

    total: Any
    parts: tuple[tuple[Array, ...], ...]  # for each part, arrays with an entry for each row

    @property
    def by_row(self) -> list[Array]:
        """The arrays of all rows: (n, …) each."""
        if len(self.parts) == 1:
            return list(self.parts[0])
        return [np.concatenate(each) for each in zip(*self.parts, strict=True)]

    def __add__(self, other: "PassResult") -> "PassResult":
        return PassResult(self.total + other.total, self.parts + other.parts)


class FeatureRows:
    """Features of rows in memory, kept between passes if there is room."""

    is_out_of_core = False

    def __init__(self, basis: Basis, rows: Rows, *, keep: bool = True) -> None:
        self.basis, self.rows = basis, rows
        n, m = len(rows), basis.Z.shape[0]
        size = block_size_for(rows.X, m)
        parts = [slice(start, min(start + size, n)) for start in range(0, n, size)]
        self.shares = thread_shares(parts, n_threads() if rows.on_host else 1)
        self._keep = keep and 8 * n * m <= KEPT_BYTES
        self._kept: dict[int, tuple[Array, Array]] = {}

    def over(self, parts: Sequence[slice]) -> Iterator[tuple[slice, Array, Array]]:
        """Yield the slice, features Φ (b, m) and residual variances d (b,) of blocks.

        Φ is where the rows are; numbers of single rows, such as d, are on the host.
        """
        for part in parts:
            made = self._kept.get(part.start)
            if made is None:
                X = self.rows.X[part, :]
                Phi = self.basis.features(X)
                d = to_numpy(residual_variances(self.basis.kernel, X, Phi))
                made = Phi, np.clip(d, 0.0, None)
                if self._keep:
                    self._kept[part.start] = made
            yield part, *made

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def targets(self) -> Array:
        """Targets of all rows, on the host: (n, p)."""
        return to_numpy(self.rows.y)

    @cached_property
    def weights(self) -> Array | None:
        """Weight of each row, on the host: (n,); None if all weights are one."""
        return None if self.rows.weight is None else to_numpy(self.rows.weight)

    def weight(self, part: slice) -> Array:
        """Return the weight of each row of a block: (b,)."""
        return np.ones(part.stop - part.start) if self.weights is None else self.weights[part]

    def reduce(self, of_share: Callable[[Sequence[slice]], Result]) -> Result:
        """Sum a function over the shares of blocks of all threads."""
        return reduce(add, map_shares(of_share, self.shares))

    def run_pass(self, work: Callable[..., PassResult], *beside: Array) -> PassResult:
        """Run a pass over all rows; the arrays ``beside`` have an entry for each row."""
        return work(self, *beside)


class OutOfCoreFeatureRows:
    """Features of out-of-core rows, recomputed in every pass where the rows are stored."""

    is_out_of_core = True

    def __init__(self, basis: Basis, rows: OutOfCoreRows) -> None:
        self.basis, self.rows = basis, rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def weights(self) -> Array | None:
        """Weight of each row: (n,); None if all weights are one."""
        return self.run_pass(_weights).by_row[0] if self.rows.is_weighted else None

    def run_pass(self, work: Callable[..., PassResult], *beside: Array) -> PassResult:
        """Run a pass over each part; the arrays ``beside`` have an entry for each row."""
        return self.rows.reduce(partial(_of_part, self.basis, work), *beside)


#: Features of rows in memory or out of core.
AnyFeatureRows = FeatureRows | OutOfCoreFeatureRows


def feature_rows(basis: Basis, rows: AnyRows) -> AnyFeatureRows:
    """Return the features of rows in memory or out of core."""
    return OutOfCoreFeatureRows(basis, rows) if rows.is_out_of_core else FeatureRows(basis, rows)


def _of_part(
    basis: Basis, work: Callable[..., PassResult], rows: Rows, *beside: Array
) -> PassResult:
    return work(FeatureRows(basis, rows, keep=False), *beside)


def _weights(features: FeatureRows) -> PassResult:
    weight = features.rows.weight
    return PassResult(0.0, (() if weight is None else (weight,),))
