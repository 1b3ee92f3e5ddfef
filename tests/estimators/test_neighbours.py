"""The option n_neighbors, and the methods of a model that has neighbours."""

import numpy as np
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.estimators.options.regression import regression_settings, sized
from sparsegp.kernels import RBF
from sparsegp.learning.neighbours import policy
from sparsegp.model.exact import exact_log_evidence
from sparsegp.tables.open import open_rows


def waves(n, seed=0, times=1.0):
    """A wave along the first column, shorter by a factor."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3.0, 3.0, (n, 2))
    return X, np.sin(6.0 * times * X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(n)


def quick(**options):
    """A model at given hyperparameters: what is tested is not how they are learned."""
    kernel = 2.0 * RBF((0.2, 1.5))
    usual = {"max_basis": 20, "n_neighbors": 15, "optimizer": None, "noise_variance": 0.01}
    return SparseGPRegressor(kernel, random_state=0, **{**usual, **options})


@pytest.fixture(scope="module")
def model():
    X, y = waves(600)
    return quick().fit(X, y)


def test_neighbours_explain_what_a_small_basis_leaves(model):
    X, y = waves(300, seed=1)
    alone = quick(n_neighbors=0).fit(*waves(600))
    assert model.n_neighbors_ == 15 and alone.n_neighbors_ == 0
    errors = [np.sqrt(np.mean((each.predict(X) - y) ** 2)) for each in (model, alone)]
    assert errors[0] < 0.5 * errors[1]
    assert np.mean(model.log_density(X, y)) > np.mean(alone.log_density(X, y)) + 0.5


def test_all_ways_to_predict_agree(model):
    X, y = waves(40, seed=2)
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(model.predict(X), mean)
    _, covariance = model.predict(X, return_cov=True)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), std, rtol=1e-7)
    latent, latent_std = model.predict_latent(X, return_std=True)
    np.testing.assert_allclose(latent, mean)
    assert np.all(latent_std < std)
    np.testing.assert_allclose(model.predict_quantiles(X, 0.5), mean)
    u = (y - mean) / std
    density = -0.5 * u**2 - np.log(std * np.sqrt(2.0 * np.pi))
    np.testing.assert_allclose(model.log_density(X, y), density)
    samples = model.sample_y(X, 4_000, random_state=0)
    np.testing.assert_allclose(samples.mean(axis=1), mean, atol=5.0 * std.max() / 60.0)


def test_rows_predict_the_same_together_and_alone(model):
    X, _ = waves(30, seed=3)
    together = model.predict(X, return_std=True)
    alone = [model.predict(X[i : i + 1], return_std=True) for i in range(len(X))]
    np.testing.assert_allclose(together, np.concatenate(alone, axis=1), atol=1e-9)


def test_a_prefix_keeps_the_neighbours(model):
    X, y = waves(600)
    shorter = model.prefix(8)
    again = quick(max_basis=8).fit(X, y, candidates=X[model.basis_indices_[:8]])
    assert (shorter.n_basis_, shorter.n_neighbors_) == (8, 15)
    T, _ = waves(20, seed=4)
    np.testing.assert_allclose(shorter.predict(T), again.predict(T), atol=1e-6)
    assert shorter.log_marginal_likelihood_value_ < model.log_marginal_likelihood_value_


def test_the_evidence_at_other_hyperparameters_is_that_of_the_basis(model):
    vector = model._parameters.vector
    value, gradient = model.log_marginal_likelihood(vector, eval_gradient=True)
    assert value == pytest.approx(model.log_marginal_likelihood_value_)
    assert gradient.shape == vector.shape


def test_every_row_in_the_basis_needs_no_neighbours():
    X, y = waves(80)
    assert quick(max_basis="all").fit(X, y).n_neighbors_ == 0


def test_all_rows_are_the_exact_process():
    X, y = waves(80)
    model = quick(max_basis="all", transform_X="none", transform_y="none", n_neighbors=0)
    model.fit(X, y)
    exact = exact_log_evidence(model.kernel_, model._rows, 0.01)
    assert model.n_basis_ == 80
    assert model.log_marginal_likelihood_value_ == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(("n", "options", "expected"), [
    (300, {}, 300),
    (2_100, {}, 500),
    (2_100, {"max_basis": "all"}, 2_100),
    (2_000, {"selection": "loo_error"}, 500),
    (2_000, {"refine_basis": True}, 500),
    (600, {"max_basis": 70}, 70),
    (600, {"memory_limit": "300MB"}, 600),
    (600, {"memory_limit": "30MB"}, 500),
])  # fmt: skip
def test_the_usual_size_of_a_basis(n, options, expected):
    model = SparseGPRegressor(**options)
    found = sized_for(model, *waves(n))
    assert found.max_basis == expected
    is_open = n > 2_000 and not options
    assert found.larger_sizes == ((1_000, 2_000) if is_open else ())


def sized_for(model, X, y):
    settings = regression_settings(model)
    return sized(settings, model, open_rows(model, X, y, memory=settings.memory))


def test_memory_limits_the_sizes_that_are_tried():
    X, y = waves(2_100)
    found = sized_for(SparseGPRegressor(memory_limit="700MB"), X, y)
    assert found.larger_sizes == (1_000,)
    assert sized_for(SparseGPRegressor(memory_limit="100MB"), X, y).larger_sizes == ()


def test_weights_and_several_outputs():
    X, y = waves(500)
    both = np.stack((y, -2.0 * y), axis=1)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 500)
    model = quick().fit(X, both, sample_weight=weight)
    mean, std = model.predict(X[:7], return_std=True)
    assert mean.shape == std.shape == (7, 2)
    np.testing.assert_allclose(mean[:, 1], -2.0 * mean[:, 0], rtol=1e-6)


def test_auto_tries_neighbours_in_larger_tables_only(monkeypatch):
    monkeypatch.setattr(policy, "MIN_ROWS", 1_000)
    X, y = waves(1_000, times=2.5)
    options = {"transform_X": "standard", "transform_y": "standard", "noise": "auto"}
    model = SparseGPRegressor(2.0 * RBF((0.5, 0.5)), max_basis=30, random_state=0, **options)
    model.fit(X, y)
    assert model.n_neighbors_ >= 30
    assert {"number of neighbours", "hyperparameters by neighbours"} <= {
        entry["phase"] for entry in model.history_
    }
    T, t = waves(500, seed=7, times=2.5)
    lower, upper = model.predict_interval(T)
    assert 0.9 <= np.mean((lower <= t) & (t <= upper)) <= 0.99
    assert model.fit(X[1:], y[1:]).n_neighbors_ == 0


@pytest.mark.parametrize(("options", "message"), [
    ({"n_neighbors": -1}, "n_neighbors must be an integer of at least 0"),
    ({"n_neighbors": 2.5}, "n_neighbors must be an integer"),
    ({"n_neighbors": "many"}, "n_neighbors must be"),
    ({"approximation": "dtc"}, "approximation must be 'auto' or 'fitc'"),
    ({"max_basis": "every"}, "max_basis must be one of"),
])  # fmt: skip
def test_options_that_do_not_go_together_are_refused(options, message):
    X, y = waves(60)
    with pytest.raises(ValueError, match=message):
        quick(**options).fit(X, y)
