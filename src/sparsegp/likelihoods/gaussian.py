"""Gaussian noise: p(y | f) = N(y | f, σ²)."""

from dataclasses import dataclass
from math import pi

import numpy as np
from scipy.special import ndtr

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief
from sparsegp.likelihoods.support import check_real

__all__ = ["Gaussian"]


@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise of variance σ² (CO eq. 4.2).

    >>> float(Gaussian(0.5).moment_match(np.array([2.0]), np.array([1.0]), np.array([1.5])).q[0])
    0.5
    """

    noise_variance: float = 0.1

    def log_density(self, y: Array, f: Array) -> Array:
        """Return log p(y | f), elementwise."""
        return -0.5 * ((y - f) ** 2 / self.noise_variance + np.log(2.0 * pi * self.noise_variance))

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance) times the likelihood (CO eq. 4.3, 4.4)."""
        total, error = variance + self.noise_variance, y - mean
        q = error / total
        return Belief(-0.5 * (error * q + np.log(2.0 * pi * total)), q, -1.0 / total)

    def weighted(self, weight: float) -> "Gaussian":
        """Return the noise of the mean of ``weight`` equal rows."""
        return Gaussian(self.noise_variance / weight)

    @staticmethod
    def support(y: Array) -> None:
        """Raise a ValueError for a target that is not a finite number."""
        check_real(y)

    def target_moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance of y for f ~ N(mean, variance): (n,) each."""
        return mean, variance + self.noise_variance

    def target_cdf(self, y: Array, mean: Array, variance: Array) -> Array:
        """Return P(target ≤ y) for f ~ N(mean, variance): (n,)."""
        return ndtr((y - mean) / np.sqrt(variance + self.noise_variance))

    def draw(self, f: Array, rng: np.random.Generator) -> Array:
        """Draw targets given f, elementwise."""
        return f + self.noise_variance**0.5 * rng.standard_normal(f.shape)
