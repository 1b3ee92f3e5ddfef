"""Gaussian factors that stand in for labels: exp(−½ w f² + τ f)."""

from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import Array

__all__ = ["Sites"]


@dataclass(frozen=True)
class Sites:
    """One factor for each row, or for each row and column of labels.

    The shift, precision × location, stays finite where a label says nothing.
    """

    precision: Array  # (n,) or (n, C), w ≥ 0
    shift: Array  # the same shape, τ

    @classmethod
    def none(cls, *shape: int) -> "Sites":
        """Return sites that say nothing."""
        return cls(np.zeros(shape), np.zeros(shape))

    def __len__(self) -> int:
        return len(self.precision)

    def first(self, size: int) -> "Sites":
        """Return the sites of the first rows."""
        return Sites(self.precision[:size], self.shift[:size])

    @property
    def vector(self) -> Array:
        """All numbers in a row: precisions, then shifts."""
        return np.concatenate((self.precision.ravel(), self.shift.ravel()))

    def with_vector(self, vector: Array) -> "Sites":
        """Return sites from such a vector; a precision below zero becomes zero."""
        precision, shift = vector.reshape(2, *self.shift.shape)
        return Sites(np.clip(precision, 0.0, None), shift)
