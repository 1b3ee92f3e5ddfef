"""Predictive distributions of every named likelihood, against samples."""

import numpy as np
import pytest

from sparsegp.likelihoods.named import NAMES, named_likelihood
from sparsegp.model.likelihood_distribution import LikelihoodDistribution
from sparsegp.tables.transforms.scaling import Scaling

N = 200_000
LOCATION, VARIANCE = np.array([-0.4, 0.2, 1.1]), np.array([0.3, 0.02, 0.1])


def distribution(name):
    scaling = Scaling(np.zeros(1), np.ones(1))
    if name != "poisson":
        scaling = Scaling(np.array([3.0]), np.array([2.0]))
    likelihood = named_likelihood(name, 0.25)
    return LikelihoodDistribution(LOCATION[:, None], VARIANCE[:, None], likelihood, scaling)


def samples(predicted):
    rng = np.random.default_rng(0)
    f = LOCATION[:, None] + np.sqrt(VARIANCE)[:, None] * rng.standard_normal((3, N))
    drawn = predicted.likelihood.draw(f, rng)
    return drawn * predicted.transform.scale + predicted.transform.offset


@pytest.mark.parametrize("name", NAMES)
def test_moments_probabilities_and_scores_are_those_of_samples(name):
    predicted = distribution(name)
    drawn = samples(predicted)
    np.testing.assert_allclose(predicted.mean, drawn.mean(axis=1), atol=0.02)
    np.testing.assert_allclose(predicted.std, drawn.std(axis=1), rtol=0.03)
    y = np.round(predicted.mean) if name == "poisson" else predicted.mean + 0.2
    np.testing.assert_allclose(predicted.cdf(y), np.mean(drawn <= y[:, None], axis=1), atol=5e-3)
    # CRPS = E|Y − y| − ½ E|Y − Y′|
    by_samples = np.mean(np.abs(drawn - y[:, None]), axis=1)
    by_samples -= 0.5 * np.mean(np.abs(drawn - drawn[:, ::-1]), axis=1)
    np.testing.assert_allclose(predicted.crps(y), by_samples, atol=0.01)
    total, epistemic, aleatoric = predicted.uncertainty
    np.testing.assert_allclose(total**2, epistemic**2 + aleatoric**2)
    if name != "poisson":
        np.testing.assert_allclose(epistemic, 2.0 * np.sqrt(VARIANCE), rtol=1e-6)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "poisson"])
def test_density_is_the_slope_of_the_distribution_function(name):
    predicted, step = distribution(name), 1e-5
    y = predicted.quantile(0.8)
    np.testing.assert_allclose(predicted.cdf(y), 0.8, atol=1e-9)
    slope = (predicted.cdf(y + step) - predicted.cdf(y - step)) / (2.0 * step)
    np.testing.assert_allclose(np.exp(predicted.log_density(y)), slope, rtol=1e-5)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "poisson"])
def test_crps_is_the_integral_of_its_definition(name):
    predicted = distribution(name)
    y = predicted.quantile(0.3)
    x = predicted.mean[:, None] + np.sinh(np.linspace(-6.0, 6.0, 4_001)) * predicted.std[:, None]
    x = np.sort(np.concatenate((x, y[:, None]), axis=1), axis=1)
    middle = 0.5 * (x[:, 1:] + x[:, :-1])
    F = np.stack([predicted.cdf(column) for column in middle.T], axis=1)
    by_sums = np.sum((F - (middle >= y[:, None])) ** 2 * np.diff(x, axis=1), axis=1)
    np.testing.assert_allclose(predicted.crps(y), by_sums, rtol=2e-5)


@pytest.mark.parametrize("p", [1e-7, 0.02, 0.5, 0.9999])
@pytest.mark.parametrize("name", ["laplace", "student_t", "one_sided"])
def test_quantiles_undo_the_distribution_function(name, p):
    predicted = distribution(name)
    np.testing.assert_allclose(predicted.cdf(predicted.quantile(p)), p, rtol=1e-5)


def test_quantiles_of_counts_are_counts():
    predicted = distribution("poisson")
    counts = predicted.quantile([0.05, 0.5, 0.95])
    np.testing.assert_array_equal(counts, np.round(counts))
    for column, p in zip(counts.T, (0.05, 0.5, 0.95), strict=True):
        assert np.all(predicted.cdf(column) >= p) and np.all(predicted.cdf(column - 1.0) < p)
    steps = [np.exp(predicted.log_density(np.full(3, float(k)))) for k in range(3)]
    np.testing.assert_allclose(predicted.cdf(np.full(3, 2.0)), np.sum(steps, axis=0), rtol=1e-6)


def test_a_likelihood_without_a_distribution_function_says_so():
    class Own:
        def moment_match(self, y, mean, variance):
            return named_likelihood("gaussian", 0.1).moment_match(y, mean, variance)

    scaling = Scaling(np.zeros(1), np.ones(1))
    predicted = LikelihoodDistribution(LOCATION[:, None], VARIANCE[:, None], Own(), scaling)
    assert predicted.log_density(LOCATION).shape == (3,)
    with pytest.raises(TypeError, match="has no target_cdf"):
        predicted.cdf(LOCATION)
