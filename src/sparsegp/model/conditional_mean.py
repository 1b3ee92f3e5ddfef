"""The expected target given the function, E[y | f], of a warped target.

Noise on the warped scale changes the mean of y by an amount that depends on f:

    m(f, s) = E y(f + s·u),

an integral for each f (``warped``). For one scale s of the noise m is as smooth as the density of
s·u, however steep the warp, so that a spline with several knots for each s has it. Between scales
that differ little, m is a polynomial in log s. Thousands of values of f thus cost a few dozen
integrals.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from scipy.interpolate import make_interp_spline

from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.model.warped import warped_moments
from sparsegp.tables.transforms.warps import Warp

__all__ = ["alike_scales", "conditional_means"]

Floats = npt.NDArray[np.float64]

# Knots of the spline for each scale of the noise, and its degree; scales within the factor ALIKE
# share their splines, N_SCALES of them. The parts of an uncertainty are then right to 10⁻¹⁰ of the
# standard deviation of y, to 10⁻⁶ where the warp is nearly a step.
KNOTS_PER_SCALE, DEGREE = 6, 5
ALIKE, N_SCALES = 1.5, 8
# Logarithms of scales that differ by less are equal: by rounding, for instance.
EQUAL = 1e-9


def alike_scales(scale: Floats, most: int) -> Iterator[npt.NDArray[np.intp]]:
    """Yield rows whose scales (n,) are within a factor ``ALIKE``, at most ``most`` at a time.

    >>> [at.tolist() for at in alike_scales(np.array([1.0, 9.0, 1.1, 1.0]), most=2)]
    [[0, 3], [2], [1]]
    """
    order = np.argsort(scale, kind="stable")
    log_scale = np.log(np.maximum(scale[order], np.finfo(np.float64).tiny))
    start = 0
    while start < len(order):
        alike = np.searchsorted(log_scale, log_scale[start] + np.log(ALIKE), side="right")
        stop = min(int(alike), start + most)
        yield order[start:stop]
        start = stop


def conditional_means(warp: Warp, f: Floats, scale: Floats, tails: NoiseDistribution) -> Floats:
    """Return E[y | f] for f (n, k), the noise of a row having this scale (n,): (n, k).

    The scales are alike. Integrals for splines are used if they are fewer than those for f.
    """
    low, high = float(np.min(f)), float(np.max(f))
    scales = _chebyshev_points(np.log(np.min(scale)), np.log(np.max(scale)))  # (j,), logarithms
    n_knots = (high - low) / np.exp(scales[0]) * KNOTS_PER_SCALE + DEGREE + 1
    if not n_knots * len(scales) < 0.5 * f.size:  # also if it is not a number
        each = np.repeat(scale, f.shape[1])
        return warped_moments(warp, f.ravel(), each, tails)[0].reshape(f.shape)
    knots = np.linspace(low, high, int(n_knots) + 1)
    means = warped_moments(
        warp, np.tile(knots, len(scales)), np.repeat(np.exp(scales), len(knots)), tails
    )[0]
    spline = make_interp_spline(knots, means.reshape(len(scales), -1).T, k=DEGREE)
    return np.einsum("nkj,nj->nk", spline(f), _lagrange(scales, np.log(scale)))


def _chebyshev_points(low: float, high: float) -> Floats:
    """Return points of an interval, both ends among them; one if they are about equal: (j,)."""
    if not high - low > EQUAL:
        return np.array([low])
    angles = np.linspace(np.pi, 0.0, N_SCALES)
    return 0.5 * (low + high) + 0.5 * (high - low) * np.cos(angles)


def _lagrange(points: Floats, x: Floats) -> Floats:
    """Return the weights of values at points (j,) in the interpolating polynomial at x: (n, j).

    >>> _lagrange(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.5]))
    array([[-0.   ,  1.   ,  0.   ],
           [-0.125,  0.75 ,  0.375]])
    """
    weights = np.ones((len(x), len(points)))
    for j, point in enumerate(points):
        for other in np.delete(points, j):
            weights[:, j] *= (x - other) / (point - other)
    return weights
