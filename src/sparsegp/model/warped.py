"""A Gaussian belief about z seen through a warp: mean, deviation and covariance of the target y.

A quantile of y is the warp's inverse at the quantile of z, and log p(y) = log N(z(y)) + log dz/dy;
moments are integrals. Beyond its ends a warp is straight, and what lies there has moments in closed
form; between the ends a Gauss–Legendre rule integrates a smooth function:

    E y = ∫ y(μ + σu) φ(u) du.

Covariances follow from Hermite coefficients c_k = E[y He_k(u)]/√k! (Mehler's formula): for two
beliefs of correlation ρ, Cov(y, y′) = Σ_k≥1 c_k c′_k ρᵏ.
"""

from math import pi, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

from sparsegp.data.warps import Warp

__all__ = ["warped_covariance", "warped_moments"]

Floats = npt.NDArray[np.float64]

# Nodes between the ends, which are not looked at further out than so many deviations.
N_NODES = 64
FURTHEST = 9.0
# Hermite coefficients of a covariance, and the nodes they are computed with.
N_COEFFICIENTS = 24
N_HERMITE_NODES = 400
ROWS_AT_ONCE = 4096

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(N_NODES)


def warped_moments(warp: Warp, mean: Floats, deviation: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of y from those of z, (n,) each."""
    parts = [slice(i, i + ROWS_AT_ONCE) for i in range(0, len(mean), ROWS_AT_ONCE)]
    found = [_moments(warp, mean[part], deviation[part]) for part in parts]
    means, deviations = (np.concatenate(both) for both in zip(*found, strict=True))
    return means, deviations


def _moments(warp: Warp, mean: Floats, deviation: Floats) -> tuple[Floats, Floats]:
    # moments are taken about the median: the spread of y may be nothing beside its size
    median = warp.invert(mean)
    u_low, u_high = (
        np.clip((end - mean) / deviation, -FURTHEST, FURTHEST) for end in warp.ends
    )  # (n,)
    half = 0.5 * (u_high - u_low)[:, None]
    u = 0.5 * (u_low + u_high)[:, None] + half * _NODES  # (n, nodes)
    y = warp.invert(mean[:, None] + deviation[:, None] * u) - median[:, None]
    weight = half * _WEIGHTS * _normal_density(u)
    first, second = np.sum(weight * y, axis=1), np.sum(weight * y * y, axis=1)
    for side, u_end in ((-1.0, u_low), (1.0, u_high)):
        add_first, add_second = _straight_part(warp, mean, deviation, median, side, u_end)
        first, second = first + add_first, second + add_second
    return median + first, np.sqrt(np.maximum(second - first * first, 0.0))


def _straight_part(
    warp: Warp, mean: Floats, deviation: Floats, median: Floats, side: float, u_end: Floats
) -> tuple[Floats, Floats]:
    """Return the first two moments of y − median = a + b·u where side·u > side·u_end."""
    a = warp.invert(mean + deviation * u_end) - median  # at the end; b by a step beyond
    b = warp.invert(mean + deviation * (u_end + side)) - median - a
    a = a - b * side * u_end
    b = b * side
    mass, density = ndtr(-side * u_end), _normal_density(u_end)
    first = a * mass + side * b * density
    square = mass + side * u_end * density  # ∫ u²φ
    second = a * a * mass + 2.0 * side * a * b * density + b * b * square
    return first, second


def warped_covariance(warp: Warp, mean: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Return mean (n,) and covariance (n, n) of y from those of z."""
    deviation = np.sqrt(np.diagonal(covariance))
    y_mean, y_deviation = warped_moments(warp, mean, deviation)
    correlation = covariance / deviation / deviation[:, None]
    power, total = np.ones_like(correlation), np.zeros_like(correlation)
    for c in _hermite_coefficients(warp, mean, deviation):
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
