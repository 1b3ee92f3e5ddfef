"""The hyperparameters of a regression model as one vector of logarithms."""

from dataclasses import dataclass, replace

import numpy as np

from sparsegp.arrays import Array, to_numpy
from sparsegp.kernels.base import FIXED, Bounds, Kernel, Vector

__all__ = ["Parameters"]


@dataclass(frozen=True)
class Parameters:
    """A kernel and a noise variance, each free within bounds or fixed.

    >>> from sparsegp.kernels import RBF
    >>> Parameters(RBF(2.0), 0.1).vector.round(3)
    array([ 0.693, -2.303])
    """

    kernel: Kernel
    noise_variance: float
    noise_bounds: Bounds = (1e-6, 1e2)
    shared: bool = False  # a prior holds the length scales together (``shared_length_scales``)

    @property
    def vector(self) -> Vector:
        """Logarithms of the free hyperparameters: the kernel's theta, then the noise."""
        if self.noise_bounds == FIXED:
            return self.kernel.theta
        return np.append(self.kernel.theta, np.log(self.noise_variance))

    @property
    def bounds(self) -> Vector:
        """Limits of the vector: (q, 2)."""
        if self.noise_bounds == FIXED:
            return self.kernel.bounds
        return np.vstack((self.kernel.bounds, np.log([self.noise_bounds])))

    def with_vector(self, vector: Vector) -> "Parameters":
        """Return the same model at other hyperparameters."""
        if self.noise_bounds == FIXED:
            return replace(self, kernel=self.kernel.with_theta(vector))
        kernel = self.kernel.with_theta(vector[:-1])
        return replace(self, kernel=kernel, noise_variance=float(np.exp(vector[-1])))

    def with_noise(self, variance: float) -> "Parameters":
        """Return the same kernel with another noise variance."""
        return replace(self, noise_variance=float(variance))

    def gradient(self, by_theta: Array, by_log_noise: float) -> Vector:
        """Put derivatives in the order of the vector."""
        theta = to_numpy(by_theta)
        return theta if self.noise_bounds == FIXED else np.append(theta, by_log_noise)
