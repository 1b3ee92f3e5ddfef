"""The hyperparameters of a classifier as one vector."""

from dataclasses import dataclass, replace

import numpy as np

from sparsegp.arrays import Array, to_numpy
from sparsegp.kernels.base import FIXED, Bounds, Kernel, Vector
from sparsegp.likelihoods import Probit

__all__ = ["ClassParameters"]


@dataclass(frozen=True)
class ClassParameters:
    """A kernel, the slope of the probits and a bias for each column of labels.

    The vector holds the kernel's theta, log slope and biases, as far as they are free.
    """

    kernel: Kernel
    slope: float = 1.0
    biases: tuple[float, ...] = (0.0,)
    slope_bounds: Bounds = (1e-2, 1e2)
    bias_bounds: tuple[float, float] | str = (-10.0, 10.0)

    @property
    def probits(self) -> tuple[Probit, ...]:
        """One likelihood for each column of labels."""
        return tuple(Probit(self.slope, bias) for bias in self.biases)

    def with_slope(self, slope: float) -> "ClassParameters":
        """Return the same with another slope, if it is free, at free biases that mean the same."""
        if self.slope_bounds == FIXED:
            return self
        low, high = (float(limit) for limit in self.slope_bounds)
        new = min(max(slope, low), high)
        if self.bias_bounds == FIXED:
            return replace(self, slope=new)
        biases = tuple(bias * self.slope / new for bias in self.biases)
        return replace(self, slope=new, biases=biases)

    @property
    def vector(self) -> Vector:
        """Coordinates: (q,)."""
        return self.gradient(self.kernel.theta, np.log([self.slope]), np.array(self.biases))

    @property
    def bounds(self) -> Vector:
        """Limits of the vector: (q, 2)."""
        parts = [self.kernel.bounds]
        if self.slope_bounds != FIXED:
            parts.append(np.log([self.slope_bounds]))
        if self.bias_bounds != FIXED:
            parts.append(np.tile(np.asarray(self.bias_bounds), (len(self.biases), 1)))
        return np.vstack(parts)

    def with_vector(self, vector: Vector) -> "ClassParameters":
        """Return the same model at other hyperparameters."""
        theta, rest = np.split(vector, [len(self.kernel.theta)])
        changed: dict[str, object] = {"kernel": self.kernel.with_theta(theta)}
        if self.slope_bounds != FIXED:
            changed["slope"], rest = float(np.exp(rest[0])), rest[1:]
        if self.bias_bounds != FIXED:
            changed["biases"] = tuple(map(float, rest))
        return replace(self, **changed)  # type: ignore[arg-type]

    def gradient(self, by_theta: Array, by_log_slope: Array, by_bias: Array) -> Vector:
        """Put derivatives in the order of the vector; those by the slope add up."""
        parts = [to_numpy(by_theta)]
        if self.slope_bounds != FIXED:
            parts.append(np.atleast_1d(np.sum(by_log_slope)))
        if self.bias_bounds != FIXED:
            parts.append(to_numpy(by_bias))
        return np.concatenate(parts)
