"""One dict at a time."""

import numpy as np
import pytest

from sparsegp import OnlineGPClassifier, OnlineGPRegressor
from sparsegp.estimators.dict_rows import OneRowClassifier, OneRowRegressor

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 2))
Y = X[:, 0] - 2.0 * X[:, 1] + 0.3 * RNG.standard_normal(80)


def row(x):
    return {"b": x[1], "a": x[0]}


def test_learn_many_matches_learn_one():
    options = {"n_warmup": 40, "max_basis": 10, "random_state": 0}
    model = OneRowRegressor(OnlineGPRegressor(**options))
    assert model.predict_one(row(X[0])) == 0.0
    for x, y in zip(X, Y, strict=True):
        before = model.predict_one(row(x))
        assert model.predict_one(row(x)) == before
        model.learn_one({"a": x[0], "b": x[1]} if len(model._columns.names) else row(x), y)
    many = OnlineGPRegressor(**options).partial_fit(X[:, ::-1], Y)
    expected = many.predict(X[:5, ::-1])
    np.testing.assert_allclose([model.predict_one(row(x)) for x in X[:5]], expected, atol=1e-4)


def test_features_that_come_and_go_are_named():
    model = OneRowRegressor(OnlineGPRegressor(random_state=0)).learn_one({"a": 1.0, "b": 2.0}, 1.0)
    with pytest.raises(ValueError, match=r"missing \['b'\], new \['c'\]"):
        model.learn_one({"a": 1.0, "c": 2.0}, 1.0)
    assert model.model.n_seen_ == 1


def test_labels():
    model = OneRowClassifier(
        OnlineGPClassifier(n_warmup=40, max_basis=10, random_state=0), ["low", "high"]
    )
    assert model.predict_proba_one(row(X[0])) == {"low": 0.5, "high": 0.5}
    for x, y in zip(X, Y, strict=True):
        model.learn_one(row(x), "high" if y > 0.0 else "low")
    assert model.predict_one({"a": 2.0, "b": -1.0}) == "high"
    assert model.predict_one({"a": -2.0, "b": 1.0}) == "low"
