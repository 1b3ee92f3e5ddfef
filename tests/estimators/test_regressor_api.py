"""What a user of scikit-learn expects around fit and predict."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.gaussian_process import kernels as sk
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sparsegp import SparseGPRegressor
from sparsegp.kernels import RBF, Categorical, Linear, Matern, OnColumns


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(120, 3))
    y = 100 + 5 * np.sin(X[:, 0]) + X[:, 1] + rng.normal(scale=0.2, size=120)
    return X, y


@pytest.fixture
def model(table):
    return SparseGPRegressor(max_basis=30, random_state=0).fit(*table)


def test_fitted_attributes(model, table):
    X, _ = table
    assert model.n_basis_ == len(model.basis_indices_) == len(model.selection_path_) == 30
    np.testing.assert_allclose(model.basis_vectors_, X[model.basis_indices_], atol=1e-12)
    assert len(set(model.basis_indices_)) == 30
    assert np.all(np.diff(model.selection_path_) < 0)
    phases = [entry["phase"] for entry in model.history_]
    assert phases[-1] == "final pass" and all(e["seconds"] >= 0 for e in model.history_)


def test_path_of_a_random_basis_is_the_evidence_of_each_prefix(table):
    X, y = table
    settings = {"selection": "random", "optimizer": None, "approximation": "vfe"}
    model = SparseGPRegressor(max_basis=30, random_state=0, **settings).fit(X, y)
    for m in (1, 7, 30):
        prefix = SparseGPRegressor(max_basis=m, **settings)
        prefix.fit(X, y, candidates=model.basis_vectors_[:m])
        assert -prefix.log_marginal_likelihood() == pytest.approx(
            model.selection_path_[m - 1], rel=1e-8
        )


def test_std_holds_the_noise_and_latent_variance_does_not(model, table):
    X, y = table
    mean, std = model.predict(X, return_std=True)
    latent_mean, latent_std = model.predict_latent(X, return_std=True)
    np.testing.assert_allclose(mean, latent_mean)
    noise = model.noise_variance_ * np.var(y)
    np.testing.assert_allclose(std**2, latent_std**2 + noise, rtol=1e-10)
    _, cov = model.predict(X[:5], return_cov=True)
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), std[:5], rtol=1e-8)


def test_samples_have_the_predicted_moments(model, table):
    X = table[0][:4]
    mean, cov = model.predict(X, return_cov=True)
    samples = model.sample_y(X, 40_000, random_state=1)
    assert samples.shape == (4, 40_000)
    np.testing.assert_allclose(samples.mean(axis=1), mean, atol=0.01)
    np.testing.assert_allclose(np.cov(samples), cov, atol=0.01)


def test_several_outputs_share_basis_and_kernel(table):
    X, y = table
    Y = np.column_stack((y, -3.0 * y + 2.0))
    both = SparseGPRegressor(max_basis=30, random_state=0).fit(X, Y)
    mean, std = both.predict(X, return_std=True)
    assert mean.shape == std.shape == (120, 2)
    np.testing.assert_allclose(mean[:, 1], -3.0 * mean[:, 0] + 2.0, rtol=1e-8)
    np.testing.assert_allclose(std[:, 1], 3.0 * std[:, 0], rtol=1e-8)
    assert both.predict(X[:5], return_cov=True)[1].shape == (5, 5, 2)
    assert both.sample_y(X[:5], 3).shape == (5, 2, 3)


def test_one_column_of_a_matrix_stays_a_matrix(table):
    X, y = table
    mean, std = (
        SparseGPRegressor(max_basis=5, random_state=0)
        .fit(X, y[:, None])
        .predict(X, return_std=True)
    )
    assert mean.shape == std.shape == (120, 1)


def test_outputs_equal_fits_of_their_own_at_fixed_hyperparameters(table):
    X, y = table
    Y = np.column_stack((y, np.cos(X[:, 2])))
    settings = {
        "max_basis": 20,
        "selection": "random",
        "optimizer": None,
        "random_state": 0,
    }
    both = SparseGPRegressor(**settings).fit(X, Y).predict(X, return_std=True)
    for column in range(2):
        alone = SparseGPRegressor(**settings).fit(X, Y[:, column]).predict(X, return_std=True)
        for ours, expected in zip(both, alone, strict=True):
            np.testing.assert_allclose(ours[:, column], expected, rtol=1e-10)


def test_candidates_become_the_basis(table):
    X, y = table
    candidates = np.random.default_rng(5).uniform(-2, 2, size=(40, 3))
    model = SparseGPRegressor(max_basis=15, random_state=0).fit(X, y, candidates=candidates)
    np.testing.assert_allclose(model.basis_vectors_, candidates[model.basis_indices_], atol=1e-12)


def test_weight_zero_is_as_if_the_row_were_not_there(table):
    X, y = table
    weight = np.ones(120)
    weight[::3] = 0.0
    settings = {"max_basis": 200, "optimizer": None, "random_state": 0}
    weighted = SparseGPRegressor(**settings).fit(X, y, sample_weight=weight)
    without = SparseGPRegressor(**settings).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_allclose(weighted.predict(X), without.predict(X), rtol=1e-10)
    assert np.all(weight[weighted.basis_indices_] > 0)


def test_log_marginal_likelihood_at_other_hyperparameters(model):
    # calibration has scaled the noise of predictions, not that of the evidence
    noise = model.noise_variance_ / model.calibration_.noise
    theta = np.append(model.kernel_.theta, np.log(noise))
    value, _ = model.log_marginal_likelihood(theta, eval_gradient=True)
    assert value == pytest.approx(model.log_marginal_likelihood())
    theta = theta - 0.5  # away from the optimum, where the derivative is no rounding
    _, gradient = model.log_marginal_likelihood(theta, eval_gradient=True)
    step = np.zeros_like(theta)
    step[1] = 1e-5
    difference = model.log_marginal_likelihood(theta + step) - model.log_marginal_likelihood(
        theta - step
    )
    assert gradient[1] == pytest.approx(difference / 2e-5, rel=1e-4, abs=1e-4)


def test_pandas_columns_by_name(table):
    X, y = table
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["kind"] = np.arange(120) % 3
    kernel = OnColumns(RBF([1.0, 1.0]), ["a", "b"]) * OnColumns(Categorical(), ["kind"])
    model = SparseGPRegressor(kernel, max_basis=30, random_state=0).fit(frame, y)
    assert list(model.feature_names_in_) == ["a", "b", "c", "kind"]
    assert model.score(frame, y) > 0.9
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c", "kind"]])


def test_pipeline_grid_search_clone_and_set_output(table):
    X, y = table
    scaler = StandardScaler().set_output(transform="pandas")
    pipeline = make_pipeline(scaler, SparseGPRegressor(max_basis=20, random_state=0))
    grid = {"sparsegpregressor__approximation": ["dtc", "fitc"]}
    search = GridSearchCV(pipeline, grid, cv=2).fit(X, y)
    assert search.best_score_ > 0.8
    kernel = 2.0 * Matern([1.0, 2.0, 3.0]) + Linear()
    copy = clone(SparseGPRegressor(kernel, max_basis=7))
    assert copy.kernel == kernel and copy.max_basis == 7
    assert cross_val_score(copy, X, y, cv=2).mean() > 0.8


def test_scikit_learn_kernel_is_translated(table):
    X, y = table
    kernel = 1.0 * sk.RBF([1.0, 1.0, 1.0]) + sk.WhiteKernel(0.2, "fixed")
    model = SparseGPRegressor(kernel, max_basis=30, random_state=0).fit(X, y)
    assert model.noise_variance_ == 0.2
    assert model.score(X, y) > 0.8


def test_verbose_prints_the_phases_and_callback_hears_them(table, capsys):
    heard = []
    SparseGPRegressor(max_basis=10, verbose=1, callback=heard.append, random_state=0).fit(*table)
    printed = capsys.readouterr().out
    assert "hyperparameters" in printed and "selection" in printed
    assert {p.phase for p in heard} >= {"selection", "hyperparameters at the basis"}


def test_same_seed_same_model(table):
    X, y = table
    first, second = (SparseGPRegressor(max_basis=20, random_state=3).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(first.basis_indices_, second.basis_indices_)
    np.testing.assert_array_equal(first.predict(X), second.predict(X))
