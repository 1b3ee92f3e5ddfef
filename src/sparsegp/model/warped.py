"""Mean, standard deviation and covariance of a warped target y, given a belief about z.

A warp is a monotone function z(y) under which the target is modelled (warped Gaussian process,
Snelson, Rasmussen & Ghahramani 2004). A quantile of y is the inverse warp of the quantile of z, and
log p(y) = log p(z(y)) + log dz/dy; moments are integrals,

    E y = ∫ y(μ + σu) p(u) du,

by Gauss–Legendre rules between marks of the warp, so that a warp that is almost a step is resolved
as well. The density of u is normal, or Student's t (``tails``).

Covariances follow from Hermite coefficients c_k = E[y He_k(u)]/√k! (Mehler's formula): for two
normal beliefs of correlation ρ, Cov(y, y′) = Σ_k≥1 c_k c′_k ρᵏ. Student's t is a mixture of normal
distributions for each row and uses their mean coefficients.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import pi, sqrt

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import map_shares, n_threads, thread_shares
from sparsegp.model.noise.distribution import FURTHEST_NORMAL, NORMAL, NoiseDistribution
from sparsegp.model.policy import ROWS_AT_ONCE
from sparsegp.tables.transforms.warps import Warp

__all__ = ["N_PARTS", "warped_covariance", "warped_moments"]

Floats = npt.NDArray[np.float64]

# Intervals between the ends of a warp, and how many standard deviations they reach.
N_PARTS, FURTHEST = 4, FURTHEST_NORMAL
# Hermite coefficients of a covariance, and the nodes of the rule that computes them.
N_COEFFICIENTS = 24
N_HERMITE_NODES = 400


def warped_moments(
    warp: Warp, mean: Floats, deviation: Floats, tails: NoiseDistribution = NORMAL
) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of y from location and scale of z, (n,) each."""
    moments = np.empty((2, len(mean)))

    def fill(parts: Sequence[slice]) -> None:
        for part in parts:
            moments[:, part] = _moments(warp, mean[part], deviation[part], tails)

    parts = [slice(i, i + ROWS_AT_ONCE) for i in range(0, len(mean), ROWS_AT_ONCE)]
    map_shares(fill, thread_shares(parts, n_threads()))
    return moments[0], moments[1]


def _moments(
    warp: Warp, mean: Floats, deviation: Floats, tails: NoiseDistribution
) -> tuple[Floats, Floats]:
    # of t = (y − offset)/scale, as squares of y may overflow; about the median, as the deviation
    # may be tiny beside the size
    offset, scale, warp = warp.offset, warp.scale, replace(warp, offset=0.0, scale=1.0)
    median = warp.invert(mean)
    ends = [(end - mean) / deviation for end in (-np.inf, *warp.marks(N_PARTS), np.inf)]
    nodes, weights = np.polynomial.legendre.leggauss(tails.n_nodes)
    first, second = np.zeros_like(mean), np.zeros_like(mean)
    for low, high in pairwise(tails.parts(np.array(ends))):  # (n,) each
        some = np.flatnonzero(high > low)  # the interval is empty for other rows
        half = 0.5 * (high - low)[some, None]
        u, density = tails.at(0.5 * (low + high)[some, None] + half * nodes)  # (s, nodes) each
        y = warp.invert(mean[some, None] + deviation[some, None] * u) - median[some, None]
        weighted = half * weights * density * y
        first[some] += np.sum(weighted, axis=1)
        second[some] += np.sum(weighted * y, axis=1)
    std = np.sqrt(np.maximum(second - first * first, 0.0))
    return (median + first) * scale + offset, std * scale


def warped_covariance(
    warp: Warp, mean: Floats, covariance: Floats, tails: NoiseDistribution = NORMAL
) -> tuple[Floats, Floats]:
    """Return mean (n,) and covariance (n, n) of y from those of z."""
    deviation = np.sqrt(np.diagonal(covariance))
    y_mean, y_deviation = warped_moments(warp, mean, deviation, tails)
    correlation = covariance / deviation / deviation[:, None]
    power, total = np.ones_like(correlation), np.zeros_like(correlation)
    parts = tails.mixture()
    found = [_hermite_coefficients(warp, mean, scale * deviation) for scale, _ in parts]
    for c in np.tensordot([share for _, share in parts], found, axes=1):  # (n,) each
        power *= correlation
        total += c * c[:, None] * power
    total[np.diag_indices_from(total)] = y_deviation**2
    return y_mean, total


def _hermite_coefficients(warp: Warp, mean: Floats, deviation: Floats) -> list[Floats]:
    """Return c_1, c_2, … of every row: (n,) each."""
    u, step = np.linspace(-FURTHEST, FURTHEST, N_HERMITE_NODES, retstep=True)
    median = warp.invert(mean)
    y = warp.invert(mean[:, None] + deviation[:, None] * u) - median[:, None]  # (n, nodes)
    weighted = y * (_normal_density(u) * step)
    before, now = np.ones_like(u), u  # He_0, He_1, divided by √k!
    found = []
    for k in range(1, N_COEFFICIENTS + 1):
        found.append(weighted @ now)
        before, now = now, (u * now - sqrt(k) * before) / sqrt(k + 1)
    return found


def _normal_density(u: Floats) -> Floats:
    return np.exp(-0.5 * u * u) / sqrt(2.0 * pi)
