"""The parts of uncertainty against Monte Carlo."""

import numpy as np
import pytest
from scipy.special import entr, ndtr

from sparsegp.likelihoods import NoisyProbit, Poisson, Probit
from sparsegp.likelihoods.quadrature import gauss_hermite
from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.model.uncertainty import (
    Uncertainty,
    class_uncertainty,
    likelihood_noise_std,
    warped_epistemic_std,
)
from sparsegp.model.warped import warped_moments
from sparsegp.tables.transforms.curves import Logarithm, SinhArcsinh, YeoJohnson
from sparsegp.tables.transforms.warps import fit_warps

N = 400_000


@pytest.mark.parametrize("df", [None, 5.0])
@pytest.mark.parametrize("curve", [Logarithm(), SinhArcsinh(tail=0.6, skew=0.4)])
def test_epistemic_part_of_a_warped_target_is_the_variance_of_conditional_means(curve, df):
    """Two targets that share f and have noise of their own have the covariance Var E[y | f]."""
    rng, tails = np.random.default_rng(0), NoiseDistribution(df)
    warp = fit_warps(np.exp(rng.normal(size=(500, 1))), None, [curve]).warps[0]
    mean, std, noise = np.array([-0.5, 0.8]), np.array([0.3, 0.6]), np.array([0.5, 0.4])
    found = warped_epistemic_std(warp, mean, std, noise, tails)
    for i in range(2):
        f = mean[i] + std[i] * rng.standard_normal(N)
        draws = rng.standard_normal((2, N)) if df is None else rng.standard_t(df, (2, N))
        one, other = (warp.invert(f + noise[i] / tails.deviation * e) for e in draws)
        assert found[i] ** 2 == pytest.approx(np.cov(one, other)[0, 1], rel=0.03)


@pytest.mark.parametrize("df", [None, 5.0])
@pytest.mark.parametrize("curve", [Logarithm(), SinhArcsinh(tail=0.1), YeoJohnson(0.0, 0.01, -1.0)])
def test_many_rows_share_their_integrals(curve, df):
    rng, tails = np.random.default_rng(0), NoiseDistribution(df)
    warp = fit_warps(np.exp(rng.normal(size=(500, 1))), None, [curve]).warps[0]
    mean, std, noise = rng.normal(size=600), rng.uniform(0.01, 0.5, 600), rng.uniform(0.2, 1.0, 600)
    found = warped_epistemic_std(warp, mean, std, noise, tails)
    nodes, weights = gauss_hermite(32)
    f = mean[:, None] + std[:, None] * nodes
    each = np.repeat(noise / tails.deviation, len(nodes))
    expected, variance = (m.reshape(f.shape) for m in warped_moments(warp, f.ravel(), each, tails))
    centred = expected - (expected @ weights)[:, None]
    size = np.sqrt(variance**2 @ weights)
    assert np.all(np.abs(found - np.sqrt(centred**2 @ weights)) < 1e-6 * size)
    few = warped_epistemic_std(warp, mean[:3], std[:3], noise[:3], tails)
    np.testing.assert_allclose(few, found[:3], rtol=1e-5)


def test_scales_may_differ_by_rounding_or_nothing():
    warp = fit_warps(np.exp(np.linspace(-1.0, 1.0, 50))[:, None], None, [Logarithm()]).warps[0]
    mean, std = np.linspace(-1.0, 1.0, 300), np.full(300, 0.3)
    same = warped_epistemic_std(warp, mean, std, np.full(300, 0.5), NoiseDistribution())
    for change in (1e-16, 1e-12, 1e-8):
        noise = 0.5 * (1.0 + change * np.arange(300))
        found = warped_epistemic_std(warp, mean, std, noise, NoiseDistribution())
        np.testing.assert_allclose(found, same, rtol=1e-5)


def test_parts_of_a_target_add_up_in_squares():
    total, epistemic, aleatoric = Uncertainty.of_target(np.array([5.0, 1.0]), np.array([3.0, 1.5]))
    np.testing.assert_allclose(aleatoric, [4.0, 0.0])
    np.testing.assert_allclose(total**2, epistemic**2 + aleatoric**2)


def test_noise_of_counts_is_the_mean_rate():
    mean, variance = np.array([0.3, 1.0]), np.array([0.2, 0.5])
    rate = np.exp(mean + 0.5 * variance)
    np.testing.assert_allclose(likelihood_noise_std(Poisson(), mean, variance) ** 2, rate)


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_entropy_of_two_classes(noise):
    rng, probit = np.random.default_rng(0), Probit(2.0, 0.3)
    if noise:
        probit = NoisyProbit(2.0, 0.3, noise)
    mean, variance = (
        np.array([[-2.0], [0.1], [0.4], [3.0]]),
        np.array([[4.0], [1e-9], [25.0], [1.0]]),
    )
    total, epistemic, aleatoric = class_uncertainty([probit], mean, variance)
    f = mean + np.sqrt(variance) * rng.standard_normal((4, N))
    p = 0.5 * noise + (1.0 - noise) * ndtr(2.0 * (f + 0.3))
    expected = np.mean(entr(p) + entr(1.0 - p), axis=1)
    share = np.mean(p, axis=1)
    np.testing.assert_allclose(total, entr(share) + entr(1.0 - share), atol=2e-3)
    np.testing.assert_allclose(aleatoric, expected, atol=2e-3)
    np.testing.assert_allclose(total, epistemic + aleatoric)
    assert epistemic[1] < 1e-6 < epistemic[2]  # a function that is known, and one that is not


def test_entropy_of_three_classes():
    rng, probits = np.random.default_rng(1), [Probit(1.5, b) for b in (0.1, -0.2, 0.0)]
    mean = np.array([[0.5, -0.5, 0.2], [2.0, -1.0, -1.0]])
    variance = np.array([[1.0, 0.5, 2.0], [0.3, 0.3, 0.3]])
    total, epistemic, aleatoric = class_uncertainty(probits, mean, variance)
    bias = np.array([probit.bias for probit in probits])
    functions = mean + np.sqrt(variance) * rng.standard_normal((1_000, 2, 3))
    labels = functions + bias + rng.standard_normal((500, 1, 2, 3)) / 1.5
    each = np.argmax(labels, axis=3)[..., None] == np.arange(3)  # (500, 1000, 2, 3)
    conditional = np.mean(each, axis=0)  # p(y | f), of 500 labels for each function
    expected = np.mean(np.sum(entr(conditional), axis=2), axis=0)
    marginal = np.mean(conditional, axis=0)
    np.testing.assert_allclose(total, np.sum(entr(marginal), axis=1), atol=0.02)
    np.testing.assert_allclose(aleatoric, expected, atol=0.03)
    np.testing.assert_allclose(total, epistemic + aleatoric)
    assert np.all(total <= np.log(3.0))
