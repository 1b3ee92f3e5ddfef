"""The density of left-out errors is that of SciPy, and its derivatives are differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sparsegp.learning.noise.error_density import ErrorDensity
from sparsegp.model.leave_one_out.predictions import LeftOut
from tests.oracles.dense import central_differences

VARIANCE = 0.4
AROUND = 1.7


def density_of(n_outputs=1, n=12, seed=0):
    rng = np.random.default_rng(seed)
    d, h = rng.exponential(1.0, n), rng.exponential(0.2, n)
    error, mean = rng.standard_t(3.0, (2, n, n_outputs))
    left_out = LeftOut(error, mean, d, h, rng.integers(1, 4, n) / 2.0)
    factor = rng.uniform(0.5, 2.0, n)
    density = ErrorDensity.of(left_out, VARIANCE, factor, AROUND)
    return density.at_level(rng.standard_normal(n)), left_out, factor


def variances(density, left_out, factor, at):
    noise = VARIANCE * factor * np.exp(at[2] * density.t + at[3] * (density.t**2 - 1.0))
    return np.exp(at[1]) * left_out.residual + np.exp(at[0]) * (left_out.weights + noise)


def prior(density, at):
    return 0.5 * ((at[1] - np.log(AROUND)) ** 2 + at[2] ** 2 + at[3] ** 2) / density.n


def test_it_is_that_of_normal_errors():
    density, left_out, factor = density_of()
    at = np.array([0.2, -0.5, 0.3, -0.1])
    v = variances(density, left_out, factor, at)
    logs = stats.norm.logpdf(left_out.error[:, 0], scale=np.sqrt(v))
    expected = prior(density, at) - np.average(logs, weights=left_out.count)
    assert density.expansion(at)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_it_is_that_of_student_errors_an_output(n_outputs):
    density, left_out, factor = density_of(n_outputs)
    at = np.array([0.2, -0.5, 0.3, -0.1, np.log(4.5)])
    v = variances(density, left_out, factor, at)
    logs = [
        stats.multivariate_t.logpdf(e, shape=s * np.eye(n_outputs), df=4.5)
        for e, s in zip(left_out.error, v, strict=True)
    ]
    expected = prior(density, at) - np.average(logs, weights=left_out.count) / n_outputs
    assert density.expansion(at)[0] == pytest.approx(expected, rel=1e-12)


SCALE = st.floats(-2.0, 2.0)
STEEPNESS = st.floats(-0.5, 0.5)
LOG_DF = st.none() | st.floats(np.log(2.5), np.log(50.0))


@given(SCALE, SCALE, STEEPNESS, STEEPNESS, LOG_DF, st.sampled_from([1, 2]), st.integers(0, 9))
def test_gradient_and_hessian_are_central_differences(a, tau, b, c, log_df, n_outputs, seed):
    density, _, _ = density_of(n_outputs, seed=seed)
    at = np.array([a, tau, b, c] if log_df is None else [a, tau, b, c, log_df])
    _, gradient, hessian = density.expansion(at)
    expected = central_differences(lambda x: density.expansion(x)[0], at)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    columns = [
        central_differences(lambda x, i=i: density.expansion(x)[1][i], at) for i in range(len(at))
    ]
    np.testing.assert_allclose(hessian, np.array(columns), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(hessian, hessian.T, atol=1e-14)


def test_beyond_the_limit_of_the_exponent_it_does_not_change():
    density, _, _ = density_of()
    far = replace(density, t=np.where(np.arange(12) < 6, 40.0, density.t))
    at = np.array([0.1, 0.2, 0.5, 0.3])
    _, gradient, hessian = far.expansion(at)
    expected = central_differences(lambda x: far.expansion(x)[0], at)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    row = central_differences(lambda x: far.expansion(x)[1][2], at)
    np.testing.assert_allclose(hessian[2], row, rtol=1e-6, atol=1e-8)
