"""The tools of scikit-learn on DataFrames with strings, categories, dates and missing values."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibrationDisplay
from sklearn.compose import TransformedTargetRegressor
from sklearn.inspection import PartialDependenceDisplay, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sparsegp import OnlineGPRegressor, SparseGPClassifier, SparseGPRegressor
from sparsegp.exceptions import ColumnWarning

LEVELS = {"Bern": 0.0, "Oslo": 1.0, "Rome": 2.5}


def rows(n, seed):
    """Return rows whose target depends on a city, a size that may be missing and a season."""
    rng = np.random.default_rng(seed)
    day = rng.integers(0, 800, n)
    table = pd.DataFrame(
        {
            "when": pd.Timestamp("2021-01-01") + pd.to_timedelta(day, unit="D"),
            "city": pd.Categorical(rng.choice(list(LEVELS), n)),
            "kind": rng.choice(["flat", "house"], n),
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.uniform(-1.0, 1.0, n)),
        }
    )
    y = 2.0 * table["size"].fillna(0.5) + table["city"].astype(object).map(LEVELS).astype(float)
    y += np.sin(2.0 * np.pi * day / 365.2425) + 5.0 + rng.normal(0.0, 0.05, n)
    return table, y.to_numpy()


X, Y = rows(160, 0)
NEW, Y_NEW = rows(60, 1)
HIGH, HIGH_NEW = (np.where(y > 6.0, "high", "low") for y in (Y, Y_NEW))
QUICK = {"max_basis": 30, "random_state": 0}
REGRESSOR = SparseGPRegressor(
    None, n_neighbors=0, transform_X="standard", transform_y="standard", noise="gaussian", **QUICK
)
CLASSIFIER = SparseGPClassifier(refine_basis=False, **QUICK)


@pytest.fixture(scope="module")
def model():
    return clone(REGRESSOR).fit(X, Y)


@pytest.fixture(scope="module")
def labels():
    return clone(CLASSIFIER).fit(X, HIGH)


def test_the_table_is_learned(model, labels):
    assert model.score(NEW, Y_NEW) > 0.9
    assert labels.score(NEW, HIGH_NEW) > 0.8


def test_permutation_importance(model, labels):
    found = permutation_importance(model, NEW, Y_NEW, n_repeats=3, random_state=0)
    assert found.importances_mean.shape == (4,)
    assert min(found.importances_mean[[0, 1, 3]]) > 0.1 > found.importances_mean[2]
    found = permutation_importance(
        labels, NEW, HIGH_NEW, scoring="neg_log_loss", n_repeats=3, random_state=0
    )
    assert np.argmax(found.importances_mean) in (1, 3)


def test_partial_dependence(model):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    whole = X.dropna()
    shown = PartialDependenceDisplay.from_estimator(
        model, whole, ["city", "size"], categorical_features=["city"], grid_resolution=5
    )
    city, size = (part["average"][0] for part in shown.pd_results)
    # cities in the order of their names
    np.testing.assert_allclose(np.diff(city), np.diff(list(LEVELS.values())), atol=0.2)
    assert np.all(np.diff(size) > 0.0)
    plt.close("all")


def test_calibration_display(labels):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    shown = CalibrationDisplay.from_estimator(labels, NEW, HIGH_NEW == "low", n_bins=3)
    np.testing.assert_allclose(shown.y_prob, labels.predict_proba(NEW)[:, 1])
    plt.close("all")


def test_pipeline(model, labels):
    doubled = FunctionTransformer(lambda table: table.assign(size=2.0 * table["size"]))
    piped = make_pipeline(doubled, clone(REGRESSOR)).fit(X, Y)
    np.testing.assert_allclose(piped.predict(NEW), model.predict(NEW), rtol=1e-3)
    assert make_pipeline(FunctionTransformer(), clone(CLASSIFIER)).fit(X, HIGH).score(
        NEW, HIGH_NEW
    ) == labels.score(NEW, HIGH_NEW)


def test_grid_search(model):
    search = GridSearchCV(clone(REGRESSOR), {"max_basis": [3, 30]}, cv=2).fit(X, Y)
    assert search.best_params_ == {"max_basis": 30}
    assert search.score(NEW, Y_NEW) == pytest.approx(model.score(NEW, Y_NEW))
    assert np.min(cross_val_score(clone(CLASSIFIER), X, HIGH, cv=2)) > 0.7


def test_transformed_target():
    model = TransformedTargetRegressor(clone(REGRESSOR), func=np.log, inverse_func=np.exp)
    assert model.fit(X, Y).score(NEW, Y_NEW) > 0.8


def test_pickles(model, labels):
    for fitted in (model, labels):
        again = pickle.loads(pickle.dumps(fitted))
        np.testing.assert_array_equal(again.predict(NEW), fitted.predict(NEW))
        assert again.encoding_ == fitted.encoding_
    assert not hasattr(pickle.loads(pickle.dumps(REGRESSOR)), "encoding_")


def test_importances_are_those_of_the_columns_of_the_table(model, labels):
    shares = model.feature_importances_
    assert len(model.encoding_.columns) > 4  # a date has periodic parts, a size an indicator
    assert shares.shape == (4,) and shares.sum() == pytest.approx(1.0)
    assert min(shares[[0, 1, 3]]) > 0.05 > shares[2]
    online = OnlineGPRegressor(n_warmup=80, **QUICK).fit(X, Y)
    assert online.feature_importances_.shape == labels.feature_importances_.shape == (4,)


def test_columns_that_are_left_out_have_no_importance(model):
    table = X.copy()
    table.insert(1, "country", "Germany")
    with pytest.warns(ColumnWarning, match="country"):
        wider = clone(REGRESSOR).fit(table, Y)
    shares = wider.feature_importances_
    assert shares.shape == (5,) and shares[1] == 0.0
    np.testing.assert_allclose(np.delete(shares, 1), model.feature_importances_)
