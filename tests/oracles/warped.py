"""Targets to bend, curves to bend them by, and integrals as plain sums."""

import numpy as np
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

from sparsegp.tables.transforms.curves import Logarithm, SinhArcsinh, Straight, YeoJohnson
from sparsegp.tables.transforms.warps import fit_warps


def skewed(rng, n):
    return np.exp(1.5 * rng.standard_normal(n))


def bounded(rng, n):
    return rng.beta(0.4, 0.4, n) + 0.01


def heavy_tailed(rng, n):
    return 100.0 + rng.standard_t(2.0, n)


def constant_in_part(rng, n):
    return np.where(rng.random(n) < 0.6, 1.0, 1.0 + rng.exponential(5.0, n))


def tiny_with_offset(rng, n):
    return 1e-6 * rng.standard_normal(n) + 3.0


TARGETS = (skewed, bounded, heavy_tailed, constant_in_part, tiny_with_offset)


@st.composite
def curves(draw):
    """Draw any curve within its bounds."""
    start = draw(st.sampled_from([Straight(), Logarithm(), YeoJohnson(), SinhArcsinh()]))
    at = [draw(st.floats(0.0, 1.0)) for _ in start.vector]
    low, high = start.bounds[:, 0], start.bounds[:, 1]
    return start.with_vector(low + np.array(at) * (high - low))


@st.composite
def warps(draw):
    """Draw a curve, and a target that it is fitted to: (warp, target)."""
    curve = draw(curves())
    make = draw(st.sampled_from(TARGETS))
    y = make(np.random.default_rng(draw(st.integers(0, 1000))), draw(st.integers(2, 60)))
    if isinstance(curve, Logarithm):
        y = np.abs(y) + 1e-3
    return fit_warps(y[:, None], None, [curve]).warps[0], y


def moments_by_sum(warp, mean, deviation):
    """Return the median and, about it, mean and standard deviation of y: a Riemann sum."""
    u = np.linspace(-12.0, 12.0, 100_001)
    median = warp.invert(np.array([mean]))[0]
    y = warp.invert(mean + deviation * u) - median
    p = norm.pdf(u) * (u[1] - u[0])
    first = y @ p
    return median, first, np.sqrt((y - first) ** 2 @ p)


def scores_by_ranks(x):
    """Return Φ⁻¹ of mid-ranks."""
    return norm.ppf((rankdata(x) - 0.5) / len(x))
