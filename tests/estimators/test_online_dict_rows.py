"""One dict at a time."""

import numpy as np
import pandas as pd
import pytest

from sparsegp import OnlineGPClassifier, OnlineGPRegressor
from sparsegp.estimators.river.dict_columns import DictColumns
from sparsegp.estimators.river.dict_rows import OneRowClassifier, OneRowRegressor
from sparsegp.exceptions import FitWarning

RNG = np.random.default_rng(0)
X = RNG.standard_normal((80, 2))
Y = X[:, 0] - 2.0 * X[:, 1] + 0.3 * RNG.standard_normal(80)


def row(x):
    return {"b": x[1], "a": x[0]}


def test_learn_many_matches_learn_one():
    options = {"n_warmup": 40, "max_basis": 10, "random_state": 0}
    model = OneRowRegressor(OnlineGPRegressor(**options))
    assert model.predict_one(row(X[0])) == 0.0
    for i, (x, y) in enumerate(zip(X, Y, strict=True)):
        before = model.predict_one(row(x))
        assert model.predict_one(row(x)) == before
        model.learn_one({"a": x[0], "b": x[1]} if i else row(x), y)
    many = OnlineGPRegressor(**options).partial_fit(X, Y)
    expected = many.predict(X[:5])
    np.testing.assert_allclose([model.predict_one(row(x)) for x in X[:5]], expected, atol=1e-4)
    assert not hasattr(model.model, "n_features_in_")


def test_features_that_come_and_go_are_named():
    model = OneRowRegressor(OnlineGPRegressor(random_state=0), strict=True)
    model.learn_one({"a": 1.0, "b": 2.0}, 1.0)
    with pytest.raises(ValueError, match=r"missing \['b'\], new \['c'\]"):
        model.learn_one({"a": 1.0, "c": 2.0}, 1.0)
    assert model.model_.n_seen_ == 1


def test_a_missing_feature_counts_as_average():
    model = OneRowRegressor(OnlineGPRegressor(random_state=0))
    for a, b in ((1.0, 2.0), (2.0, 6.0), (4.0, 1.0)):
        model.learn_one({"a": a, "b": b}, a)
    for absent in ({"a": 1.5}, {"a": 1.5, "b": None}, {"a": 1.5, "b": float("nan")}):
        assert model.predict_one(absent) == model.predict_one({"a": 1.5, "b": 3.0})


def test_a_new_feature_is_told_once():
    columns = DictColumns()
    columns.learn({"a": 1.0})
    with pytest.warns(FitWarning, match=r"\['c'\]"):
        columns.array({"a": 1.0, "c": 2.0})
    np.testing.assert_array_equal(columns.array({"a": 5.0, "c": 2.0}), [[5.0]])


def test_announced_features_may_come_later():
    model = OneRowRegressor(OnlineGPRegressor(random_state=0), features=["a", "b"])
    model.learn_one({"a": 1.0}, 1.0).learn_one({"a": 2.0, "b": 7.0}, 2.0)
    assert model.model_.n_features_in_ == 2


def test_a_row_that_is_refused_changes_nothing():
    model = OneRowRegressor(OnlineGPRegressor(random_state=0)).learn_one({"a": 1.0, "b": 2.0}, 1.0)
    before = model.predict_one({"a": 1.0})
    for x, y in (({"a": 9.0, "b": "much"}, 1.0), ({"a": 9.0, "b": 9.0}, float("nan"))):
        with pytest.raises(ValueError, match=r"number|NaN"):
            model.learn_one(x, y)
    assert model.predict_one({"a": 1.0}) == before
    with pytest.raises(ValueError, match="no features"):
        OneRowRegressor().learn_one({}, 1.0)


def test_a_model_that_has_learned_a_table_goes_on():
    fitted = OnlineGPRegressor(random_state=0).fit(pd.DataFrame(X, columns=["b", "a"]), Y)
    model = OneRowRegressor(fitted)
    found = model.predict_one({"a": X[0, 1], "b": X[0, 0]})
    np.testing.assert_allclose(found, fitted.predict(pd.DataFrame(X[:1], columns=["b", "a"]))[0])
    model.learn_one({"a": 0.0, "b": 0.0}, 0.0)
    assert (model.model_.n_seen_, fitted.n_seen_) == (81, 80)


def test_columns_of_arrays_are_those_of_the_dict_in_its_order():
    fitted = OnlineGPRegressor(random_state=0).fit(X, Y)
    found = OneRowRegressor(fitted).predict_one({"second": X[0, 0], "first": X[0, 1]})
    np.testing.assert_allclose(found, fitted.predict(X[:1])[0])


def test_labels():
    model = OneRowClassifier(
        OnlineGPClassifier(n_warmup=40, max_basis=10, random_state=0), ["low", "high"]
    )
    assert model.predict_proba_one(row(X[0])) == {"low": 0.5, "high": 0.5}
    for x, y in zip(X, Y, strict=True):
        model.learn_one(row(x), "high" if y > 0.0 else "low")
    assert model.predict_one({"a": 2.0, "b": -1.0}) == "high"
    assert model.predict_one({"a": -2.0, "b": 1.0}) == "low"
