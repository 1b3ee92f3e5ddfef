"""Counts with a log link: p(y | f) = exp(y f − exp f)/y!."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc, gammaln

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief
from sparsegp.likelihoods.support import check_counts
from sparsegp.likelihoods.tilted import belief_from_density

__all__ = ["Poisson"]

LARGEST_LOG_RATE = 500.0  # exp(709) overflows
# Deviations of the belief that a distribution function is integrated over, and nodes there.
REACH, N_NODES = 8.0, 400


@dataclass(frozen=True)
class Poisson:
    """Counts of mean exp f.

    >>> mean, _ = Poisson().target_moments(np.array([0.0]), np.array([2.0]))
    >>> float(mean[0].round(4))  # log-normal: exp(μ + ½v)
    2.7183
    """

    @staticmethod
    def log_density(y: Array, f: Array) -> Array:
        """Return log p(y | f), elementwise."""
        # beyond the largest rate the exponential is continued by its tangent, which is finite
        rate = np.exp(np.minimum(f, LARGEST_LOG_RATE))
        rate = rate * (1.0 + np.maximum(f - LARGEST_LOG_RATE, 0.0))
        return y * f - rate - gammaln(y + 1.0)

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance) times the likelihood of the counts."""
        return belief_from_density(self.log_density, y, mean, variance)

    @staticmethod
    def support(y: Array) -> None:
        """Raise a ValueError for a target that is not a count."""
        check_counts(y)

    @staticmethod
    def latent_guess(y: Array) -> Array:
        """Return a rough f for each count, from which first hyperparameters are learned."""
        return np.log(y + 0.5)

    @staticmethod
    def latent_centre(y: Array, weight: Array) -> Array:
        """Return the f of the average count, plus half a count in case all are zero: (K,)."""
        return np.log((weight @ y + 0.5) / np.sum(weight))

    @staticmethod
    def target_moments(mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance of the count for f ~ N(mean, variance): (n,) each."""
        rate = np.exp(mean + 0.5 * variance)
        return rate, rate + rate**2 * np.expm1(variance)

    @staticmethod
    def target_cdf(y: Array, mean: Array, variance: Array) -> Array:
        """Return P(count ≤ y) for f ~ N(mean, variance): (n,)."""
        u, step = np.linspace(-REACH, REACH, N_NODES, retstep=True)
        weight = np.exp(-0.5 * u**2) * (step / np.sqrt(2.0 * np.pi))  # trapezium rule
        f = mean[:, None] + np.sqrt(variance)[:, None] * u  # (n, nodes)
        rate = np.exp(np.minimum(f, LARGEST_LOG_RATE))
        count = np.maximum(np.floor(y), 0.0)[:, None]
        return np.where(y < 0.0, 0.0, np.minimum(gammaincc(count + 1.0, rate) @ weight, 1.0))

    @staticmethod
    def draw(f: Array, rng: np.random.Generator) -> Array:
        """Draw counts given f, elementwise."""
        return rng.poisson(np.exp(f)).astype(np.float64)
