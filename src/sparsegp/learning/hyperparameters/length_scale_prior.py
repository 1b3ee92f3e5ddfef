"""What is expected of length scales before any row is seen.

Of D standardised columns they are about √D. For z = log ℓ − ½ log D the log density is, but for a
constant,

    −STEEPEST √(z² + NEAR²),

that of a hyperbolic distribution: normal nearby, exponential far out, where functions that are
linear in a column have theirs. A few nats in all, which many rows outvote. But where a column says
little the evidence is flat, and as the bound of VFE charges for short length scales, it lets go of
weak columns altogether; together they may say much. Only the first part of a sum is meant: a second
one is there to be of another range. (How much they may differ where few rows choose: ``likeness``.)
"""

from dataclasses import replace

import numpy as np

from sparsegp.kernels.base import Vector
from sparsegp.learning.hyperparameters.length_scales import length_scales_in
from sparsegp.learning.hyperparameters.optimise import Objective, Optimum
from sparsegp.learning.hyperparameters.parameters import Parameters

__all__ = ["log_prior", "with_prior", "without_prior"]

# How many nats a factor e costs at most, and up to which logarithm it costs less. With a normal
# density, of deviation 1, errors were the same on most tables (docs/defaults.md), but a column that
# needs a scale a thousand times as long would have to pay 7 for the last factor.
STEEPEST, NEAR = 3.0, 0.7


def log_prior(parameters: Parameters) -> tuple[float, Vector]:
    """Return the log density of the length scales, but for a constant, and its gradient."""
    vector = parameters.vector
    gradient = np.zeros_like(vector)
    for places in length_scales_in(parameters.kernel)[:1]:
        which = list(places)
        off = vector[which] - 0.5 * np.log(len(which))
        root = np.sqrt(off**2 + NEAR**2)
        gradient[which] = -STEEPEST * off / root
        return -STEEPEST * float(np.sum(root)), gradient
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
