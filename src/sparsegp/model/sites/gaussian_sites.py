"""Gaussian sites that approximate likelihood factors: exp(−½ w f² + τ f)."""

from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import Array

__all__ = ["Sites"]


@dataclass(frozen=True)
class Sites:
    """One factor for each row, or for each row and column of labels.

    The shift, precision × location, stays finite for an uninformative label with w = 0.
    """

    precision: Array  # (n,) or (n, C), w ≥ 0
    shift: Array  # the same shape, τ

    @classmethod
    def none(cls, *shape: int) -> "Sites":
        """Return uninformative sites: precision and shift zero."""
        return cls(np.zeros(shape), np.zeros(shape))

    def __len__(self) -> int:
        return len(self.precision)

    def first(self, size: int) -> "Sites":
        """Return the sites of the first rows."""
        return Sites(self.precision[:size], self.shift[:size])

    @property
    def vector(self) -> Array:
        """One vector of all precisions, then all shifts."""
        return np.concatenate((self.precision.ravel(), self.shift.ravel()))

    def with_vector(self, vector: Array) -> "Sites":
        """Return sites from such a vector; negative precisions become zero."""
        precision, shift = vector.reshape(2, *self.shift.shape)
        return Sites(np.clip(precision, 0.0, None), shift)
