"""Likelihoods of a regression by name, with a noise of given variance."""

from collections.abc import Callable

from sparsegp.likelihoods.base import Likelihood
from sparsegp.likelihoods.gaussian import Gaussian
from sparsegp.likelihoods.laplace import LaplaceNoise
from sparsegp.likelihoods.one_sided import OneSided
from sparsegp.likelihoods.poisson import Poisson
from sparsegp.likelihoods.student_t import StudentT

__all__ = ["LOCATION_NAMES", "NAMES", "named_likelihood"]

DEGREES_OF_FREEDOM = 4.0
# Of the scale of one-sided noise. Hard edges diverge where a target lies below them, with 0.05
# all streams came to rest that were tried; without such targets the edge moves by about 0.01.
SOFTNESS = 0.05

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

#: Where y = f + noise, so that a target may be shifted and scaled.
LOCATION_NAMES = ("gaussian", "laplace", "student_t", "one_sided")


def named_likelihood(name: str, noise_variance: float) -> Likelihood:
    """Return a likelihood whose noise has this variance (a Poisson has none of its own).

    >>> named_likelihood("laplace", 0.5)
    LaplaceNoise(scale=0.5)
    """
    return _NAMED[name](noise_variance)
