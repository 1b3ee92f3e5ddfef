"""Class probabilities from latent functions.

Two classes have one function, p = Φ((μ + b)/√(λ⁻² + v)). More classes have one function each,
learned one against the rest; a row belongs to the class whose function plus noise N(0, λ⁻²) is
largest. With u_c ~ N(μ_c + b_c, λ⁻² + v_c) independent,

    p_c = ∫ N(u; c) Π_{j ≠ c} Φ((u − μ_j − b_j)/s_j) du,

which sums to one over the classes. Where a share δ of the labels is drawn at random, each class as
often as another, they are δ/C + (1 − δ) p_c. With F(u) = Π_j Φ((u − μ_j − b_j)/s_j), the
distribution of the largest, all C integrals are sums over the same nodes u,

    p_c = ∫ h((u − μ_c − b_c)/s_c)/s_c F(u) du,   h(z) = N(z)/Φ(z),

by the trapezoidal rule, which converges exponentially for smooth functions that vanish at both
ends: C (not C²) values of Φ for each node.
"""

from collections.abc import Sequence

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods import Probit
from sparsegp.likelihoods.noisy_probit import label_noise_of
from sparsegp.likelihoods.probit import LOG_ROOT_2_PI, log_cdf
from sparsegp.likelihoods.quadrature import gauss_hermite
from sparsegp.model.policy import CLASS_NODES, CLASS_REACH, CLASS_STEP, CLASS_VALUES

__all__ = ["N_NODES", "class_probabilities", "label_log_probabilities"]

N_NODES = 40  # of the Gauss–Hermite rule

SMALLEST = np.finfo(np.float64).tiny


def class_probabilities(probits: Sequence[Probit], mean: Array, variance: Array) -> Array:
    """Return the probability of each class: (n, C), or (n, 2) from one function."""
    if len(probits) == 1:
        second = probits[0].probability(mean[:, 0], variance[:, 0])
        first = probits[0].probability(-mean[:, 0] - 2.0 * probits[0].bias, variance[:, 0])
        return np.stack((first, second), axis=1)
    # normalise what quadrature leaves over; no row has probabilities of zero alone
    p = np.maximum(_chances_of_largest(*_locations(probits, mean, variance)), SMALLEST)
    return _with_label_noise(probits, p / np.sum(p, axis=1, keepdims=True))


def label_log_probabilities(
    probits: Sequence[Probit], labels: Array, mean: Array, variance: Array
) -> Array:
    """Return the log probability of each row's own class, given its labels ±1 (n, 1 or C): (n,)."""
    if len(probits) == 1:
        return probits[0].log_probability(labels[:, 0], mean[:, 0], variance[:, 0])
    location, scale = _locations(probits, mean, variance)
    own = np.argmax(labels, axis=1)  # (n,)
    p = np.maximum(_chance_of_one(location, scale, own), SMALLEST)
    return np.log(_with_label_noise(probits, p))


def _with_label_noise(probits: Sequence[Probit], p: Array) -> Array:
    """Return probabilities of which a share is that of labels drawn at random."""
    share = label_noise_of(probits[0])
    return share / len(probits) + (1.0 - share) * p


def _locations(probits: Sequence[Probit], mean: Array, variance: Array) -> tuple[Array, Array]:
    """Return mean and deviation of the functions with bias and noise: (n, C) each."""
    location = mean + np.array([probit.bias for probit in probits])
    return location, np.sqrt(variance + np.array([probit.slope**-2 for probit in probits]))


def _chances_of_largest(location: Array, scale: Array) -> Array:
    """Return the probability that each of independent Gaussians is the largest: (n, C)."""
    location = location - np.max(location, axis=1, keepdims=True)
    chances = np.empty_like(location)
    low, high, n_nodes = _grids(location, scale)
    for size in set(n_nodes.tolist()):
        alike = np.flatnonzero(n_nodes == size)
        n_rows = max(1, CLASS_VALUES // (location.shape[1] * size))
        for start in range(0, len(alike), n_rows):
            rows = alike[start : start + n_rows]
            u = np.linspace(low[rows], high[rows], size, axis=1)  # (b, nodes)
            chances[rows] = _sum_over_nodes(location[rows], scale[rows], u)
    return chances


def _grids(location: Array, scale: Array) -> tuple[Array, Array, Array]:
    """Return both ends of the nodes of each row, and their number: (n,) each."""
    below, above = CLASS_REACH
    low = np.max(location - below * scale, axis=1)
    high = np.max(location + above * scale, axis=1)
    # Φ of a Gaussian that lies below all nodes is one, however narrow it is
    matters = location + above * scale > low[:, None]
    narrowest = np.min(scale, axis=1, where=matters, initial=np.inf)
    wanted = np.fmax((high - low) / (CLASS_STEP * narrowest), CLASS_NODES[0])  # also for NaN
    wanted = np.minimum(wanted, CLASS_NODES[1])
    return low, high, 1 + 2 ** np.ceil(np.log2(wanted)).astype(np.int64)


def _sum_over_nodes(location: Array, scale: Array, u: Array) -> Array:
    """Return the integral of h(z_c)/s_c Π Φ(z_j) by the trapezoidal rule: (b, C)."""
    z = (u[:, None, :] - location[:, :, None]) / scale[:, :, None]  # (b, C, nodes)
    np.minimum(z, 2.0 * CLASS_REACH[1], out=z)  # there h is zero to rounding
    log_p = log_cdf(z)
    log_f = np.sum(log_p, axis=1)  # (b, nodes)
    log_hazard = -0.5 * z * z - LOG_ROOT_2_PI - log_p
    density = np.einsum("bcn,bn->bc", np.exp(log_hazard), np.exp(log_f))
    return density * (u[:, 1:2] - u[:, :1]) / scale


def _chance_of_one(location: Array, scale: Array, own: Array) -> Array:
    """Return the probability that the Gaussian at position ``own`` is the largest: (b,).

    A calibration asks this row by row. Nodes of a Gauss–Hermite rule around the own Gaussian are
    fewer, and err by up to 10⁻³ where the others are much narrower.
    """
    nodes, weights = gauss_hermite(N_NODES)
    rows = np.arange(len(own))
    u = location[rows, own, None] + scale[rows, own, None] * nodes  # (b, nodes)
    log_p = np.zeros_like(u)
    for i in range(location.shape[1] - 1):
        other = i + (i >= own)  # (b,), the positions without the own one
        log_p += log_cdf((u - location[rows, other, None]) / scale[rows, other, None])
    return np.exp(log_p) @ weights
