"""What a likelihood is, and the Gaussian site it leaves behind.

Under a belief f ~ N(μ, v) let Z = ⟨p(y | f)⟩. With q = ∂ log Z/∂μ and r = ∂² log Z/∂μ² the
belief corrected by y has mean μ + v q and variance v + v² r (Csató & Opper, eq. 2.8), and
∂ log Z/∂v = ½ (r + q²), whatever the likelihood.
"""

from dataclasses import dataclass
from typing import Protocol

from sparsegp.arrays import Array

__all__ = ["Belief", "Likelihood", "Shifted", "TargetLikelihood", "site_of"]


@dataclass(frozen=True)
class Belief:
    """How well a Gaussian belief foretold the targets, and where they pull it: (n,) each."""

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
        """Confront the belief N(mean, variance) with the targets: (n,) each."""


class TargetLikelihood(Likelihood, Protocol):
    """What a likelihood of this library can do beyond ``moment_match``; all of it is optional."""

    def log_density(self, y: Array, f: Array) -> Array:
        """Return log p(y | f), elementwise; −∞ where y cannot be."""

    def support(self, y: Array) -> None:
        """Raise a ValueError that names y if a target cannot be."""

    def weighted(self, weight: float) -> "Likelihood | None":
        """Return p(y | f)^weight up to a factor without f; None if it has to be integrated."""

    def target_moments(self, mean: Array, variance: Array) -> tuple[Array, Array]:
        """Return mean and variance of y under the belief N(mean, variance): (n,) each."""


@dataclass(frozen=True)
class Shifted:
    """A likelihood of f = g + offset, for a belief about g."""

    likelihood: Likelihood
    offset: Array  # a number, or one for each target

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Confront the belief N(mean, variance) about g with the targets."""
        return self.likelihood.moment_match(y, mean + self.offset, variance)


def site_of(belief: Belief, mean: Array, variance: Array) -> tuple[Array, Array]:
    """Return precision w and precision × location w·t of the Gaussian site: (n,) each.

    N(mean, variance) times the site has the moments of the corrected belief (SS eq. 2, with
    α = q and ν = −r). The product w·t stays finite where the target says nothing and w = 0.
    """
    kept = 1.0 + variance * belief.r  # share of the variance that is left
    w = -belief.r / kept
    return w, w * mean + belief.q / kept
