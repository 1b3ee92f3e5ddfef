"""Two classes by the cumulative normal, where a share of the labels is wrong.

A share δ of the labels is drawn at random, each of C classes as often as another, and the others
follow the probit. Of a function for one class against the rest,

    p(y | f) = ε(y) + (1 − δ) Φ(λ y (f + b)),    ε(+1) = δ/C,  ε(−1) = δ (C − 1)/C.

A label that contradicts a function which is sure of itself is then taken to be wrong, and moves it
little: its site has hardly any precision, or a negative one. With the probit alone such a label
outweighs all others.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief
from sparsegp.likelihoods.probit import LOG_ROOT_2_PI, Probit
from sparsegp.likelihoods.quadrature import gaussian_means

__all__ = ["NoisyProbit", "label_noise_of"]


@dataclass(frozen=True)
class NoisyProbit(Probit):
    """The probit with slope λ and bias b, of which a share ``label_noise`` > 0 is replaced.

    >>> probit = NoisyProbit(1.0, 0.0, label_noise=0.2)
    >>> far = np.array([-30.0, 30.0])
    >>> np.exp(probit.log_density(np.ones(2), far)).round(3)
    array([0.1, 0.9])
    """

    label_noise: float = 0.01
    n_classes: int = 2

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance) times the likelihood of labels ±1."""
        z, scale = self.margin(y, mean, variance)
        log_z, slope, curvature = self._by_margin(y, z)
        return Belief(log_z, y * slope / scale, curvature / scale**2)

    def log_density(self, y: Array, f: Array) -> Array:
        """Return log p(y | f), elementwise."""
        return np.log(self._probability(y, self.slope * y * (f + self.bias)))

    def log_probability(self, y: Array, mean: Array, variance: Array) -> Array:
        """Return log⟨p(y | f)⟩ alone, the ``log_z`` of ``moment_match``: (n,)."""
        return np.log(self._probability(y, self.margin(y, mean, variance)[0]))

    def expect(self, y: Array, mean: Array, variance: Array) -> tuple[Array, Array, Array]:
        """Return the means of log p(y | f) and of its first two derivatives by f: (n,) each."""

        def functions(f: Array) -> tuple[Array, ...]:
            signs = self.slope * y[:, None]
            log_p, slope, curvature = self._by_margin(y[:, None], signs * (f + self.bias))
            return log_p, signs * slope, signs**2 * curvature

        log_p, q, r = gaussian_means(functions, mean, variance)
        return log_p, q, r

    def _probability(self, y: Array, z: Array) -> Array:
        """Return ε(y) + (1 − δ) Φ(z): the shape of z."""
        at_random = self.label_noise / self.n_classes
        return np.where(y > 0.0, at_random, self.label_noise - at_random) + (
            1.0 - self.label_noise
        ) * ndtr(z)

    def _by_margin(self, y: Array, z: Array) -> tuple[Array, Array, Array]:
        """Return the log probability and its first two derivatives by z: the shape of z."""
        p = self._probability(y, z)
        slope = (1.0 - self.label_noise) * np.exp(-0.5 * z * z - LOG_ROOT_2_PI) / p
        return np.log(p), slope, -slope * (z + slope)


def label_noise_of(probit: Probit) -> float:
    """Return the share of labels that are drawn at random."""
    return probit.label_noise if isinstance(probit, NoisyProbit) else 0.0
