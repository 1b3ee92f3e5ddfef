"""What a target says about the latent function.

A likelihood p(y | f) meets the algebra through one question: what is the logarithm of its mean
under a Gaussian belief about f, and how does that change with the belief's mean? From the two
derivatives follow the moments of the corrected belief, and so every Gaussian site.
"""

from sparsegp.likelihoods.base import Belief, Likelihood, Shifted, TargetLikelihood, site_of
from sparsegp.likelihoods.gaussian import Gaussian
from sparsegp.likelihoods.laplace import LaplaceNoise
from sparsegp.likelihoods.one_sided import OneSided
from sparsegp.likelihoods.own_density import OwnDensity, by_quadrature
from sparsegp.likelihoods.poisson import Poisson
from sparsegp.likelihoods.probit import Probit
from sparsegp.likelihoods.student_t import StudentT

__all__ = [
    "Belief",
    "Gaussian",
    "LaplaceNoise",
    "Likelihood",
    "OneSided",
    "OwnDensity",
    "Poisson",
    "Probit",
    "Shifted",
    "StudentT",
    "TargetLikelihood",
    "by_quadrature",
    "site_of",
]
