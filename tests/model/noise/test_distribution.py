"""Normal and Student's t distributions of predictions."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm, t

from sparsegp.model.noise.distribution import NORMAL, NoiseDistribution
from sparsegp.model.warped import warped_covariance, warped_moments
from sparsegp.tables.transforms.curves import Logarithm, SinhArcsinh, Straight
from sparsegp.tables.transforms.warps import fit_warps

EVERY = [NORMAL, NoiseDistribution(2.5), NoiseDistribution(4.0), NoiseDistribution(40.0)]
every_shape = pytest.mark.parametrize("tails", EVERY, ids=["normal", "2.5", "4", "40"])


def of_scipy(tails):
    return norm() if tails.df is None else t(tails.df)


@every_shape
def test_they_are_those_of_scipy(tails):
    u, q = np.linspace(-30.0, 30.0, 41), np.array([1e-9, 0.02, 0.5, 0.9, 1.0 - 1e-6])
    reference = of_scipy(tails)
    scale = np.full_like(u, 0.7)
    wanted = reference.logpdf(u) - np.log(0.7)
    np.testing.assert_allclose(tails.log_density(u, scale), wanted, rtol=1e-10)
    np.testing.assert_allclose(tails.cdf(u), reference.cdf(u), rtol=1e-9)
    np.testing.assert_allclose(tails.cdf(tails.quantile(q)), q, rtol=1e-8)
    assert tails.deviation == pytest.approx(reference.std(), rel=1e-10)


@every_shape
def test_the_mixture_is_the_distribution(tails):
    scales, shares = map(np.array, zip(*tails.mixture(), strict=True))
    for u in (-3.0, 0.4, 8.0):
        found = shares @ norm.pdf(u, scale=scales)
        assert found == pytest.approx(of_scipy(tails).pdf(u), rel=1e-6)


def warp_of(curve):
    y = np.exp(np.random.default_rng(0).standard_normal((300, 1)))
    return fit_warps(y, None, [curve]).warps[0]


CURVES = {
    "straight": Straight(),
    "log": Logarithm(),
    "sinh-arcsinh": SinhArcsinh(0.0, 1.0, 0.7, 0.5),
}


@every_shape
@pytest.mark.parametrize("name", CURVES)
def test_moments_through_a_warp(tails, name):
    warp = warp_of(CURVES[name])
    mean, scale = 0.3, 0.6

    def integral(power, centre=0.0):
        def integrand(x):
            u, density = tails.at(np.array([x]))
            y = warp.invert(mean + scale * u)
            return float((y[0] - centre) ** power * density[0])

        ends = np.array([-9.0, -3.0, -1.0, 0.0, 1.0, 3.0, 9.0])
        ends = ends if tails.df is None else np.array([-30.0, -10.0, *ends[1:-1], 10.0, 30.0])
        return sum(quad(integrand, a, b, limit=400)[0] for a, b in pairwise(ends))

    assert integral(0) == pytest.approx(1.0, abs=1e-7)
    first = integral(1)
    found, deviation = warped_moments(warp, np.array([mean]), np.array([scale]), tails)
    assert found[0] == pytest.approx(first, rel=1e-4)
    assert deviation[0] == pytest.approx(integral(2, first) ** 0.5, rel=1e-3)
    if name == "straight":
        slope = float(np.diff(warp.invert(np.array([0.0, 1.0])))[0])
        assert deviation[0] == pytest.approx(slope * scale * tails.deviation, rel=1e-3)


def test_covariances_are_those_of_samples():
    tails, rng = NoiseDistribution(6.0), np.random.default_rng(0)
    C = np.array([[0.5, 0.3], [0.3, 0.4]])
    n = 400_000
    g = rng.multivariate_normal(np.zeros(2), C, n)
    z = g / np.sqrt(tails.precisions((n, 2), rng))
    np.testing.assert_allclose(tails.covariance(C), np.cov(z.T), rtol=0.03)
    warp = warp_of(SinhArcsinh(0.0, 1.0, 0.9, 0.3))
    mean, joint = warped_covariance(warp, np.array([0.2, -0.1]), C, tails)
    y = warp.invert(z + np.array([0.2, -0.1]))
    np.testing.assert_allclose(mean, y.mean(axis=0), rtol=0.02)
    np.testing.assert_allclose(joint, np.cov(y.T), rtol=0.06)
