"""The likelihood interface, and the Gaussian site that follows from moment matching.

Under a belief f ~ N(μ, v) let Z = ⟨p(y | f)⟩. With q = ∂ log Z/∂μ and r = ∂² log Z/∂μ² the
posterior belief given y has mean μ + v q and variance v + v² r (Csató & Opper 2002, eq. 2.8), and
∂ log Z/∂v = ½ (r + q²), for every likelihood.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sparsegp.arrays import Array

__all__ = ["Belief", "Likelihood", "Shifted", "TargetLikelihood", "site_of"]


@dataclass(frozen=True)
class Belief:
    """Log predictive density of targets under a Gaussian belief, and its derivatives: (n,) each."""

    log_z: Array  # log⟨p(y | f)⟩
    q: Array  # its first derivative by the mean
    r: Array  # its second; ≤ 0 if the likelihood is log-concave

    @property
    def by_variance(self) -> Array:
        """∂ log Z/∂v: (n,)."""
        return 0.5 * (self.r + self.q * self.q)


class Likelihood(Protocol):
    """A density or probability of a target given the latent value."""

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Return log Z, q and r of targets under the beliefs N(mean, variance): (n,) each."""


class TargetLikelihood(Likelihood, Protocol):
    """Optional methods of a likelihood beyond ``moment_match``."""

    def log_density(self, y: Array, f: Array) -> Array:
        """Return log p(y | f), elementwise; −∞ where y is impossible."""

    def support(self, y: Array) -> None:
        """Raise a ValueError that names y if a target is impossible."""

    def weighted(self, weight: float) -> "Likelihood | None":
        """Return p(y | f)^weight up to a factor free of f; None if there is no closed form."""

    def target_moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance of y under the belief N(mean, variance): (n,) each."""

    def target_cdf(self, y: Array, mean: Array, variance: Array) -> Array:
        """Return the probability of targets up to y under the belief N(mean, variance): (n,)."""

    def draw(self, f: Array, rng: np.random.Generator) -> Array:
        """Draw targets given f, elementwise."""


@dataclass(frozen=True)
class Shifted:
    """A likelihood of f = g + offset, for a belief about g."""

    likelihood: Likelihood
    offset: Array | float  # one for all targets, or one for each

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance), a belief about g, times the likelihood."""
        return self.likelihood.moment_match(y, mean + self.offset, variance)


def site_of(belief: Belief, mean: Array, variance: Array) -> tuple[Array, Array]:
    """Return precision w and precision × location w·t of the Gaussian site: (n,) each.

    N(mean, variance) times the site has the moments of the posterior belief (SS eq. 2, with
    α = q and ν = −r). The product w·t stays finite for an uninformative target with w = 0.
    """
    kept = 1.0 + variance * belief.r  # remaining share of the variance
    w = -belief.r / kept
    return w, w * mean + belief.q / kept
