"""From latent functions to probabilities of classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from sparsegp.files.numpy_predictor import _class_probabilities
from sparsegp.likelihoods import NoisyProbit, Probit
from sparsegp.model import classes
from sparsegp.model.classes import class_probabilities, label_log_probabilities


def largest_by_integration(location, spread, c):
    """Return the probability that the c-th of independent Gaussians is the largest."""

    def density(u):
        others = np.delete(norm.cdf((u - location) / spread), c)
        return norm.pdf(u, location[c], spread[c]) * np.prod(others)

    low, high = location[c] - 9.0 * spread[c], location[c] + 9.0 * spread[c]
    ends = np.concatenate([location + reach * spread for reach in (-6.0, -1.0, 0.0, 1.0, 6.0)])
    ends = np.concatenate(([low, high], ends[(ends > low) & (ends < high)]))
    parts = zip(np.sort(ends)[:-1], np.sort(ends)[1:], strict=True)
    return sum(quad(density, *part, epsabs=1e-13, limit=100)[0] for part in parts)


@pytest.mark.parametrize("n_classes", [3, 5])
def test_the_class_whose_function_is_the_largest(n_classes):
    rng = np.random.default_rng(n_classes)
    probits = [Probit(1.4, bias) for bias in rng.normal(size=n_classes)]
    mean, variance = 2.0 * rng.normal(size=(4, n_classes)), rng.uniform(0.0, 2.0, (4, n_classes))
    p = class_probabilities(probits, mean, variance)
    location = mean + [probit.bias for probit in probits]
    spread = np.sqrt(variance + 1.4**-2)
    expected = [
        [largest_by_integration(*at, c) for c in range(n_classes)]
        for at in zip(location, spread, strict=True)
    ]
    np.testing.assert_allclose(p, expected, atol=1e-11)


@pytest.mark.parametrize("widest", [3.0, 30.0])
def test_functions_of_different_uncertainty(widest):
    rng = np.random.default_rng(3)
    mean, variance = rng.normal(size=(3, 4)), np.exp(rng.uniform(0, 2 * np.log(widest), (3, 4)))
    p = class_probabilities([Probit(1e6)] * 4, mean, variance)
    at = zip(mean, np.sqrt(variance), strict=True)
    expected = [[largest_by_integration(*row, c) for c in range(4)] for row in at]
    np.testing.assert_allclose(p, expected, atol=1e-10)


@given(
    location=st.tuples(st.floats(-8.0, 8.0), st.floats(-8.0, 8.0)),
    spread=st.tuples(st.floats(0.01, 1.0), st.floats(0.01, 1.0)),
)
def test_of_two_functions_and_one_far_below(location, spread):
    mean, variance = np.array([[*location, -1e3]]), np.array([[*spread, 1.0]]) ** 2
    p = class_probabilities([Probit(1e9)] * 3, mean, variance)[0]
    first = norm.cdf((location[0] - location[1]) / np.hypot(*spread))
    np.testing.assert_allclose(p, [first, 1.0 - first, 0.0], atol=1e-6)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_a_share_of_the_labels_is_drawn_at_random(n_outputs):
    rng, n_classes = np.random.default_rng(0), max(n_outputs, 2)
    mean, variance = 3.0 * rng.normal(size=(6, n_outputs)), rng.uniform(0.0, 2.0, (6, n_outputs))
    sure = class_probabilities([Probit(1.4, 0.2)] * n_outputs, mean, variance)
    noisy = [NoisyProbit(1.4, 0.2, 0.3, n_classes)] * n_outputs
    found = class_probabilities(noisy, mean, variance)
    np.testing.assert_allclose(found, 0.3 / n_classes + 0.7 * sure, rtol=1e-10)
    for c in range(n_classes):
        labels = np.full((6, n_outputs), -1.0)
        labels[:, c if n_outputs > 1 else 0] = 2.0 * c - 1.0 if n_outputs == 1 else 1.0
        log_p = label_log_probabilities(noisy, labels, mean, variance)
        np.testing.assert_allclose(np.exp(log_p), found[:, c], rtol=1e-7)


def test_many_equal_classes_share():
    p = class_probabilities([Probit()] * 500, np.zeros((2, 500)), np.ones((2, 500)))
    np.testing.assert_allclose(p, 1.0 / 500, rtol=1e-12)


def test_the_work_grows_with_the_classes_not_with_their_pairs(monkeypatch):
    counted = []

    def log_cdf(z):
        counted.append(z.size)
        return np.log(norm.cdf(z))

    monkeypatch.setattr(classes, "log_cdf", log_cdf)
    mean = np.random.default_rng(0).normal(size=(50, 100))
    class_probabilities([Probit()] * 100, mean, np.ones((50, 100)))
    assert sum(counted) <= 50 * 100 * 65


def test_numbers_that_are_none_stay_none():
    mean = np.array([[0.0, 1.0, 2.0], [np.nan, 1.0, 2.0]])
    p = class_probabilities([Probit()] * 3, mean, np.ones((2, 3)))
    assert np.all(np.isfinite(p[0])) and np.all(np.isnan(p[1]))


@pytest.mark.parametrize("widest", [1.0, 20.0])
def test_the_copy_in_the_predictor_of_files(widest):
    rng = np.random.default_rng(5)
    mean = 3.0 * rng.normal(size=(5, 30))
    variance = np.exp(rng.uniform(0, 2 * np.log(widest), (5, 30)))
    p = class_probabilities([Probit(1.4)] * 30, mean, variance)
    np.testing.assert_allclose(_class_probabilities(mean, variance, 1.4), p, rtol=1e-9, atol=1e-300)


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
