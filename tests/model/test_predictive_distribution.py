"""Predictive distributions against integrals by plain sums and scipy's distributions."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.model.predictive_distribution import PredictiveDistribution
from sparsegp.tables.transforms.curves import Logarithm, SinhArcsinh
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import fit_warps

LOCATION, SCALE = np.array([-0.8, 0.1, 1.3]), np.array([0.2, 0.7, 0.4])
TAILS = {"normal": NoiseDistribution(), "student": NoiseDistribution(4.0)}


def transform(name):
    if name == "scaled":
        return Scaling(np.array([3.0]), np.array([2.0]))
    y = np.exp(np.random.default_rng(0).normal(size=(300, 1)))
    curve = Logarithm() if name == "log" else SinhArcsinh(tail=0.6, skew=-0.3)
    return fit_warps(y, None, [curve])


def distribution(name, tails):
    return PredictiveDistribution(
        LOCATION[:, None], SCALE[:, None], transform(name), TAILS[tails], one_output=True
    )


def crps_by_sums(predicted, y):
    """∫ (F(x) − [x ≥ y])² dx by midpoints between quantiles close together."""
    u = np.sinh(np.linspace(-14.0, 14.0, 40_001))  # standard units, deep into the tails
    found = []
    for location, scale, target in zip(predicted.location, predicted.scale, y, strict=True):
        x = predicted.transform.invert((location + scale * u)[:, None])[:, 0]
        x = np.sort(np.append(x, target))
        middle = 0.5 * (x[1:] + x[:-1])
        copies = [np.full((len(middle), 1), float(value[0])) for value in (location, scale)]
        same = replace(predicted, location=copies[0], scale=copies[1])
        found.append(np.sum((same.cdf(middle) - (middle >= target)) ** 2 * np.diff(x)))
    return np.array(found)


@pytest.mark.parametrize("tails", TAILS)
@pytest.mark.parametrize("name", ["scaled", "log", "sinh-arcsinh"])
def test_crps_is_the_integral_of_its_definition(name, tails):
    predicted = distribution(name, tails)
    for shift in (-0.3, 0.0, 2.0):
        y = predicted.quantile(0.5) + shift
        np.testing.assert_allclose(predicted.crps(y), crps_by_sums(predicted, y), rtol=2e-5)


def test_crps_of_an_impossible_target_is_finite():
    predicted = distribution("log", "normal")
    y = np.full(3, -1.0)
    assert np.all(predicted.log_density(y) == -np.inf)
    # nothing of the distribution lies below zero
    at_zero = predicted.crps(np.full(3, 1e-12))
    np.testing.assert_allclose(predicted.crps(y), at_zero + 1.0, rtol=1e-6)


@pytest.mark.parametrize("name", ["scaled", "log", "sinh-arcsinh"])
def test_density_distribution_function_and_quantiles_agree(name):
    predicted = distribution(name, "student")
    y, step = predicted.quantile(0.7), 1e-6
    slope = (predicted.cdf(y + step) - predicted.cdf(y - step)) / (2.0 * step)
    np.testing.assert_allclose(np.exp(predicted.log_density(y)), slope, rtol=1e-6)
    np.testing.assert_allclose(predicted.cdf(y), 0.7, atol=1e-9)
    lower, upper = predicted.interval(0.8)
    np.testing.assert_allclose(predicted.cdf(upper) - predicted.cdf(lower), 0.8, atol=1e-9)


def test_gaussian_of_another_library():
    mean, std, y = np.array([0.0, 5.0]), np.array([1.0, 2.0]), np.array([0.5, 1.0])
    predicted, known = PredictiveDistribution.gaussian(mean, std), stats.norm(mean, std)
    assert predicted.is_gaussian and len(predicted) == 2
    np.testing.assert_allclose(predicted.mean, mean)
    np.testing.assert_allclose(predicted.std, std)
    np.testing.assert_allclose(predicted.log_density(y), known.logpdf(y))
    np.testing.assert_allclose(predicted.cdf(y), known.cdf(y))
    np.testing.assert_allclose(predicted.quantile([0.1, 0.9])[:, 1], known.ppf(0.9))
    with pytest.raises(ValueError, match="std positive"):
        PredictiveDistribution.gaussian(mean, [1.0, 0.0])
    with pytest.raises(ValueError, match="the prediction has 2 rows"):
        predicted.cdf(y[:1])
    with pytest.raises(ValueError, match="y has 2 outputs"):
        predicted.cdf(np.column_stack((y, y)))


def test_several_outputs_keep_their_axis():
    mean = np.zeros((4, 2))
    predicted = PredictiveDistribution.gaussian(mean, np.ones((4, 2)))
    assert predicted.quantile([0.1, 0.5, 0.9]).shape == (4, 2, 3)
    assert predicted.crps(mean).shape == predicted.std.shape == (4, 2)
