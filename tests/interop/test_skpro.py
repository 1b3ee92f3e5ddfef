"""skpro's interface: the same predictions, and distributions with exact densities."""

import warnings

import numpy as np
import pandas as pd
import pytest

from sparsegp import SparseGPRegressor
from sparsegp.metrics import crps, nlpd

pytest.importorskip("skpro", reason="skpro is not installed")

from sparsegp.interop.skpro_distribution import PredictedTarget
from sparsegp.interop.skpro_regressor import SkproRegressor

QUICK = {"kernel": "rbf", "transform_X": "standard", "random_state": 0}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.uniform(-3, 3, 120), "kind": rng.choice(["a", "b"], 120)})
    y = np.exp(np.sin(X["x"]) + (X["kind"] == "a") + 0.2 * rng.standard_normal(120))
    return X, pd.DataFrame({"price": y})


@pytest.fixture(scope="module", params=["standard", "log"])
def model(request, rows):
    X, y = rows
    return SkproRegressor(SparseGPRegressor(transform_y=request.param, **QUICK)).fit(X, y)


def test_predictions_are_those_of_the_estimator(model, rows):
    X, y = rows
    own = model.estimator_.predict_distribution(X)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(model.predict(X)["price"], own.mean)
    np.testing.assert_allclose(proba.mean()["price"], own.mean)
    np.testing.assert_allclose(proba.var()["price"], own.std**2)
    np.testing.assert_allclose(proba.cdf(y)["price"], own.cdf(y["price"]), atol=1e-12)
    np.testing.assert_allclose(proba.ppf(0.9)["price"], own.quantile(0.9))
    log_density = own.log_density(y["price"])
    np.testing.assert_allclose(proba.log_pdf(y)["price"], log_density, atol=1e-8)
    interval = model.predict_interval(X, coverage=0.9)
    np.testing.assert_allclose(interval.iloc[:, 1], own.quantile(0.95))


def test_metrics_of_skpro_agree_with_ours(model, rows):
    from skpro.metrics import CRPS, LogLoss

    X, y = rows
    own, proba = model.estimator_.predict_distribution(X), model.predict_proba(X)
    assert LogLoss()(y, proba) == pytest.approx(nlpd(own, y["price"]))
    assert CRPS()(y, proba) == pytest.approx(crps(own, y["price"]), rel=1e-4)


def test_rows_of_a_distribution(rows):
    X, y = rows
    model = SkproRegressor(SparseGPRegressor(transform_y="log", **QUICK)).fit(X, y)
    proba = model.predict_proba(X)
    assert isinstance(proba, PredictedTarget)
    some = proba.iloc[[3, 5]]
    assert some.mean()["price"].tolist() == proba.mean()["price"].iloc[[3, 5]].tolist()
    one = proba.iloc[3, 0]
    assert one.cdf(one.ppf(0.3)) == pytest.approx(0.3)
    rng = np.random.default_rng(0)
    first, second = (one.ppf(rng.random()) for _ in range(2))
    assert first != second
    draws = np.array([[float(one.ppf(p)) for p in rng.random(4000)] for _ in range(2)])
    assert one.energy() == pytest.approx(np.abs(draws[0] - draws[1]).mean(), rel=0.1)


@pytest.mark.parametrize("kind", [SkproRegressor, PredictedTarget])
def test_checks_of_skpro(kind):
    from skpro.utils import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # approximations that skpro makes by itself
        results = check_estimator(kind, raise_exceptions=False, verbose=False)
    assert {name: str(found) for name, found in results.items() if found != "PASSED"} == {}
