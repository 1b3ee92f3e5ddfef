"""The columns that the command line writes are what the model predicts in Python."""

import numpy as np

from sparsegp import SparseGPRegressor
from sparsegp.cli.prediction_columns import prediction_columns
from tests.plain import plain_regressor


def skewed(n=900, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    return X, np.exp(X[:, 0] + np.sin(3.0 * X[:, 1]) + 0.4 * rng.normal(size=n))


def assert_same(model: SparseGPRegressor, X):
    columns = prediction_columns(model, X)
    mean, std = model.predict(X, return_std=True)
    lower, upper = model.predict_interval(X, level=0.95)
    assert np.array_equal(columns["mean"], mean) and np.allclose(columns["std"], std)
    assert np.allclose(columns["lower"], lower) and np.allclose(columns["upper"], upper)


def test_of_a_warped_target_whose_mean_is_mixed():
    X, y = skewed()
    model = plain_regressor(transform_y="log", max_basis=60, n_neighbors=0, random_state=0).fit(
        X, y
    )
    assert model._target_mean is not None and np.max(model._target_mean.share) > 0.0
    assert not np.allclose(model.predict(X), model.predict_distribution(X).mean)
    assert_same(model, X)


def test_of_a_plain_target():
    X, y = skewed()
    assert_same(plain_regressor(max_basis=30, n_neighbors=0, random_state=0).fit(X, y), X)
