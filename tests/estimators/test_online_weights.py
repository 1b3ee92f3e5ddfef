"""Weights of rows: how often each counts."""

import numpy as np
import pytest
from sklearn.metrics import r2_score

from sparsegp import OnlineGPClassifier, OnlineGPRegressor
from sparsegp.kernels import RBF
from sparsegp.likelihoods import LaplaceNoise

RNG = np.random.default_rng(0)
X = RNG.uniform(-3.0, 3.0, (200, 2))
Y = np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.standard_normal(200)
LABELS = np.where(np.hypot(X[:, 0], X[:, 1]) < 2.0, "in", "out")
NEW = RNG.uniform(-3.0, 3.0, (40, 2))
COUNT = RNG.integers(0, 4, 200)


def quick(**options):
    return OnlineGPRegressor(**{"max_basis": 25, "n_warmup": 60, "random_state": 0} | options)


def outputs(model):
    return np.stack(model.predict(NEW, return_std=True))


def test_a_weight_is_a_count_of_equal_rows():
    """Hyperparameters and scaling, too."""
    options = {"kernel": RBF((0.7, 0.7)), "max_basis": 500, "n_warmup": 500, "calibrate": False}
    weighted = quick(**options).fit(X, Y, sample_weight=COUNT)
    repeated = quick(**options).fit(np.repeat(X, COUNT, axis=0), np.repeat(Y, COUNT))
    np.testing.assert_allclose(outputs(weighted), outputs(repeated), rtol=1e-3, atol=1e-3)
    options |= {"optimizer": None, "transform_X": "none", "transform_y": "none"}
    options |= {"forgetting": None}  # repeated rows are of different age
    weighted = quick(**options).partial_fit(X, Y, sample_weight=COUNT)
    repeated = quick(**options).partial_fit(np.repeat(X, COUNT, axis=0), np.repeat(Y, COUNT))
    np.testing.assert_allclose(outputs(weighted), outputs(repeated), atol=1e-6)


@pytest.mark.parametrize("likelihood", ["laplace", "student_t", "one_sided", "poisson"])
def test_weights_with_any_likelihood(likelihood):
    y = np.round(np.exp(Y)) if likelihood == "poisson" else Y
    for weight in (0.5, 3.0):
        model = quick(likelihood=likelihood, n_sweeps=2)
        model.fit(X, y, sample_weight=np.full(200, weight))
        assert r2_score(y, model.predict(X)) > 0.7


def test_a_weight_of_one_changes_nothing():
    for stop in (30, 120):
        one = quick().partial_fit(X[:stop], Y[:stop], sample_weight=np.ones(stop))
        np.testing.assert_array_equal(
            outputs(one), outputs(quick().partial_fit(X[:stop], Y[:stop]))
        )


def test_rows_of_no_weight_do_not_count():
    model = quick().partial_fit(X[:100], Y[:100])
    before = outputs(model)
    model.partial_fit(X[100:], 1e3 + Y[100:], sample_weight=np.zeros(100))
    np.testing.assert_array_equal(outputs(model), before)
    assert model.n_seen_ == 100
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        quick().partial_fit(X, Y, sample_weight=np.zeros(200))
    with pytest.raises(ValueError, match="sample_weight must not be negative"):
        model.partial_fit(X[:2], Y[:2], sample_weight=[1.0, -1.0])
    np.testing.assert_array_equal(outputs(model), before)


def test_a_likelihood_that_cannot_be_weighted_is_named():
    class Bare:
        def moment_match(self, y, mean, variance):
            return LaplaceNoise(0.3).moment_match(y, mean, variance)

    model = quick(likelihood=Bare()).partial_fit(X[:100], Y[:100])
    before = outputs(model)
    with pytest.raises(ValueError, match="sample_weight needs a likelihood with"):
        model.partial_fit(X[100:], Y[100:], sample_weight=COUNT[100:])
    np.testing.assert_array_equal(outputs(model), before)


def test_weighted_labels():
    model = OnlineGPClassifier(max_basis=25, n_warmup=60, random_state=0)
    weight = np.where(LABELS == "in", 5.0, 0.2)
    model.partial_fit(X, LABELS, classes=["in", "out"], sample_weight=weight)
    plain = OnlineGPClassifier(max_basis=25, n_warmup=60, random_state=0).partial_fit(
        X, LABELS, classes=["in", "out"]
    )
    assert np.mean(model.predict_proba(NEW)[:, 0]) > np.mean(plain.predict_proba(NEW)[:, 0])
