"""Squared errors of predictions, summed part by part: what R² is made of."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["R2Sums"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class R2Sums:
    """What R² is made of, for p outputs; the sum of those of two tables is that of both.

    >>> y, mean = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0], [1.0]])
    >>> parts = [R2Sums.of(y[:1], mean[:1]), R2Sums.of(y[1:], mean[1:])]
    >>> (parts[0] + parts[1]).r2
    0.5
    """

    total_weight: float
    centre: Floats  # (p,), the mean of y
    total_squares: Floats  # (p,), Σ s (y − centre)²
    error: Floats  # (p,), Σ s (y − mean)²

    @classmethod
    def of(cls, y: Floats, mean: Floats, weight: Floats | None = None) -> "R2Sums":
        """Sum over rows y (n, p), predicted as mean (n, p), of weights (n,)."""
        share = np.ones((len(y), 1)) if weight is None else weight[:, None]
        centre = np.sum(share * y, axis=0) / np.sum(share)
        total_squares, error = (
            np.sum(share * (y - about) ** 2, axis=0) for about in (centre, mean)
        )
        return cls(float(np.sum(share)), centre, total_squares, error)

    def __add__(self, other: "R2Sums") -> "R2Sums":
        total = self.total_weight + other.total_weight
        apart, share = other.centre - self.centre, other.total_weight / total
        return R2Sums(
            total,
            self.centre + share * apart,
            self.total_squares + other.total_squares + self.total_weight * share * apart**2,
            self.error + other.error,
        )

    @property
    def r2(self) -> float:
        """1 − error/total, the mean over outputs; of a constant y 1 if it is met, else 0."""
        varies = self.total_squares > 0.0
        constant = np.where(self.error > 0.0, 0.0, 1.0)
        share = self.error / np.where(varies, self.total_squares, 1.0)
        return float(np.mean(np.where(varies, 1.0 - share, constant)))
