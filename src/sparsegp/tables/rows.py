"""Rows of a table as the algebra sees them, and how a pass over them is cut into blocks.

Everything the model needs from the data is a sum over rows, so a pass never holds more than
a block of kernel values. Blocks are small enough to stay in the processor's cache between
the elementwise steps and large enough for the matrix products to run at full speed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sparsegp.arrays import Array, namespace, on_host
from sparsegp.exceptions import NotInFileError

__all__ = ["Rows", "block_size", "block_size_for", "needed_rows"]

BLOCK_BYTES = 8 * 2**20
SMALLEST_BLOCK = 256
# On a device blocks need fit no cache, and small ones would leave it idle.
BLOCK_BYTES_ON_DEVICE = 512 * 2**20


def block_size(width: int, block_bytes: int = BLOCK_BYTES) -> int:
    """Return how many rows of ``width`` kernel values make a block.

    >>> block_size(1024)
    1024
    """
    return max(SMALLEST_BLOCK, block_bytes // (8 * max(width, 1)))


def block_size_for(X: Array, width: int) -> int:
    """Return how many rows make a block where X lives."""
    return block_size(width) if on_host(X) else block_size(width, BLOCK_BYTES_ON_DEVICE)


@dataclass(frozen=True)
class Rows:
    """Inputs, targets, how often each row counts and how noisy it is."""

    X: Array  # (n, D)
    y: Array  # (n, p)
    weight: Array | None = None  # (n,), positive; None: every row counts once
    noise_factor: Array | None = None  # (n,), r, on the noise variance; None: one for all rows

    def __len__(self) -> int:
        return int(self.X.shape[0])

    @property
    def total_weight(self) -> float:
        """Σ weight: the number of rows if a row of weight s is s rows."""
        if self.weight is None:
            return float(len(self))
        return float(namespace(self.weight).sum(self.weight))

    def __getitem__(self, part: slice) -> "Rows":
        weight = None if self.weight is None else self.weight[part]
        noise_factor = None if self.noise_factor is None else self.noise_factor[part]
        return Rows(self.X[part, :], self.y[part, :], weight, noise_factor)

    def take(self, indices: Array) -> "Rows":
        """Return the rows at these positions."""
        xp = namespace(self.X)
        chosen = xp.asarray(indices, device=self.X.device)
        weight = None if self.weight is None else xp.take(self.weight, chosen)
        noise_factor = None if self.noise_factor is None else xp.take(self.noise_factor, chosen)
        X, y = xp.take(self.X, chosen, axis=0), xp.take(self.y, chosen, axis=0)
        return Rows(X, y, weight, noise_factor)

    def by_precision(self) -> "Rows":
        """Return rows that count s/r times instead of having a noise of their own.

        Sums ΦᵀWΦ and ΦᵀWy are the same, and a choice by them is; normalisers are not.
        """
        if self.noise_factor is None:
            return self
        precision = 1.0 / self.noise_factor
        return Rows(self.X, self.y, precision if self.weight is None else self.weight * precision)

    def blocks(self, size: int) -> Iterator["Rows"]:
        """Yield consecutive parts of ``size`` rows; the last may be shorter."""
        for start in range(0, len(self), size):
            yield self[start : min(start + size, len(self))]


def needed_rows(rows: Any, wanted: str) -> Any:
    """Refuse to go on without training rows, which a model that was loaded does not have."""
    if rows is None:
        raise NotInFileError(
            f"{wanted} needs the training rows, which a model file does not hold: ask the "
            "estimator that was fitted"
        )
    return rows
