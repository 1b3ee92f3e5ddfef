"""Likelihoods p(y | f) of a target given the latent function.

The algebra uses a likelihood through one method, ``moment_match``: the logarithm of its mean under
a Gaussian belief N(μ, v) about f, and the first two derivatives of that by μ. They give the moments
of the posterior belief, and so every Gaussian site.
"""

from sparsegp.likelihoods.base import Belief, Likelihood, Shifted, TargetLikelihood, site_of
from sparsegp.likelihoods.gaussian import Gaussian
from sparsegp.likelihoods.gaussian_mixture import GaussianMixture
from sparsegp.likelihoods.laplace import LaplaceNoise
from sparsegp.likelihoods.noisy_probit import NoisyProbit
from sparsegp.likelihoods.one_sided import OneSided
from sparsegp.likelihoods.own_density import OwnDensity, by_quadrature
from sparsegp.likelihoods.poisson import Poisson
from sparsegp.likelihoods.probit import Probit
from sparsegp.likelihoods.student_t import StudentT

__all__ = [
    "Belief",
    "Gaussian",
    "GaussianMixture",
    "LaplaceNoise",
    "Likelihood",
    "NoisyProbit",
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
