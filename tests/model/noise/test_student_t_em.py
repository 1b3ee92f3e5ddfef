"""Weights of outliers against a dense Gaussian process with the same fixed point."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import multivariate_t, t

from sparsegp.kernels import RBF
from sparsegp.learning.conditioning import condition_reweighted
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.noise_models import StudentTNoise
from sparsegp.model.approximation import APPROXIMATIONS, VFE
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.model.noise.student_t_em import expected_squares, factors, likeliest_df, log_student
from sparsegp.model.posterior import solve_posterior
from sparsegp.tables.rows import Rows
from tests.oracles import dense

KERNEL, VARIANCE = 1.5 * RBF(0.8), 0.05


def make_rows(n=40, n_outputs=1):
    rng = np.random.default_rng(0)
    X = np.sort(rng.uniform(-2.0, 2.0, (n, 1)), axis=0)
    y = np.sin(2.0 * X + np.arange(n_outputs)) + 0.2 * rng.standard_t(2.5, (n, n_outputs))
    return Rows(X, y)


def dense_fixed_point(rows, n_turns):
    """Return r and ν of the exact Gaussian process, by the formulas of the textbook."""
    K, y, r, df = KERNEL(rows.X, rows.X), rows.y[:, 0], np.ones(len(rows)), 4.0
    for _ in range(n_turns):
        gain = np.linalg.solve(K + np.diag(VARIANCE * r), K).T  # K C⁻¹
        mean, variance = gain @ y, np.diagonal(K - gain @ K)
        S = (y - mean) ** 2 + variance

        def loss(log_df, S=S):
            return -np.sum(t.logpdf(np.sqrt(S), np.exp(log_df), scale=VARIANCE**0.5))

        bounds = (np.log(2.5), np.log(50.0))
        df = np.exp(minimize_scalar(loss, bounds=bounds, method="bounded").x)
        r = (df + S / VARIANCE) / (df + 1.0)
    return r, df, mean


def test_the_fixed_point_is_that_of_a_dense_process():
    rows = make_rows()
    parameters = Parameters(KERNEL, VARIANCE)
    found = condition_reweighted(rows, rows.X, parameters, VFE, None, StudentTNoise(), 60)
    assert found.n_iterations < 60  # it stands still
    r, df, mean = dense_fixed_point(rows, 80)
    np.testing.assert_allclose(found.rows.noise_factor, r, rtol=0.02)
    assert found.noise.tails.df == pytest.approx(df, rel=0.02)
    np.testing.assert_allclose(found.posterior.mean(rows.X)[:, 0], mean, atol=0.01)
    assert np.max(r) > 5.0  # there are outliers


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_expected_squares_are_those_of_the_dense_posterior(name):
    rows, rng = make_rows(15, 2), np.random.default_rng(4)
    rows = Rows(rows.X, rows.y, None, np.exp(rng.standard_normal(15)))
    rule, Z = APPROXIMATIONS[name], rows.X[::4]
    basis = make_basis(KERNEL, Z)
    posterior = solve_posterior(basis, collect_moments(basis, rows, VARIANCE, rule), rule)
    Q = dense.explained(KERNEL, rows.X, Z, rows.X)
    d, noise = np.diagonal(KERNEL(rows.X, rows.X) - Q), np.diag(VARIANCE * rows.noise_factor)
    prior = Q + np.diag(d) if name == "fitc" else Q
    gain = prior @ np.linalg.inv(prior + noise)
    variance = np.diagonal(prior - gain @ prior) + (d if name == "vfe" else 0.0)
    wanted = np.sum((rows.y - gain @ rows.y) ** 2, axis=1) + 2.0 * variance
    np.testing.assert_allclose(expected_squares(posterior, rows, VARIANCE), wanted, rtol=1e-6)


def test_density_of_several_outputs():
    e = np.array([0.3, -1.2])
    wanted = multivariate_t.logpdf(e, shape=0.4 * np.eye(2), df=3.0)
    assert log_student(e @ e, 0.4, 3.0, 2) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("df", [3.0, 8.0])
def test_degrees_of_freedom_are_found(df):
    square = np.random.default_rng(0).standard_t(df, 40_000) ** 2
    assert likeliest_df(square, None, 1.0, 1) == pytest.approx(df, rel=0.1)
    once = likeliest_df(square[:2000], np.full(2000, 3.0), 1.0, 1)
    assert once == pytest.approx(likeliest_df(np.tile(square[:2000], 3), None, 1.0, 1), rel=1e-6)


def test_rows_as_expected_weigh_about_as_much_as_ever():
    assert factors(np.array([1.0]), 1.0, 4.0, 1)[0] == pytest.approx(1.0)
    assert factors(np.array([100.0]), 1.0, 4.0, 1)[0] == pytest.approx(20.8)
