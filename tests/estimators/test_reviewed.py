"""What a review broke once."""

import numpy as np
import pytest

from sparsegp import OnlineGPClassifier, OnlineGPRegressor, SparseGPClassifier
from sparsegp.estimators.river.dict_rows import OneRowRegressor
from sparsegp.kernels import Linear
from sparsegp.likelihoods import Gaussian


def test_what_was_forgotten_in_the_warm_up_stays_forgotten():
    rng = np.random.default_rng(0)
    model = OnlineGPRegressor(n_warmup=300, max_basis=30, random_state=0)
    model.partial_fit(rng.uniform(-3, 3, (100, 1)), np.full(100, 100.0) + rng.normal(size=100))
    model.forget(1.0)
    model.partial_fit(rng.uniform(-3, 3, (155, 1)), rng.normal(size=155))
    for _ in range(2):  # the second row is a milestone of the warm-up
        model.partial_fit([[0.0]], [0.0])
    assert abs(model.predict([[0.0]])[0]) < 10.0


def test_a_basis_that_was_pruned_in_the_warm_up_stays_small():
    X = np.linspace(-3, 3, 60)[:, None]
    model = OnlineGPRegressor(n_warmup=300, random_state=0).partial_fit(X, np.sin(X[:, 0]))
    model.prune(1)
    model.partial_fit(X[:4], np.sin(X[:4, 0]))
    assert model.n_basis_ <= 5


@pytest.mark.parametrize("rate", [0.02, 0.3, 5.0])
def test_rare_counts_have_their_own_rate(rate):
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (300, 2))
    y = rng.poisson(rate, 300)
    model = OnlineGPRegressor(likelihood="poisson", max_basis=20, random_state=0).fit(X, y)
    assert 0.5 * y.mean() < model.predict(X).mean() < 2.0 * y.mean()


def test_copies_of_rows_do_not_ruin_a_classifier():
    repeat, rng = 3, np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "a", "b")
    model = SparseGPClassifier(max_basis=10, random_state=0)
    assert model.fit(np.tile(X, (repeat, 1)), np.tile(y, repeat)).score(X, y) > 0.9
    assert model.fit(X, y, sample_weight=np.full(120, float(repeat))).score(X, y) > 0.9


def test_a_row_without_prior_variance_is_no_division_by_zero():
    model = OnlineGPRegressor(kernel=Linear(1.0)).partial_fit([[1.0, 2.0]], [3.0])
    assert np.isfinite(model.predict([[1.0, 2.0]])).all()
    labels = OnlineGPClassifier(kernel=Linear(1.0))
    labels.partial_fit([[1.0, 2.0]], ["a"], classes=["a", "b"])
    assert np.isfinite(labels.predict_proba([[1.0, 2.0]])).all()


def test_fit_learns_from_all_rows_it_has():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 100, (540, 1))
    y = np.sin(X[:, 0] / 5)
    model = OnlineGPRegressor(random_state=0).fit(X[:40], y[:40])
    assert model.noise_variance_ < 0.05
    assert model.score(X[40:], y[40:]) > 0.95


def test_a_likelihood_that_fails_in_the_warm_up_changes_nothing():
    class Fails:
        def moment_match(self, y, mean, variance):
            if np.any(y > 50):
                raise RuntimeError("boom")
            return Gaussian(0.1).moment_match(y, mean, variance)

    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (140, 2))
    y = np.sin(2 * X[:, 0])
    model = OnlineGPRegressor(likelihood=Fails(), n_warmup=500, random_state=0)
    before = model.partial_fit(X[:100], y[:100]).predict(X)
    y[130] = 99.0
    with pytest.raises(RuntimeError, match="boom"):
        model.partial_fit(X[100:], y[100:])
    np.testing.assert_array_equal(model.predict(X), before)
    assert model.n_seen_ == 100


def test_a_fitted_model_is_used_by_the_dict_adapter():
    X = np.random.default_rng(0).normal(size=(100, 2))
    adapter = OneRowRegressor(OnlineGPRegressor(random_state=0).fit(X, X[:, 0] + 9.0))
    assert adapter.predict_one({"a": 0.0, "b": 0.0}) == pytest.approx(9.0, abs=0.5)


def test_a_rate_of_forgetting_is_a_number():
    model = OnlineGPRegressor().partial_fit([[0.0]], [1.0])
    with pytest.raises(ValueError, match="rate"):
        model.forget(True)
