"""The running scale on the functions of labels."""

import numpy as np
import pytest
from scipy.stats import norm

from sparsegp import OnlineGPClassifier, load
from sparsegp.files import NumpyPredictor
from sparsegp.likelihoods import Probit
from sparsegp.online.label_scale import LabelScale
from sparsegp.online.policy import FIRST_INFORMATION, LABEL_HORIZON

RNG = np.random.default_rng(0)
X = RNG.uniform(-2.0, 2.0, (400, 2))
LABELS = np.where(X[:, 0] > 0.3, "up", np.where(X[:, 1] > 0.0, "left", "right"))


def naive(labels, mean, variance, slope):
    """The recursion for two classes, with the derivative of log Φ(g z) by log g."""
    log_g, F = 0.0, FIRST_INFORMATION
    for y, m, v in zip(labels, mean, variance, strict=True):
        z = np.exp(log_g) * y * m / np.sqrt(slope**-2 + v)
        s = z * norm.pdf(z) / norm.cdf(z)
        F += s * s - (F - FIRST_INFORMATION) / LABEL_HORIZON
        log_g += s / F
    return np.exp(log_g)


def beliefs(factor, n=3000, seed=0):
    """Labels of functions that are known, up to a factor."""
    rng = np.random.default_rng(seed)
    mean, variance = 1.5 * rng.standard_normal((n, 1)), rng.uniform(0.1, 1.0, (n, 1))
    right = norm.cdf(mean / np.sqrt(1.0 + variance))
    labels = np.where(rng.uniform(size=(n, 1)) < right, 1.0, -1.0)
    return labels, mean / factor, variance


def test_the_recursion_for_two_classes():
    labels, mean, variance = beliefs(1.3, 200)
    found = LabelScale().after(Probit(1.0), labels, mean, variance)
    expected = naive(labels[:, 0], mean[:, 0], variance[:, 0], 1.0)
    assert found.value == pytest.approx(expected, rel=1e-3)


def test_rows_may_come_in_calls_of_any_size():
    labels, mean, variance = beliefs(2.0, 60)
    once, cut = LabelScale().after(Probit(1.0), labels, mean, variance), LabelScale()
    for rows in np.split(np.arange(60), [1, 20]):
        cut = cut.after(Probit(1.0), labels[rows], mean[rows], variance[rows])
    assert once == cut


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_it_finds_the_factor_that_is_missing(factor):
    labels, mean, variance = beliefs(factor)
    found = LabelScale().after(Probit(1.0), labels, mean, variance)
    assert found.value == pytest.approx(factor, rel=0.15)


def test_many_classes():
    rng = np.random.default_rng(1)
    mean = rng.standard_normal((1500, 4))
    drawn = np.argmax(mean + rng.standard_normal(mean.shape), axis=1)
    labels = np.where(drawn[:, None] == np.arange(4), 1.0, -1.0)
    found = LabelScale().after(Probit(1.0), labels, mean / 3.0, np.zeros_like(mean))
    assert found.value == pytest.approx(3.0, rel=0.2)


def test_a_belief_that_is_not_finite_changes_nothing():
    nothing = np.full((1, 1), np.nan)
    assert LabelScale().after(Probit(1.0), np.ones((1, 1)), nothing, nothing) == LabelScale()


def classifier(**options):
    model = OnlineGPClassifier(max_basis=15, n_warmup=60, random_state=0, **options)
    return model.partial_fit(X, LABELS, classes=np.unique(LABELS))


def test_probabilities_follow_it_and_functions_do_not(tmp_path):
    model, plain = classifier(), classifier(calibrate=False)
    assert model.label_scale_ != 1.0
    assert plain.label_scale_ == 1.0
    np.testing.assert_array_equal(model.predict_latent(X, True), plain.predict_latent(X, True))
    p = model.predict_proba(X)
    np.testing.assert_allclose(model.predict_uncertainty(X).total, -np.sum(p * np.log(p), axis=1))
    drawn = model.sample_y(X[:20], 4000)
    shares = np.stack([(drawn == label).mean(axis=1) for label in model.classes_], axis=1)
    np.testing.assert_allclose(shares, p[:20], atol=0.04)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load(tmp_path / "model").predict_proba(X), p)
    np.testing.assert_allclose(NumpyPredictor(tmp_path / "model").predict_proba(X), p, atol=1e-9)
