"""Moments of the tilted distribution, a Gaussian belief times any density, by adaptive quadrature.

Gauss–Hermite nodes follow the belief. An unexpected target, or a very precise one, puts the mass of
the product elsewhere or between two nodes. So a coarse grid, dense near the mean and reaching out
geometrically, first brackets the interval where the logarithm of the product is within 40 of its
largest value, and finer grids narrow it and locate the peak. Gauss–Legendre panels that double in
width away from the peak (and from a jump) then resolve both a spike and its tails. All sums are of
logarithms, so that nothing underflows.
"""

from collections.abc import Callable

import numpy as np
from scipy.special import logsumexp

from sparsegp.arrays import Array
from sparsegp.likelihoods.base import Belief

__all__ = ["belief_from_density"]

NEGLIGIBLE = 40.0  # exp(−40) = 4e-18
REACH = 14.0  # sinh(14) = 600,000 standard deviations
COARSE, FINE = 225, 33
ZOOMS = 3  # on the interval
STEPS_TO_PEAK = 4
DOUBLINGS = 16  # the narrowest panel is 2⁻¹⁶ of the interval
NODES, WEIGHTS = np.polynomial.legendre.leggauss(14)
NODES, WEIGHTS = 0.5 * (NODES + 1.0), 0.5 * WEIGHTS  # on (0, 1)
HALF_LOG_2_PI = 0.5 * np.log(2.0 * np.pi)

Function = Callable[[Array], Array]


def belief_from_density(
    log_density: Callable[[Array, Array], Array],
    y: Array,
    mean: Array,
    variance: Array,
    jump: Array | None = None,
) -> Belief:
    """Return log Z, q, r of ``log_density(y, f)`` under N(mean, variance): (n,) each.

    With t = (f − μ)/√v and t̄, τ² the mean and variance of t under the product, q = t̄/√v and
    r = (τ² − 1)/v. ``jump`` (n,) is where the density jumps or has a kink or a spike: panels
    have an edge there.
    """
    s = np.sqrt(np.maximum(variance, np.finfo(np.float64).tiny))

    def log_product(t: Array) -> Array:
        with np.errstate(all="ignore"):
            log_p = log_density(y[:, None], mean[:, None] + s[:, None] * t)
        return np.where(np.isnan(log_p), -np.inf, log_p) - 0.5 * t * t  # (n, nodes)

    centres = [] if jump is None else [(jump - mean) / s]  # (n,)
    low, high, peak = _bracket(log_product, len(y), centres)
    t, log_weight = _panels(low, high, [peak, *centres])
    log_mass = log_product(t) + log_weight
    log_z = logsumexp(log_mass, axis=1)
    share = np.exp(log_mass - log_z[:, None])
    t_mean = np.sum(share * t, axis=1)
    t_variance = np.sum(share * (t - t_mean[:, None]) ** 2, axis=1)
    return Belief(log_z - HALF_LOG_2_PI, t_mean / s, (t_variance - 1.0) / s**2)


def _bracket(log_product: Function, n: int, centres: list[Array]) -> tuple[Array, Array, Array]:
    """Return the ends of the interval that holds the mass, and the peak in it: (n,) each."""
    t = np.tile(np.sinh(np.linspace(-REACH, REACH, COARSE)), (n, 1))
    for centre in centres:  # a one-sided density may lie beyond the last node
        beside = centre[:, None] + 1e-9 * (1.0 + np.abs(centre))[:, None] * np.array([-1.0, 1.0])
        t = np.sort(np.concatenate((t, beside), axis=1), axis=1)
    values = log_product(t)
    for _ in range(ZOOMS):
        t = _grid(*_interval(values, t))
        values = log_product(t)
    low, high = _interval(values, t)
    for _ in range(STEPS_TO_PEAK):
        best = np.argmax(values, axis=1)
        t = _grid(*_ends(t, best - 1, best + 1))
        values = log_product(t)
    return low, high, t[np.arange(n), np.argmax(values, axis=1)]


def _interval(values: Array, t: Array) -> tuple[Array, Array]:
    """Return the neighbours of the outermost nodes with values near the largest: (n,) each."""
    near = values >= np.max(values, axis=1, keepdims=True) - NEGLIGIBLE
    last = t.shape[1] - 1
    return _ends(t, np.argmax(near, axis=1) - 1, last - np.argmax(near[:, ::-1], axis=1) + 1)


def _ends(t: Array, first: Array, last: Array) -> tuple[Array, Array]:
    rows, end = np.arange(len(t)), t.shape[1] - 1
    return t[rows, np.maximum(first, 0)], t[rows, np.minimum(last, end)]


def _grid(low: Array, high: Array) -> Array:
    return low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, FINE)


def _panels(low: Array, high: Array, centres: list[Array]) -> tuple[Array, Array]:
    """Return nodes and log weights of panels graded towards the centres: (n, nodes) each."""
    outward = 0.5 ** np.arange(DOUBLINGS + 1)
    offsets = np.concatenate((-outward, [0.0], outward))
    width = (high - low)[:, None]
    edges = [low[:, None], high[:, None]]
    edges += [centre[:, None] + width * offsets for centre in centres]
    edge = np.sort(np.clip(np.concatenate(edges, axis=1), low[:, None], high[:, None]), axis=1)
    widths = np.diff(edge, axis=1)[:, :, None]  # (n, panels, 1)
    t = edge[:, :-1, None] + widths * NODES  # (n, panels, nodes)
    with np.errstate(divide="ignore"):  # a panel of zero width has weight zero
        log_weight = np.log(widths * WEIGHTS)
    return t.reshape(len(low), -1), log_weight.reshape(len(low), -1)
