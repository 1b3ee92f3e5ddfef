"""Weighted rows: the likelihood to the power of the weight.

s equal rows have the likelihood p(y | f)ˢ. Gaussian, Laplace, one-sided and Student-t noise to a
power are noise of the same kind; other densities are integrated. Factors free of f are left out:
they change log Z but not the posterior.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief, Likelihood, Shifted
from sparsegp.likelihoods.tilted import belief_from_density

__all__ = ["Power", "row_likelihoods", "weighted"]


@dataclass(frozen=True)
class Power:
    """p(y | f)ˢ of a likelihood with ``log_density``, by quadrature."""

    likelihood: Any
    weight: float

    def log_density(self, y: Array, f: Array) -> Array:
        """Return s log p(y | f), elementwise."""
        return self.weight * self.likelihood.log_density(y, f)

    def moment_match(self, y: Array, mean: Array, variance: Array) -> Belief:
        """Match the moments of N(mean, variance) times the likelihood of the targets."""
        jump = getattr(self.likelihood, "jump", None)
        at = None if jump is None else jump(y)
        return belief_from_density(self.log_density, y, mean, variance, at)


def weighted(likelihood: Likelihood, weight: float) -> Likelihood:
    """Return the likelihood of a row that counts ``weight`` times.

    >>> from sparsegp.likelihoods import Gaussian
    >>> weighted(Gaussian(0.5), 2.0)
    Gaussian(noise_variance=0.25)
    """
    if weight == 1.0:
        return likelihood
    if isinstance(likelihood, Shifted):
        return Shifted(weighted(likelihood.likelihood, weight), likelihood.offset)
    closed = getattr(likelihood, "weighted", None)
    found: Likelihood | None = None if closed is None else closed(weight)
    if found is not None:
        return found
    if not hasattr(likelihood, "log_density"):
        raise ValueError(
            f"sample_weight needs a likelihood with weighted(weight) or log_density(y, f), and "
            f"{likelihood!r} has neither: repeat rows instead, or give it one of the two"
        )
    return Power(likelihood, weight)


def row_likelihoods(
    likelihood: Likelihood, n_rows: int, weight: Array | None
) -> Sequence[Likelihood]:
    """Return the likelihood of each row: (n,)."""
    if weight is None:
        return [likelihood] * n_rows
    made = {s: weighted(likelihood, s) for s in set(weight.tolist())}
    return [made[s] for s in weight.tolist()]
