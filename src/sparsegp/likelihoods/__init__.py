"""What a target says about the latent function.

A likelihood p(y | f) meets the algebra through one question: what is the logarithm of its mean
under a Gaussian belief about f, and how does that change with the belief's mean? From the two
derivatives follow the moments of the corrected belief, and so every Gaussian site.
"""

from sparsegp.likelihoods.base import Belief, Likelihood, site_of
from sparsegp.likelihoods.probit import Probit

__all__ = ["Belief", "Likelihood", "Probit", "site_of"]
