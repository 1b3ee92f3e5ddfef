"""From latent functions to the probabilities of classes.

Two classes have one function, p = Φ((μ + b)/√(λ⁻² + v)). More classes have one function each,
learned against the rest; a row belongs to the class whose function plus noise N(0, λ⁻²) is the
largest. With u_c ~ N(μ_c + b_c, λ⁻² + v_c) independent,

    p_c = ∫ N(u; c) Π_{j ≠ c} Φ((u − μ_j − b_j)/s_j) du,

which adds up to one: it is the exact renormalisation of independent functions.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import log_ndtr

from sparsegp.arrays import Array
from sparsegp.likelihoods import Probit
from sparsegp.likelihoods.quadrature import gauss_hermite

__all__ = ["class_probabilities"]

N_NODES = 40
ROWS_AT_ONCE = 4096


def class_probabilities(probits: Sequence[Probit], mean: Array, variance: Array) -> Array:
    """Return the probability of each class: (n, C), or (n, 2) from one function."""
    if len(probits) == 1:
        second = probits[0].probability(mean[:, 0], variance[:, 0])
        first = probits[0].probability(-mean[:, 0] - 2.0 * probits[0].bias, variance[:, 0])
        return np.stack((first, second), axis=1)
    location = mean + np.array([probit.bias for probit in probits])  # (n, C)
    spread = np.sqrt(variance + np.array([probit.slope**-2 for probit in probits]))  # (n, C)
    parts = [
        _largest(location[start : start + ROWS_AT_ONCE], spread[start : start + ROWS_AT_ONCE])
        for start in range(0, len(mean), ROWS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.empty_like(mean)


def _largest(location: Array, spread: Array) -> Array:
    """Return the probability that each of independent Gaussians is the largest: (b, C)."""
    nodes, weights = gauss_hermite(N_NODES)
    n_classes = location.shape[1]
    p = np.empty_like(location)
    for c in range(n_classes):
        u = location[:, c, None] + spread[:, c, None] * nodes  # (b, nodes)
        log_p = np.zeros_like(u)
        for j in range(n_classes):
            if j != c:
                log_p += log_ndtr((u - location[:, j, None]) / spread[:, j, None])
        p[:, c] = np.exp(log_p) @ weights
    # quadrature leaves a little more or less than one; a row is never left with nothing
    p = np.maximum(p, np.finfo(np.float64).tiny)
    return p / np.sum(p, axis=1, keepdims=True)
