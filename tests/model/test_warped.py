"""Moments of a target behind a warp, against plain sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

from sparsegp.model.warped import warped_covariance, warped_moments
from sparsegp.tables.transforms.curves import Logarithm, SinhArcsinh, Straight
from sparsegp.tables.transforms.warps import fit_warps
from tests.oracles.warped import moments_by_sum, skewed, warps
from tests.property_settings import cases


@cases(100)
@given(warps(), st.floats(-12.0, 12.0), st.sampled_from([1e-3, 0.03, 0.3, 1.0, 4.0]))
def test_mean_and_deviation_equal_sums(drawn, mean, deviation):
    warp, _ = drawn
    ours_mean, ours_std = (
        v[0] for v in warped_moments(warp, np.array([mean]), np.array([deviation]))
    )
    median, first, std = moments_by_sum(warp, mean, deviation)
    assert np.isfinite(ours_mean) and np.isfinite(ours_std)
    assert abs(ours_mean - median - first) <= 5e-4 * std + 1e-13 * abs(median)
    assert ours_std == pytest.approx(std, rel=5e-4)


def test_moments_of_a_logarithm_far_from_its_end_are_those_of_a_lognormal():
    y = np.array([[np.exp(-50.0)], [np.exp(50.0)]])  # z = log y / 50
    warp = fit_warps(y, None, [Logarithm()]).warps[0]
    mean, std = warped_moments(warp, np.zeros(1), np.array([0.02]))
    assert mean[0] == pytest.approx(np.exp(0.5), rel=1e-8)
    assert std[0] == pytest.approx(np.exp(0.5) * np.sqrt(np.expm1(1.0)), rel=1e-7)


@pytest.mark.parametrize("correlation", [-0.9, 0.0, 0.5, 0.99])
@pytest.mark.parametrize("curve", [Straight(), SinhArcsinh(tail=0.4, skew=1.0), Logarithm()])
def test_covariance_equals_a_double_sum(curve, correlation):
    warp = fit_warps(skewed(np.random.default_rng(0), 200)[:, None], None, [curve]).warps[0]
    mean, deviation = np.array([0.3, -0.5]), np.array([0.7, 0.4])
    joint = np.outer(deviation, deviation) * [[1.0, correlation], [correlation, 1.0]]
    found_mean, found = warped_covariance(warp, mean, joint)
    u = np.linspace(-8.0, 8.0, 1201)
    first, second = np.meshgrid(u, u, indexing="ij")
    unit = np.array([[1.0, correlation], [correlation, 1.0]])
    p = multivariate_normal([0.0, 0.0], unit).pdf(np.stack((first, second), axis=-1))
    p *= (u[1] - u[0]) ** 2
    y = [warp.invert(mean[i] + deviation[i] * u) for i in range(2)]
    product = np.sum(p * y[0][:, None] * y[1][None, :])
    means, stds = warped_moments(warp, mean, deviation)
    np.testing.assert_allclose(found_mean, means)
    np.testing.assert_allclose(np.diag(found), stds**2)
    assert found[0, 1] == pytest.approx(product - means[0] * means[1], abs=2e-3 * stds.prod())
