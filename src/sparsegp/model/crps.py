"""The continuous ranked probability score, CRPS(F, y) = ∫ (F(x) − [x ≥ y])² dx.

It is in the units of y; of a prediction without uncertainty it is the absolute error. Closed for a
normal distribution and for Student's t (Jordan, Krüger & Lerch 2019). For a warped target, with
x(u) the target at u standard units and G the distribution of u,

    CRPS = 2 ∫ ([u ≥ u_y] − G(u)) (x(u) − y) dG(u),

the integral over quantiles, by Gauss–Legendre rules between marks of the warp and u_y.
"""

from itertools import pairwise
from math import pi, sqrt

import numpy as np
import numpy.typing as npt
from scipy.special import betaln

from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.model.policy import ROWS_AT_ONCE
from sparsegp.model.warped import N_PARTS
from sparsegp.tables.transforms.warps import Warp

__all__ = ["standard_crps", "warped_crps"]

Floats = npt.NDArray[np.float64]


def standard_crps(u: Floats, tails: NoiseDistribution) -> Floats:
    """Return the CRPS of u, in units of the scale.

    >>> round(float(standard_crps(np.array(0.0), NoiseDistribution())), 4)
    0.2337
    """
    density = np.exp(tails.log_density(u, np.ones(())))
    signed = u * (2.0 * tails.cdf(u) - 1.0)
    if tails.df is None:
        return signed + 2.0 * density - 1.0 / sqrt(pi)
    nu = tails.df
    log_ratio = betaln(0.5, nu - 0.5) - 2.0 * betaln(0.5, 0.5 * nu)
    spread = 2.0 * sqrt(nu) / (nu - 1.0) * np.exp(log_ratio)  # half of E|u − u′|
    return signed + 2.0 * density * (nu + u * u) / (nu - 1.0) - spread


def warped_crps(
    warp: Warp, location: Floats, scale: Floats, tails: NoiseDistribution, y: Floats
) -> Floats:
    """Return the CRPS of targets y from location and scale of z: (n,)."""
    parts = [slice(i, i + ROWS_AT_ONCE) for i in range(0, len(y), ROWS_AT_ONCE)]
    found = [_warped(warp, location[at], scale[at], tails, y[at]) for at in parts]
    return np.concatenate(found) if found else np.empty(0)


def _warped(
    warp: Warp, location: Floats, scale: Floats, tails: NoiseDistribution, y: Floats
) -> Floats:
    own = (warp.apply(y) - location) / scale  # (n,), −∞ for an impossible target
    marks = [(end - location) / scale for end in (-np.inf, *warp.marks(N_PARTS), np.inf)]
    ends = np.sort(np.array([*marks, own]), axis=0)
    nodes, weights = np.polynomial.legendre.leggauss(tails.n_nodes)
    total = np.zeros_like(y)
    for low, high in pairwise(tails.parts(ends)):  # (n,) each
        some = np.flatnonzero(high > low)  # the interval is empty for other rows
        half = 0.5 * (high - low)[some, None]
        u, density = tails.at(0.5 * (low + high)[some, None] + half * nodes)  # (s, nodes) each
        x = warp.invert(location[some, None] + scale[some, None] * u)
        above = u >= own[some, None]
        # 1 − G(u) is G(−u): no difference of numbers close to one
        share = np.where(above, tails.cdf(-u), -tails.cdf(u))
        integrand = share * (x - y[some, None]) * density
        total[some] += np.sum(half * weights * integrand, axis=1)
    return 2.0 * total
