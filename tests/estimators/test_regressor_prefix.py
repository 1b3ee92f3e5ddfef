"""Any shorter basis without a new selection."""

import numpy as np
import pytest

from tests.plain import plain_regressor


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(150, 2))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + rng.normal(scale=0.1, size=150)


@pytest.mark.parametrize("approximation", ["sor", "dtc", "fitc", "vfe"])
def test_prefix_equals_a_fit_with_these_basis_vectors(table, approximation):
    X, y = table
    settings = {"approximation": approximation, "optimizer": None}
    model = plain_regressor(max_basis=40, random_state=0, **settings).fit(X, y)
    for m in (1, 13, 40):
        shorter = model.prefix(m)
        refitted = plain_regressor(max_basis=m, **settings)
        refitted.fit(X, y, candidates=model.basis_vectors_[:m])
        assert shorter.n_basis_ == m
        for ours, expected in zip(
            shorter.predict(X, return_std=True), refitted.predict(X, return_std=True), strict=True
        ):
            np.testing.assert_allclose(ours, expected, rtol=1e-6, atol=1e-8)
        assert shorter.log_marginal_likelihood() == pytest.approx(
            refitted.log_marginal_likelihood(), rel=1e-6
        )
    assert model.n_basis_ == 40


def test_longer_prefixes_predict_better(table):
    X, y = table
    model = plain_regressor(max_basis=40, random_state=0).fit(X, y)
    scores = [model.prefix(m).score(X, y) for m in (2, 8, 40)]
    assert scores == sorted(scores)


def test_a_prefix_must_be_one(table):
    model = plain_regressor(max_basis=10, optimizer=None).fit(*table)
    for n_basis in (0, 11, 2.5):
        with pytest.raises(ValueError, match="n_basis must be"):
            model.prefix(n_basis)
