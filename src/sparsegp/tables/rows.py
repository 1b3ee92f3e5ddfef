"""Rows as the algebra sees them, and how a pass over them is cut into blocks.

Everything the model needs from the data is a sum over rows, so a pass never holds more than a block
of kernel values.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np

from sparsegp.arrays import Array, is_numpy, namespace, on_host, to_numpy
from sparsegp.exceptions import NotInFileError
from sparsegp.tables.policy import BLOCK_BYTES, BLOCK_BYTES_ON_DEVICE, SMALLEST_BLOCK
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["Rows", "block_size", "block_size_for", "needed_rows"]

T = TypeVar("T")


def block_size(width: int, block_bytes: int = BLOCK_BYTES) -> int:
    """Return how many rows of ``width`` kernel values make a block.

    >>> block_size(1024)
    1024
    """
    return max(SMALLEST_BLOCK, block_bytes // (8 * max(width, 1)))


def block_size_for(X: Array, width: int) -> int:
    """Return how many rows make a block on the device of X."""
    return block_size(width) if on_host(X) else block_size(width, BLOCK_BYTES_ON_DEVICE)


@dataclass(frozen=True)
class Rows:
    """Inputs, targets, weights and noise factors of rows in memory or on a device."""

    X: Array  # (n, D)
    y: Array  # (n, p)
    weight: Array | None = None  # (n,), positive; None: every row counts once
    noise_factor: Array | None = None  # (n,), r, on the noise variance; None: one for all rows

    is_out_of_core: ClassVar[Literal[False]] = False

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @property
    def n_columns(self) -> int:
        """The number of input columns."""
        return int(self.X.shape[1])

    @property
    def n_outputs(self) -> int:
        """The number of target columns."""
        return int(self.y.shape[1])

    @property
    def on_host(self) -> bool:
        """Whether the rows are NumPy arrays in double precision."""
        return is_numpy(self.X)

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.weight is not None

    @property
    def total_weight(self) -> float:
        """Σ weight: the number of rows if a row of weight s is s rows."""
        if self.weight is None:
            return float(len(self))
        return float(namespace(self.weight).sum(self.weight))

    def in_single_precision(self) -> "Rows":
        """Return the rows as arrays of single precision."""
        xp = namespace(self.X)

        def single(values: Array | None) -> Array | None:
            return None if values is None else xp.astype(values, xp.float32)

        X, y = xp.astype(self.X, xp.float32), xp.astype(self.y, xp.float32)
        return Rows(X, y, single(self.weight), single(self.noise_factor))

    def __getitem__(self, part: slice) -> "Rows":
        weight = None if self.weight is None else self.weight[part]
        noise_factor = None if self.noise_factor is None else self.noise_factor[part]
        return Rows(self.X[part, :], self.y[part, :], weight, noise_factor)

    def take(self, indices: Any) -> "Rows":
        """Return the rows at these positions."""
        xp = namespace(self.X)
        chosen = xp.asarray(indices, device=self.X.device)
        weight = None if self.weight is None else xp.take(self.weight, chosen)
        noise_factor = None if self.noise_factor is None else xp.take(self.noise_factor, chosen)
        X, y = xp.take(self.X, chosen, axis=0), xp.take(self.y, chosen, axis=0)
        return Rows(X, y, weight, noise_factor)

    def subset(self, indices: Any) -> "Rows":
        """Return the rows at these positions, which may be many."""
        return self.take(np.asarray(indices))

    def load(self) -> "Rows":
        """Return the rows in memory, where they are already."""
        return self

    def to_host(self) -> "Rows":
        """Return the rows as NumPy arrays, for what is decided on the host by a few of them."""
        if self.on_host:
            return self
        arrays = (self.X, self.y, self.weight, self.noise_factor)
        return Rows(*(None if each is None else to_numpy(each) for each in arrays))  # type: ignore[arg-type]

    def reduce(self, work: Callable[..., T], *beside: Array, on_device: bool = False) -> T:
        """Return what ``work`` makes of all rows; arrays ``beside`` have one line per row.

        ``on_device`` matters to rows out of core alone: these are where they are.
        """
        return work(self, *beside)

    def with_targets(self, targets: Scaling | Warps) -> "Rows":
        """Return the rows with transformed targets."""
        return replace(self, y=targets.apply(self.y))

    def by_precision(self) -> "Rows":
        """Return rows of weight s/r in place of rows with noise factors r.

        Sums ΦᵀWΦ and ΦᵀWy are the same, and so is a selection by them; normalisers are not.
        """
        if self.noise_factor is None:
            return self
        precision = 1.0 / self.noise_factor
        return Rows(self.X, self.y, precision if self.weight is None else self.weight * precision)

    def blocks(self, size: int) -> Iterator["Rows"]:
        """Yield consecutive blocks of ``size`` rows; the last may be shorter."""
        for start in range(0, len(self), size):
            yield self[start : min(start + size, len(self))]


def needed_rows(rows: Any, purpose: str) -> Any:
    """Return the training rows, or say that a model loaded from a file has none."""
    if rows is None:
        raise NotInFileError(
            f"{purpose} needs the training rows, which a model file does not hold: use the "
            "estimator that was fitted"
        )
    return rows
