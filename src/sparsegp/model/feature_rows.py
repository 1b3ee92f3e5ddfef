"""Features of rows at a basis, block by block, and passes over them wherever the rows are.

A pass is work on rows that gives a sum and arrays with a line for each row. Rows in memory are one
part. Far rows are many: the work goes to each of them with the lines that belong to its rows, the
sums are added where the rows lie, and the lines come back in the order of the rows.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any, TypeVar

import numpy as np

from sparsegp.arrays import Array, in_shares, n_threads, shares_of
from sparsegp.model.features import Basis, residual_variances
from sparsegp.tables.out_of_core import AnyRows, OutOfCoreRows
from sparsegp.tables.rows import Rows, block_size

__all__ = ["AnyFeatureRows", "FeatureRows", "OutOfCoreFeatureRows", "PassResult", "feature_rows"]

# Features of all rows are kept up to this many bytes, then recomputed in every sweep.
KEPT_BYTES = 512 * 2**20

Result = TypeVar("Result")


@dataclass(frozen=True)
class PassResult:
    """What a pass brings; ``a + b`` is that of the rows of a and, after them, of those of b."""

    total: Any
    parts: tuple[tuple[Array, ...], ...]  # of each part, arrays with a line a row

    @property
    def lines(self) -> list[Array]:
        """The arrays of all rows: (n, …) each."""
        if len(self.parts) == 1:
            return list(self.parts[0])
        return [np.concatenate(each) for each in zip(*self.parts, strict=True)]

    def __add__(self, other: "PassResult") -> "PassResult":
        return PassResult(self.total + other.total, self.parts + other.parts)


class FeatureRows:
    """Features of rows in memory, kept from sweep to sweep if there is room."""

    is_out_of_core = False

    def __init__(self, basis: Basis, rows: Rows, *, keep: bool = True) -> None:
        self.basis, self.rows = basis, rows
        n, m = len(rows), basis.Z.shape[0]
        size = block_size(m)
        parts = [slice(start, min(start + size, n)) for start in range(0, n, size)]
        self.shares = shares_of(parts, n_threads())
        self._keep = keep and 8 * n * m <= KEPT_BYTES
        self._kept: dict[int, tuple[Array, Array]] = {}

    def over(self, parts: Sequence[slice]) -> Iterator[tuple[slice, Array, Array]]:
        """Yield the slice, features Φ (b, m) and residual variances d (b,) of blocks."""
        for part in parts:
            made = self._kept.get(part.start)
            if made is None:
                X = self.rows.X[part]
                Phi = self.basis.features(X)
                d = np.clip(residual_variances(self.basis.kernel, X, Phi), 0.0, None)
                made = Phi, d
                if self._keep:
                    self._kept[part.start] = made
            yield part, *made

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def weights(self) -> Array | None:
        """How often each row counts: (n,); None: once."""
        return self.rows.weight

    def weight(self, part: slice) -> Array:
        """Return how often each row of a block counts: (b,)."""
        if self.rows.weight is None:
            return np.ones(part.stop - part.start)
        return self.rows.weight[part]

    def reduce(self, of_share: Callable[[Sequence[slice]], Result]) -> Result:
        """Return the sum of what each thread makes of its share of the blocks."""
        return reduce(add, in_shares(of_share, self.shares))

    def go_through(self, work: Callable[..., PassResult], *beside: Array) -> PassResult:
        """Do work on all rows; arrays ``beside`` them have a line for each."""
        return work(self, *beside)


class OutOfCoreFeatureRows:
    """Features of far rows, made anew in every pass, part by part where the rows lie."""

    is_out_of_core = True

    def __init__(self, basis: Basis, rows: OutOfCoreRows) -> None:
        self.basis, self.rows = basis, rows

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def weights(self) -> Array | None:
        """How often each row counts: (n,); None: once."""
        return self.go_through(_weights).lines[0] if self.rows.is_weighted else None

    def go_through(self, work: Callable[..., PassResult], *beside: Array) -> PassResult:
        """Do work on the rows of each part; arrays ``beside`` them have a line for each."""
        return self.rows.reduce(partial(_of_part, self.basis, work), *beside)


#: Features of rows, wherever they are.
AnyFeatureRows = FeatureRows | OutOfCoreFeatureRows


def feature_rows(basis: Basis, rows: AnyRows) -> AnyFeatureRows:
    """Return the features of rows, wherever they are."""
    return OutOfCoreFeatureRows(basis, rows) if rows.is_out_of_core else FeatureRows(basis, rows)


def _of_part(
    basis: Basis, work: Callable[..., PassResult], rows: Rows, *beside: Array
) -> PassResult:
    return work(FeatureRows(basis, rows, keep=False), *beside)


def _weights(features: FeatureRows) -> PassResult:
    return PassResult(0.0, ((features.rows.weight,),))
