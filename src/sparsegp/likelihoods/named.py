"""Likelihoods of a regression by name, with a given noise variance."""

from collections.abc import Callable

from sparsegp.likelihoods.base import Likelihood
from sparsegp.likelihoods.gaussian import Gaussian
from sparsegp.likelihoods.laplace import LaplaceNoise
from sparsegp.likelihoods.one_sided import OneSided
from sparsegp.likelihoods.poisson import Poisson
from sparsegp.likelihoods.policy import DEGREES_OF_FREEDOM, SOFTNESS
from sparsegp.likelihoods.student_t import StudentT

__all__ = ["LOCATION_NAMES", "NAMES", "named_likelihood"]

_NAMED: dict[str, Callable[[float], Likelihood]] = {
    "gaussian": Gaussian,
    "laplace": lambda variance: LaplaceNoise((0.5 * variance) ** 0.5),
    "student_t": lambda variance: StudentT(
        DEGREES_OF_FREEDOM, (variance * (DEGREES_OF_FREEDOM - 2.0) / DEGREES_OF_FREEDOM) ** 0.5
    ),
    "one_sided": lambda variance: OneSided(variance**0.5, SOFTNESS * variance**0.5),
    "poisson": lambda _: Poisson(),
}

NAMES = tuple(_NAMED)

#: Likelihoods with y = f + noise, so that a target may be shifted and scaled.
LOCATION_NAMES = ("gaussian", "laplace", "student_t", "one_sided")


def named_likelihood(name: str, noise_variance: float) -> Likelihood:
    """Return a likelihood whose noise has this variance (Poisson has no noise parameter).

    >>> named_likelihood("laplace", 0.5)
    LaplaceNoise(scale=0.5)
    """
    return _NAMED[name](noise_variance)
