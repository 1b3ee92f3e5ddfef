"""A prior on length scales.

Those of D standardised columns are about √D. With z = log ℓ − ½ log D the log density is, up to a
constant,

    −SLOPE √(z² + WIDTH²),

that of a hyperbolic distribution: normal near zero, exponential far out, where functions that are
linear in a column have theirs. It weighs a few nats, which many rows outweigh. But where a column
explains little the evidence is flat, and the bound of VFE, which charges for short length scales,
would drop weak columns altogether, although together they may explain much. The prior is on the
first part of a sum only: a second part has another range on purpose. (``shared_length_scales``
limits how much length scales differ while rows are few.)
"""

from dataclasses import replace

import numpy as np

from sparsegp.kernels.base import Vector
from sparsegp.learning.hyperparameters import policy
from sparsegp.learning.hyperparameters.optimise import Objective, Optimum
from sparsegp.learning.hyperparameters.parameters import Parameters

__all__ = ["log_prior", "with_prior", "without_prior"]


def log_prior(parameters: Parameters) -> tuple[float, Vector]:
    """Return the log density of the length scales, up to a constant, and its gradient."""
    vector = parameters.vector
    gradient = np.zeros_like(vector)
    for places in parameters.kernel.length_scale_positions[:1]:
        which = list(places)
        off = vector[which] - 0.5 * np.log(len(which))
        root = np.sqrt(off**2 + policy.PRIOR_WIDTH**2)
        gradient[which] = -policy.PRIOR_SLOPE * off / root
        return -policy.PRIOR_SLOPE * float(np.sum(root)), gradient
    return 0.0, gradient


def with_prior(objective: Objective[Parameters]) -> Objective[Parameters]:
    """Return the objective with the log prior added to it."""

    def posterior(parameters: Parameters) -> tuple[float, Vector]:
        value, gradient = objective(parameters)
        prior, by_vector = log_prior(parameters)
        return value + prior, gradient + by_vector

    return posterior


def without_prior(found: Optimum[Parameters]) -> Optimum[Parameters]:
    """Return an optimum of both with the value of the objective alone."""
    return replace(found, value=found.value - log_prior(found.parameters)[0])
