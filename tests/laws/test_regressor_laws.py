"""Laws of the whole estimator."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sparsegp.tables.rows as rows_module
from sparsegp import SparseGPRegressor
from tests.property_settings import cases

APPROXIMATIONS = st.sampled_from(["sor", "dtc", "fitc", "vfe"])


def table(seed, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.2 * rng.normal(size=n)


@cases(30)
@given(seed=st.integers(0, 1000), approximation=APPROXIMATIONS)
def test_the_order_of_rows_does_not_matter(seed, approximation):
    X, y = table(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    model = SparseGPRegressor(approximation=approximation, optimizer=None, max_basis=10)
    basis = X[:10]
    a = model.fit(X, y, candidates=basis).predict(X, return_std=True)
    b = model.fit(X[order], y[order], candidates=basis).predict(X, return_std=True)
    for first, second in zip(a, b, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-10, atol=1e-10)


@cases(30)
@given(seed=st.integers(0, 1000), approximation=APPROXIMATIONS)
def test_integer_weights_are_repeated_rows(seed, approximation):
    X, y = table(seed)
    weight = np.random.default_rng(seed).integers(0, 4, size=len(X))
    model = SparseGPRegressor(approximation=approximation, optimizer=None, max_basis=10)
    basis = X[:10]
    a = model.fit(X, y, sample_weight=weight, candidates=basis).predict(X, return_std=True)
    evidence = model.log_marginal_likelihood()
    repeated = np.repeat(X, weight, axis=0), np.repeat(y, weight)
    b = model.fit(*repeated, candidates=basis).predict(X, return_std=True)
    assert model.log_marginal_likelihood() == pytest.approx(evidence, rel=1e-10)
    for first, second in zip(a, b, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-9, atol=1e-9)


def test_weights_are_repeated_rows_for_learned_hyperparameters_too():
    X, y = table(0, n=60)
    weight = np.random.default_rng(0).integers(0, 4, size=len(X))
    model = SparseGPRegressor(None, max_basis=1000, transform_X="standard", transform_y="standard")
    a = model.fit(X, y, sample_weight=weight).predict(X)
    b = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict(X)
    np.testing.assert_allclose(a, b, atol=1e-3)


@pytest.mark.parametrize("approximation", ["dtc", "fitc"])
def test_the_size_of_blocks_does_not_matter(approximation, monkeypatch):
    X, y = table(1, n=700)
    model = SparseGPRegressor(approximation=approximation, optimizer=None, max_basis=30)
    whole = model.fit(X, y, candidates=X[:30]).predict(X, return_std=True)
    monkeypatch.setattr(rows_module, "SMALLEST_BLOCK", 7)
    monkeypatch.setattr(rows_module.block_size, "__defaults__", (1,))
    assert rows_module.block_size(30) == 7
    blocks = model.fit(X, y, candidates=X[:30]).predict(X, return_std=True)
    for first, second in zip(whole, blocks, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-10, atol=1e-10)
