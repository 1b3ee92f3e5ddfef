"""The probit against quadrature, differences and its limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_ndtr
from scipy.stats import norm

from sparsegp.likelihoods import Probit, site_of
from sparsegp.likelihoods.probit import (
    hazard_curvature,
    log_cdf,
    log_cdf_by_hazard,
    normal_hazard,
)
from tests.oracles.dense import central_differences

beliefs = st.tuples(
    st.sampled_from([-1.0, 1.0]), st.floats(-4.0, 4.0), st.floats(0.01, 9.0)
)  # y, mean, variance
probits = st.builds(Probit, slope=st.floats(0.2, 5.0), bias=st.floats(-2.0, 2.0))


def one(*numbers: float) -> list[np.ndarray]:
    return [np.array([number]) for number in numbers]


def tilted_moments(probit: Probit, y: float, mean: float, variance: float) -> list[float]:
    """⟨p⟩, and mean and variance of the belief times p(y | f), on a fine grid."""
    std = np.sqrt(variance)
    t = np.linspace(-12.0, 12.0, 20_001)  # the trapezium rule is exact for what ends so flat
    mass = norm.cdf(probit.slope * y * (mean + std * t + probit.bias)) * norm.pdf(t)
    z = mass.sum() * (t[1] - t[0])
    first, second = mass @ t / mass.sum(), mass @ t**2 / mass.sum()
    return [z, mean + std * first, variance * (second - first**2)]


@given(probit=probits, belief=beliefs)
def test_a_site_gives_the_belief_the_moments_of_the_tilted_one(probit, belief):
    y, mean, variance = belief
    z, tilted_mean, tilted_variance = tilted_moments(probit, y, mean, variance)
    found = probit.moment_match(*one(y, mean, variance))
    np.testing.assert_allclose(np.exp(found.log_z), z, rtol=1e-8)
    w, shift = site_of(found, *one(mean, variance))
    new = 1.0 / (1.0 / variance + w)
    np.testing.assert_allclose(new, tilted_variance, rtol=1e-6)
    np.testing.assert_allclose(new * (mean / variance + shift), tilted_mean, rtol=1e-6, atol=1e-7)


@given(probit=probits, belief=beliefs)
def test_derivatives(probit, belief):
    y, mean, variance = belief

    def log_z(mean=mean, variance=variance, probit=probit):
        return float(probit.moment_match(*one(y, mean, variance)).log_z[0])

    found = probit.moment_match(*one(y, mean, variance))
    close = {"rtol": 1e-6, "atol": 1e-8}
    slope = central_differences(lambda mean: log_z(mean=float(mean)), mean)
    np.testing.assert_allclose(found.q, slope, **close)

    def q(mean):
        return float(probit.moment_match(*one(y, float(mean), variance)).q[0])

    np.testing.assert_allclose(found.r, central_differences(q, mean), **close)
    by_variance = central_differences(
        lambda v: log_z(variance=float(v)), variance, 1e-4 * min(1.0, variance)
    )
    np.testing.assert_allclose(found.by_variance, by_variance, **close)
    by_slope = central_differences(
        lambda s: log_z(probit=Probit(float(np.exp(s)), probit.bias)), np.log(probit.slope)
    )
    np.testing.assert_allclose(probit.by_log_slope(found), by_slope, **close)
    by_bias = central_differences(
        lambda b: log_z(probit=Probit(probit.slope, float(b))), probit.bias
    )
    np.testing.assert_allclose(probit.by_bias(found), by_bias, **close)


@pytest.mark.parametrize("size", [50.0, 1e3, 1e8])
@pytest.mark.parametrize("y", [-1.0, 1.0])
@pytest.mark.parametrize("slope", [0.1, 1.0, 30.0])
def test_extreme_margins_are_finite(size, y, slope):
    mean, variance = np.array([-size, size]), np.array([2.0, 2.0])
    found = Probit(slope).moment_match(np.full(2, y), mean, variance)
    w, shift = site_of(found, mean, variance)
    for part in (found.log_z, found.q, found.r, found.by_variance, w, shift):
        assert np.isfinite(part).all()
    assert (found.log_z <= 0.0).all()
    assert (found.r <= 0.0).all()
    assert (w >= 0.0).all()
    assert (1.0 + variance * found.r > 0.0).all()  # a share of the variance is left


def test_limits_of_the_hazard():
    z = np.array([-1e8, -1e4, -200.0, -149.0])
    # Mills' ratio: h = t + 1/t − 2/t³ + 10/t⁵ …, t = −z
    t = -z
    hazard = normal_hazard(z)
    np.testing.assert_allclose(hazard, t + 1 / t - 2 / t**3 + 10 / t**5, rtol=1e-12)
    series = 1.0 - 1.0 / t**2 + 6.0 / t**4
    np.testing.assert_allclose(hazard_curvature(z, hazard), series, rtol=1e-10)
    assert normal_hazard(np.array([1e8])) == 0.0


def test_probability_and_its_logarithm_agree():
    rng = np.random.default_rng(0)
    mean, variance = 3.0 * rng.standard_normal(20), rng.uniform(0.0, 4.0, 20)
    probit, ones = Probit(1.7, -0.3), np.ones(20)
    p = probit.probability(mean, variance)
    np.testing.assert_allclose(np.log(p), probit.log_probability(ones, mean, variance))
    np.testing.assert_allclose(1.0 - p, np.exp(probit.log_probability(-ones, mean, variance)))
    np.testing.assert_allclose(
        probit.moment_match(ones, mean, variance).log_z,
        probit.log_probability(ones, mean, variance),
        atol=1e-12,  # the one by a hazard, which is there anyhow
    )


@given(probit=probits, belief=beliefs)
def test_means_of_the_logarithm(probit, belief):
    """``expect`` is differentiable: its parts are derivatives of the first by the mean."""
    y, mean, variance = belief

    def mean_log(mean):
        return float(probit.expect(*one(y, float(mean), variance))[0][0])

    def mean_slope(mean):
        return float(probit.expect(*one(y, float(mean), variance))[1][0])

    _, q, r = probit.expect(*one(y, mean, variance))
    np.testing.assert_allclose(q, central_differences(mean_log, mean), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(r, central_differences(mean_slope, mean), rtol=1e-5, atol=1e-6)


def test_the_logarithm_of_the_cdf_by_its_hazard():
    z = np.concatenate((-np.logspace(-3, 12, 200), [0.0], np.logspace(-3, 3, 200)))
    found, exact = log_cdf_by_hazard(z, normal_hazard(z)), log_ndtr(z)
    assert np.all(np.abs(found - exact) <= 1e-13 * (1.0 + z**2))
    assert np.all(found <= 0.0)


def test_log_cdf_is_right_wherever_it_goes():
    z = np.concatenate((np.linspace(-60.0, 12.0, 2001), [-1e9, -1e3, -37.0, 0.0, 40.0, 1e9]))
    expected = log_ndtr(z)
    np.testing.assert_allclose(log_cdf(z), expected, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(log_cdf(z[z > -37.0]), expected[z > -37.0], rtol=1e-14, atol=1e-15)
    assert log_cdf(np.zeros((2, 0))).shape == (2, 0)
    assert log_cdf(np.array([np.nan, -50.0]))[1] == pytest.approx(log_ndtr(-50.0))
