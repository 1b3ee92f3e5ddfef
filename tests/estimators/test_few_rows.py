"""Tables of 2 to 40 rows: what is chosen, and how often intervals hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp import SparseGPClassifier, SparseGPRegressor
from sparsegp.learning.noise.policy import MIN_LEFT_OUT
from sparsegp.learning.structure.policy import MIN_ROWS_TO_CHOOSE
from tests.property_settings import cases


def table(n, seed, n_columns=3):
    """Draw a smooth function of two of the columns with a little noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_columns))
    y = np.sin(1.5 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * rng.standard_normal(n)
    return X, 100.0 * y + 1_000.0


@pytest.mark.parametrize(("n", "least"), [(8, 0.75), (16, 0.8), (40, 0.85)])
def test_intervals_of_few_rows_hold(n, least):
    shares = []
    for seed in range(4):
        X, y = table(n + 400, seed)
        low, high = SparseGPRegressor().fit(X[:n], y[:n]).predict_interval(X[n:])
        shares.append(np.mean((low <= y[n:]) & (y[n:] <= high)))
    assert np.mean(shares) > least


def test_from_eight_rows_on_kernel_and_error_bars_are_chosen():
    X, y = table(MIN_ROWS_TO_CHOOSE, 0)
    model, fewer = SparseGPRegressor().fit(X, y), SparseGPRegressor().fit(X[:-1], y[:-1])
    chosen = {entry["phase"].split(":")[0] for entry in model.history_}
    assert {"transforms", "kernel", "calibration"} <= chosen
    assert not {"transforms", "kernel", "calibration"} & {e["phase"] for e in fewer.history_}
    assert MIN_LEFT_OUT == MIN_ROWS_TO_CHOOSE


@cases(6)
@given(n=st.integers(2, 12), seed=st.integers(0, 20), kind=st.sampled_from(["tied", "one", "far"]))
def test_a_handful_of_any_rows_is_a_model(n, seed, kind):
    X, y = table(n, seed)
    if kind == "tied":
        X, y = np.round(X), np.round(y, -2)
    elif kind == "one":
        X[:, 1], y[1:] = 3.0, y[1]
    else:
        X[0], y[0] = 1e6, 1e6
    mean, std = SparseGPRegressor().fit(X, y).predict(X, return_std=True)
    assert np.all(np.isfinite(mean)) and np.all(std > 0.0)


def test_few_rows_of_two_classes_are_told_apart():
    X, y = table(440, 1)
    labels = y > 1_000.0
    model = SparseGPClassifier().fit(X[:40], labels[:40])
    p = model.predict_proba(X[40:])[np.arange(400), labels[40:].astype(int)]
    assert np.mean(p > 0.5) > 0.8 and -np.mean(np.log(p)) < 0.5
