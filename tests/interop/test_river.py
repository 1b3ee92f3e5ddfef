"""river's own checks on our estimators for it, and its tools with them."""

import warnings

import numpy as np
import pandas as pd
import pytest

from sparsegp import OnlineGPClassifier, OnlineGPRegressor
from sparsegp.exceptions import FitWarning

checks = pytest.importorskip("river.checks", reason="river is not installed")

from sparsegp.interop.river_models import GPClassifier, GPRegressor  # noqa: E402

QUICK = {"n_warmup": 40, "max_basis": 8, "random_state": 0}
MODELS = [kind(**next(kind._unit_test_params())) for kind in (GPRegressor, GPClassifier)]
CASES = [(model, check) for model in MODELS for check in checks.yield_checks(model)]


@pytest.mark.parametrize(
    ("model", "check"),
    CASES,
    ids=[f"{type(model).__name__}-{check.__name__}" for model, check in CASES],
)
def test_river_check(model, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)  # of features that emerge
        check(model.clone())


def test_a_pipeline_and_its_evaluation():
    from river import compose, datasets, evaluate, metrics, preprocessing

    model = compose.Pipeline(preprocessing.StandardScaler(), MODELS[0].clone())
    error = evaluate.progressive_val_score(datasets.TrumpApproval().take(150), model, metrics.MAE())
    assert error.get() < 2.0


def test_the_distribution_is_that_of_the_model():
    model = GPRegressor(OnlineGPRegressor(**QUICK))
    assert model.predict_one({"a": 1.0}, with_dist=True).sigma == 1.0
    for i in range(30):
        model.learn_one({"a": float(i % 7)}, float(i % 7) + 0.1 * (i % 3))
    found = model.predict_one({"a": 3.0}, with_dist=True)
    mean, std = model.model_.predict(np.array([[3.0]]), return_std=True)
    assert (found.mu, found.sigma) == pytest.approx((mean[0], std[0]))
    assert model.predict_one({"a": 3.0}) == found.mu


def test_tables_are_learned_and_predicted_row_by_row():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.standard_normal((60, 2)), columns=["b", "a"])
    y = pd.Series(X["a"] - X["b"] > 0.0)
    many, one = (GPClassifier(OnlineGPClassifier(**QUICK)) for _ in range(2))
    many.learn_many(X, y)
    for x, target in zip(X.to_dict("records"), y, strict=True):
        one.learn_one(x, target)
    p = many.predict_proba_many(X)
    expected = [one.predict_proba_one(x)[True] for x in X.to_dict("records")]
    np.testing.assert_allclose(p[True], expected, rtol=1e-9)
    assert (many.predict_many(X) == y).mean() > 0.9


class Alarm:
    """Detects a drift at one row."""

    def __init__(self, at):
        self.at, self.seen, self.errors = at, 0, []

    def update(self, error):
        self.seen += 1
        self.errors.append(error)

    @property
    def drift_detected(self):
        return self.seen == self.at


def test_a_drift_detector_makes_it_forget():
    options = QUICK | {"forgetting": None}
    rows = [({"a": float(i % 5)}, float(i % 5)) for i in range(60)]
    model = GPRegressor(OnlineGPRegressor(**options), drift_detector=Alarm(49))
    for x, y in rows:
        model.learn_one(x, y)
    assert model.model_.effective_memory_ == 10.0  # the first row has no prediction
    assert model.drift_detector.seen == 0  # a copy of it was used
    assert len(model._detector.errors) == 59


def test_a_drift_detector_may_call_back():
    called = []
    model = GPClassifier(
        OnlineGPClassifier(**QUICK), drift_detector=Alarm(3), on_drift=called.append
    )
    for i in range(10):
        model.learn_one({"a": float(i)}, i % 2 == 0)
    assert called == [model.model_]


def test_forget_reaches_the_model():
    model = GPRegressor(OnlineGPRegressor(**QUICK)).learn_one({"a": 1.0}, 3.0)
    model.forget(1.0)
    assert model.model_.effective_memory_ == 0.0


def test_lags_by_name():
    model = GPRegressor(OnlineGPRegressor(lags={"target": 1, "load": 2}, **QUICK))
    for i in range(5):
        model.learn_one({"load": float(i), "air": 2.0 * i}, 10.0 * i)
    assert model.model_._stream.history.X[:, 1].tolist() == [3.0, 4.0]  # columns are sorted
    assert model.model_.basis_vectors_.shape[1] == 2 + 1 + 2
