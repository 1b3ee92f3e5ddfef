"""From latent functions to probabilities of classes."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from sparsegp.likelihoods import Probit
from sparsegp.model.classes import class_probabilities, label_log_probabilities


def largest_by_integration(location, spread, c):
    """Return the probability that the c-th of independent Gaussians is the largest."""

    def density(u):
        others = np.delete(norm.cdf((u - location) / spread), c)
        return norm.pdf(u, location[c], spread[c]) * np.prod(others)

    reach = 9.0 * spread[c]
    return quad(density, location[c] - reach, location[c] + reach, epsabs=1e-12, limit=200)[0]


@pytest.mark.parametrize("n_classes", [3, 5])
def test_the_class_whose_function_is_the_largest(n_classes):
    rng = np.random.default_rng(n_classes)
    probits = [Probit(1.4, bias) for bias in rng.normal(size=n_classes)]
    mean, variance = 2.0 * rng.normal(size=(8, n_classes)), rng.uniform(0.0, 2.0, (8, n_classes))
    p = class_probabilities(probits, mean, variance)
    location = mean + [probit.bias for probit in probits]
    spread = np.sqrt(variance + 1.4**-2)
    expected = [
        [largest_by_integration(*at, c) for c in range(n_classes)]
        for at in zip(location, spread, strict=True)
    ]
    np.testing.assert_allclose(p, expected, atol=1e-7)


def test_one_function_for_two_classes():
    mean, variance = np.array([[-1.0], [0.3]]), np.array([[0.5], [2.0]])
    p = class_probabilities([Probit(2.0, 0.4)], mean, variance)
    second = norm.cdf((mean[:, 0] + 0.4) / np.sqrt(0.25 + variance[:, 0]))
    np.testing.assert_allclose(p, np.stack((1.0 - second, second), axis=1), rtol=1e-12)


@pytest.mark.parametrize("n_columns", [1, 4])
@pytest.mark.parametrize("size", [0.0, 1e3, 1e150])
def test_extreme_functions_leave_probabilities(n_columns, size):
    rng = np.random.default_rng(0)
    mean = size * rng.normal(size=(6, n_columns))
    for variance in (0.0, 1.0, 1e12):
        probits = [Probit(30.0, 1.0)] * n_columns
        p = class_probabilities(probits, mean, np.full((6, n_columns), variance))
        assert np.all((p >= 0.0) & (p <= 1.0))
        np.testing.assert_allclose(p.sum(axis=1), 1.0, rtol=1e-12)


def test_no_rows_and_many():
    probits = [Probit()] * 3
    assert class_probabilities(probits, np.empty((0, 3)), np.empty((0, 3))).shape == (0, 3)
    mean = np.random.default_rng(0).normal(size=(5000, 3))  # more than go at once
    p = class_probabilities(probits, mean, np.ones((5000, 3)))
    last = class_probabilities(probits, mean[-1:], np.ones((1, 3)))
    np.testing.assert_allclose(p[-1:], last, rtol=1e-12)


@pytest.mark.parametrize("n_columns", [1, 4])
def test_the_probability_of_the_own_class(n_columns):
    rng = np.random.default_rng(n_columns)
    probits = [Probit(1.4, bias) for bias in rng.normal(size=n_columns)]
    mean, variance = rng.normal(size=(9, n_columns)), rng.uniform(0.0, 2.0, (9, n_columns))
    own = rng.integers(0, max(n_columns, 2), 9)
    labels = np.where(own[:, None] == np.arange(max(n_columns, 2)), 1.0, -1.0)[:, -n_columns:]
    p = class_probabilities(probits, mean, variance)[np.arange(9), own]
    found = label_log_probabilities(probits, labels, mean, variance)
    np.testing.assert_allclose(found, np.log(p), atol=1e-6)
