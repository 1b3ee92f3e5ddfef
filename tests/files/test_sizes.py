"""A model file is small."""

import numpy as np
import pytest

from sparsegp import OnlineGPRegressor, SparseGPRegressor, load
from sparsegp.kernels import RBF


@pytest.fixture(scope="module")
def large():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_200, 8))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=1_200)
    options = {"selection": "random", "optimizer": None, "random_state": 0}
    return SparseGPRegressor(max_basis=1_000, **options).fit(X, y), X


def test_a_thousand_basis_vectors_with_variance(large, tmp_path):
    model, X = large
    model.save(tmp_path / "model")
    assert model.n_basis_ == 1_000
    assert (tmp_path / "model").stat().st_size <= 8_500_000
    found = load(tmp_path / "model").predict(X, return_std=True)
    np.testing.assert_array_equal(found, model.predict(X, return_std=True))


def test_a_thousand_basis_vectors_mean_only(large, tmp_path):
    model, X = large
    model.save(tmp_path / "model", variance=False)
    assert (tmp_path / "model").stat().st_size <= 100_000
    np.testing.assert_array_equal(load(tmp_path / "model").predict(X), model.predict(X))


def test_a_learner_keeps_halves_of_its_matrices(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(140, 2))
    options = {"n_warmup": 1, "optimizer": None, "random_state": 0, "forgetting": None}
    model = OnlineGPRegressor(RBF(0.1), max_basis=120, **options)
    model.partial_fit(X, np.sin(X[:, 0]))
    assert model._stream.state.deletion_scores is not None
    model.save(tmp_path / "model")
    four_halves = 4 * 8 * 128 * 129 / 2  # Σ, Q, K and the inverse of Σ
    assert (tmp_path / "model").stat().st_size <= four_halves + 15_000
