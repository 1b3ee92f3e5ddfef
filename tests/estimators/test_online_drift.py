"""Streams that change: forgetting, features of time, hyperparameters that follow."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp import OnlineGPClassifier, OnlineGPRegressor
from sparsegp.kernels import RBF
from tests.property_settings import cases

RNG = np.random.default_rng(0)
X = RNG.uniform(-2.0, 2.0, (600, 2))
Y = np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.standard_normal(600)
LABELS = np.where(X[:, 0] > 0.3, "up", np.where(X[:, 1] > 0.0, "left", "right"))
NEW = RNG.uniform(-2.0, 2.0, (20, 2))


def regressor(**options):
    return OnlineGPRegressor(**{"max_basis": 20, "n_warmup": 60, "random_state": 0} | options)


def outputs(model):
    return np.stack(model.predict(NEW, return_std=True))


def test_rate_zero_is_none_bit_for_bit():
    one, other = (regressor(forgetting=rate).partial_fit(X, Y) for rate in (0.0, None))
    np.testing.assert_array_equal(outputs(one), outputs(other))
    assert one.effective_memory_ == other.effective_memory_ == 600.0
    one, other = (
        OnlineGPClassifier(max_basis=15, n_warmup=60, random_state=0, forgetting=rate).partial_fit(
            X, LABELS, classes=np.unique(LABELS)
        )
        for rate in (0, None)
    )
    np.testing.assert_array_equal(one.predict_proba(NEW), other.predict_proba(NEW))


def test_memory_of_a_rate():
    model = regressor(forgetting=0.01).partial_fit(X, Y)
    assert 85.0 < model.effective_memory_ < 100.0
    assert model.forget(0.5).effective_memory_ < 50.0
    assert regressor().fit(X, Y).effective_memory_ == 600.0  # rows in random order have no age


@cases(3)
@given(
    cuts=st.lists(st.integers(1, 599), max_size=5, unique=True),
    lags=st.sampled_from([0, 2, {"target": 1, 0: 2}]),
    mean=st.sampled_from(["zero", "last"]),
)
def test_calls_of_any_size_agree(cuts, lags, mean):
    options = {"kernel": RBF(1.5), "optimizer": None, "lags": lags, "mean": mean}
    once, cut = regressor(**options).partial_fit(X, Y), regressor(**options)
    for rows in np.split(np.arange(600), sorted(cuts)):
        cut.partial_fit(X[rows], Y[rows])
    np.testing.assert_allclose(outputs(cut), outputs(once), rtol=1e-5, atol=1e-6)
    assert cut.effective_memory_ == pytest.approx(once.effective_memory_, rel=1e-5)


def test_many_classes_that_change():
    model = OnlineGPClassifier(max_basis=20, n_warmup=100, random_state=0)
    turned = np.roll(np.unique(LABELS), 1)[np.searchsorted(np.unique(LABELS), LABELS)]
    y = np.where(np.arange(600) < 200, LABELS, turned)
    model.partial_fit(X, y, classes=np.unique(LABELS))
    still = OnlineGPClassifier(max_basis=20, n_warmup=100, random_state=0, forgetting=None)
    still.partial_fit(X, y, classes=np.unique(LABELS))
    assert model.effective_memory_ < 500.0
    assert model.score(X[400:], y[400:]) > still.score(X[400:], y[400:])


def test_a_rate_may_change_in_mid_stream():
    model = regressor(forgetting=None).partial_fit(X[:300], Y[:300])
    before = outputs(model)
    model.set_params(forgetting="auto")
    np.testing.assert_array_equal(outputs(model), before)
    model.partial_fit(X[300:], Y[300:])
    assert model._stream.model.posteriors.n_rates > 1
    model.set_params(forgetting=0.02).partial_fit(X[:100], Y[:100])
    assert model._stream.model.posteriors.n_rates == 1
    assert model.effective_memory_ < 140.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"forgetting": 1.0}, "forgetting must be 'auto', None or a rate"),
        ({"forgetting": -0.1}, "forgetting must be"),
        ({"forgetting": "much"}, "forgetting must be"),
        ({"lags": -1}, "lags"),
        ({"lags": {"wind": 1}}, "neither 'target' nor a column"),
        ({"lags": {5: 1}}, "neither 'target' nor a column"),
        ({"mean": "first"}, "mean"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        regressor(**options).partial_fit(X, Y)


def test_the_last_value_is_the_mean():
    walk = np.cumsum(RNG.standard_normal(400))
    model = regressor(mean="last").partial_fit(X[:400], walk)
    mean, std = model.predict(NEW, return_std=True)
    assert np.max(np.abs(mean - walk[-1])) < 1.0
    assert 0.7 < np.mean(std) < 1.5
    low, high = model.predict_interval(NEW)
    assert np.all((low < walk[-1]) & (walk[-1] < high))
    samples = model.sample_y(NEW, 50)
    assert abs(np.mean(samples) - walk[-1]) < 1.0
    assert model.log_density(NEW, np.full(20, walk[-1])).shape == (20,)


def test_lags_know_the_rows_before():
    y = np.zeros(400)
    for i in range(2, 400):  # an oscillation that its last two values determine
        y[i] = 1.8 * y[i - 1] - 0.95 * y[i - 2] + RNG.standard_normal()
    model, errors = regressor(lags=2), []
    for i in range(400):
        if i > 200:
            errors.append(y[i] - model.predict(X[i : i + 1])[0])
        model.partial_fit(X[i : i + 1], y[i : i + 1])
    assert np.std(errors) < 1.3 < 0.5 * np.std(y)


def test_lags_of_named_columns():
    table = pd.DataFrame({"a": X[:, 0], "kind": np.where(X[:, 1] > 0, "x", "y")})
    y = np.concatenate(([0.0], X[:-1, 0]))  # the value before
    model = regressor(lags={"a": 1}, n_warmup=200)
    for rows in np.array_split(np.arange(600), 20):
        model.partial_fit(table.iloc[rows], y[rows])
    assert model.predict(table.iloc[:1])[0] == pytest.approx(X[-1, 0], abs=0.1)
    assert list(model.transform_X_)[-1] == "a, 1 before"
    assert len(model.feature_importances_) == 3
    assert np.argmax(model.feature_importances_) == 2


def test_hyperparameters_follow_columns_that_become_relevant():
    rng = np.random.default_rng(1)
    inputs = rng.standard_normal((2000, 3))
    target = np.where(np.arange(2000) < 600, inputs[:, 0], np.sin(3.0 * inputs[:, 1]))
    target += 0.1 * rng.standard_normal(2000)
    model = regressor(n_warmup=300, max_basis=30)
    first = None
    for rows in np.split(np.arange(2000), 20):
        model.partial_fit(inputs[rows], target[rows])
        first = model.kernel_ if first is None and rows[-1] > 400 else first
    assert model.kernel_ != first
    importance = model.feature_importances_
    assert importance[1] > 0.9
    assert model.n_seen_ == 2000


def test_a_column_that_begins_to_move():
    inputs = np.column_stack((X, np.full(600, 7.0)))
    model = regressor().partial_fit(inputs, Y)
    expected = outputs_of(model, np.column_stack((NEW, np.full(20, 7.0))))
    moved = np.column_stack((NEW, np.full(20, 7e6)))
    np.testing.assert_allclose(outputs_of(model, moved), expected)
    rng = np.random.default_rng(3)
    later = np.column_stack((X, 7.0 + 1e4 * rng.standard_normal(600)))
    for rows in np.split(np.arange(600), 12):
        model.partial_fit(later[rows], later[rows, 2] / 1e4)
    assert model.feature_importances_[2] > 0.9


def outputs_of(model, inputs):
    return np.stack(model.predict(inputs, return_std=True))


def test_few_rows_have_wide_intervals():
    covered = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.standard_normal((6, 3))
        y = 10.0 ** rng.uniform(-2, 3) * (x @ rng.standard_normal(3) + rng.standard_normal(6))
        model = OnlineGPRegressor(random_state=0)
        for i in range(6):
            if i:
                low, high = model.predict_interval(x[i : i + 1])
                covered.append(low[0] <= y[i] <= high[0])
            model.partial_fit(x[i : i + 1], y[i : i + 1])
    assert np.mean(covered) > 0.87


def test_the_state_does_not_grow(tmp_path):
    model, sizes = regressor(lags=1), []
    rng = np.random.default_rng(2)
    for _ in range(4):
        inputs = rng.uniform(-2.0, 2.0, (700, 2))
        model.partial_fit(inputs, np.sin(inputs[:, 0]) + 0.1 * rng.standard_normal(700))
        model.save(tmp_path / "model")
        sizes.append((tmp_path / "model").stat().st_size)
    assert max(sizes[1:]) < 1.5 * sizes[0]


def test_the_length_of_the_warm_up_changes_little():
    def error(n_warmup):
        model, squares = regressor(n_warmup=n_warmup, max_basis=40), []
        for rows in np.split(np.arange(600), 60):
            if rows[0] >= 300:
                squares.append((model.predict(X[rows]) - Y[rows]) ** 2)
            model.partial_fit(X[rows], Y[rows])
        return np.sqrt(np.mean(squares))

    errors = [error(n) for n in (30, 200, 2000)]
    assert max(errors) < 1.3 * min(errors)
