"""Class probabilities from latent functions.

Two classes have one function, p = Φ((μ + b)/√(λ⁻² + v)). More classes have one function each,
learned one against the rest; a row belongs to the class whose function plus noise N(0, λ⁻²) is
largest. With u_c ~ N(μ_c + b_c, λ⁻² + v_c) independent,

    p_c = ∫ N(u; c) Π_{j ≠ c} Φ((u − μ_j − b_j)/s_j) du,

which sums to one over the classes.
"""

from collections.abc import Sequence

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods import Probit
from sparsegp.likelihoods.probit import log_cdf
from sparsegp.likelihoods.quadrature import gauss_hermite
from sparsegp.model.policy import ROWS_AT_ONCE

__all__ = ["N_NODES", "class_probabilities", "label_log_probabilities"]

N_NODES = 40  # of the Gauss–Hermite rule


def class_probabilities(probits: Sequence[Probit], mean: Array, variance: Array) -> Array:
    """Return the probability of each class: (n, C), or (n, 2) from one function."""
    if len(probits) == 1:
        second = probits[0].probability(mean[:, 0], variance[:, 0])
        first = probits[0].probability(-mean[:, 0] - 2.0 * probits[0].bias, variance[:, 0])
        return np.stack((first, second), axis=1)
    location, scale = _locations(probits, mean, variance)
    parts = [
        _largest(location[start : start + ROWS_AT_ONCE], scale[start : start + ROWS_AT_ONCE])
        for start in range(0, len(mean), ROWS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.empty_like(mean)


def label_log_probabilities(
    probits: Sequence[Probit], labels: Array, mean: Array, variance: Array
) -> Array:
    """Return the log probability of each row's own class, given its labels ±1 (n, 1 or C): (n,)."""
    if len(probits) == 1:
        return probits[0].log_probability(labels[:, 0], mean[:, 0], variance[:, 0])
    location, scale = _locations(probits, mean, variance)
    own = np.argmax(labels, axis=1)  # (n,)
    p = _chance_of_largest(location, scale, own)
    return np.log(np.maximum(p, np.finfo(np.float64).tiny))


def _locations(probits: Sequence[Probit], mean: Array, variance: Array) -> tuple[Array, Array]:
    """Return mean and deviation of the functions with bias and noise: (n, C) each."""
    location = mean + np.array([probit.bias for probit in probits])
    return location, np.sqrt(variance + np.array([probit.slope**-2 for probit in probits]))


def _largest(location: Array, scale: Array) -> Array:
    """Return the probability that each of independent Gaussians is the largest: (b, C)."""
    n, n_classes = location.shape
    chances = [_chance_of_largest(location, scale, np.full(n, c)) for c in range(n_classes)]
    # normalise what quadrature leaves over; no row has probabilities of zero alone
    p = np.maximum(np.stack(chances, axis=1), np.finfo(np.float64).tiny)
    return p / np.sum(p, axis=1, keepdims=True)


def _chance_of_largest(location: Array, scale: Array, own: Array) -> Array:
    """Return the probability that the Gaussian at position ``own`` is the largest: (b,)."""
    nodes, weights = gauss_hermite(N_NODES)
    rows = np.arange(len(own))
    u = location[rows, own, None] + scale[rows, own, None] * nodes  # (b, nodes)
    log_p = np.zeros_like(u)
    for i in range(location.shape[1] - 1):
        other = i + (i >= own)  # (b,), the positions without the own one
        log_p += log_cdf((u - location[rows, other, None]) / scale[rows, other, None])
    return np.exp(log_p) @ weights
