import numpy as np
import pytest

from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.posterior import draw_samples, solve_posterior
from tests.oracles import dense
from tests.oracles.problems import make_problem


@pytest.mark.parametrize("rule", APPROXIMATIONS.values(), ids=APPROXIMATIONS)
def test_samples_have_the_mean_and_covariance_of_noisy_targets(rule):
    p = make_problem(0, n=12, m=4, n_outputs=2, rule=rule)
    basis = make_basis(p.kernel, p.Z)
    posterior = solve_posterior(basis, collect_moments(basis, p.rows, p.variance, rule), rule)
    samples = draw_samples(posterior, p.X_new, Noise(0.3), 20_000, np.random.default_rng(0))
    mean, covariance = dense.posterior(
        rule.name, p.kernel, p.rows.X, p.rows.y, p.Z, p.variance, p.X_new
    )
    assert samples.shape == (5, 2, 20_000)
    np.testing.assert_allclose(samples.mean(axis=2), mean, atol=0.04)
    for output in range(2):
        expected = covariance + 0.3 * np.eye(5)
        np.testing.assert_allclose(np.cov(samples[:, output]), expected, atol=0.06)


def test_the_generator_decides_the_samples():
    p = make_problem(1, n=8, m=3)
    basis = make_basis(p.kernel, p.Z)
    posterior = solve_posterior(basis, collect_moments(basis, p.rows, 0.1, p.rule), p.rule)
    first, second, other = (
        draw_samples(posterior, p.X_new, Noise(0.1), 3, np.random.default_rng(seed))
        for seed in (0, 0, 1)
    )
    np.testing.assert_allclose(first, second, rtol=1e-12)
    assert not np.allclose(first, other)
