"""Periods are in the units of the data, whatever becomes of the columns."""

import numpy as np
import pandas as pd
import pytest
from sklearn.gaussian_process import kernels as sk

import sparsegp
from sparsegp import OnlineGPRegressor, SparseGPClassifier, SparseGPRegressor
from sparsegp.arrays import to_numpy
from sparsegp.files.numpy_predictor import NumpyPredictor
from sparsegp.kernels import RBF, Auto, Constant, Linear, OnColumns, Periodic
from tests.array_libraries import on_device

HOURS = np.sort(np.random.default_rng(0).uniform(0.0, 24.0 * 30.0, 250))[:, None]
LATER = np.linspace(24.0 * 30.0, 24.0 * 35.0, 60)[:, None]
DAILY = Constant(1.0) * Periodic(1.0, 24.0, period_bounds="fixed")


def function(hours):
    return np.exp(np.sin(2.0 * np.pi * hours[:, 0] / 24.0))


Y = function(HOURS) + 0.1 * np.random.default_rng(1).standard_normal(len(HOURS))


def regressor(kernel, **options):
    return SparseGPRegressor(kernel, max_basis=30, n_neighbors=0, random_state=0, **options)


def error_of(model, X=LATER):
    """Return the RMSE of the days after the last row, where only a period can predict."""
    return np.sqrt(np.mean((model.predict(X) - function(LATER)) ** 2))


def test_period_of_sklearn_in_hours():
    expression = 1.0 * sk.ExpSineSquared(1.0, 24.0, periodicity_bounds="fixed")
    model = regressor(expression + sk.WhiteKernel(0.1)).fit(HOURS, Y)
    assert error_of(model) < 0.08
    assert "period=24.0" in repr(model.kernel_)
    assert model.transform_X_ == {0: "standard"}


def test_another_period_does_not_fit():
    other = 1.0 * sk.ExpSineSquared(1.0, 17.0, periodicity_bounds="fixed")
    assert error_of(regressor(other + sk.WhiteKernel(0.1)).fit(HOURS, Y)) > 0.3


@pytest.mark.parametrize("transform", ["auto", "standard", "none", "common"])
def test_any_scale_of_the_column(transform):
    model = regressor(DAILY, transform_X=transform, transform_y="standard").fit(HOURS, Y)
    assert error_of(model) < 0.08


@pytest.mark.parametrize("unit", [60.0, 3600.0])
def test_any_unit_of_the_column(unit):
    model = regressor(Constant(1.0) * Periodic(1.0, 24.0 * unit), transform_y="standard")
    model.fit(HOURS * unit, Y)
    assert error_of(model, LATER * unit) < 0.08
    assert model.kernel_.right.period == pytest.approx(24.0 * unit, rel=0.01)


def test_a_learned_period_is_in_the_units_of_the_data_and_starts_another_fit():
    model = regressor(Constant(1.0) * Periodic(1.0, 24.2), transform_y="standard").fit(HOURS, Y)
    assert model.kernel_.right.period == pytest.approx(24.0, abs=0.05)
    again = regressor(model.kernel_, optimizer=None).fit(HOURS / 1.5, Y)
    assert again.kernel_.right.period == model.kernel_.right.period  # but a day has 16
    assert error_of(again, LATER / 1.5) > 0.3


def test_beside_an_open_kernel_and_other_columns():
    X = np.column_stack((np.exp(np.random.default_rng(2).normal(0.0, 2.0, len(HOURS))), HOURS))
    kernel = OnColumns(Auto(), [0, 1]) + OnColumns(DAILY, [1])
    model = regressor(kernel).fit(X, Y)
    assert model.transform_X_[1] == "standard"
    assert error_of(model, np.column_stack((np.ones(len(LATER)), LATER))) < 0.15


def test_other_families_of_an_open_kernel_have_the_same_period(monkeypatch):
    class SeenError(Exception):
        pass

    def fit_regression(rows, start, *_, template, **__):
        raise SeenError(start.kernel, template)

    monkeypatch.setattr("sparsegp.estimators.regressor.fit_regression", fit_regression)
    with pytest.raises(SeenError) as seen:
        regressor(DAILY + Auto(), transform_X="standard").fit(HOURS, Y)
    for kernel in seen.value.args:
        assert kernel.left.right.input_scale == pytest.approx(np.std(HOURS))


def test_dates_are_days():
    start = pd.Timestamp("2024-03-01")
    table = pd.DataFrame({"time": start + pd.to_timedelta(HOURS[:, 0], unit="h")})
    later = pd.DataFrame({"time": start + pd.to_timedelta(LATER[:, 0], unit="h")})
    kernel = OnColumns(Constant(1.0) * Periodic(1.0, 1.0, period_bounds="fixed"), ["time"])
    model = regressor(kernel).fit(table, Y)
    assert error_of(model, later) < 0.08


def test_one_period_for_columns_of_different_scale():
    X = np.column_stack((HOURS, HOURS[::-1] * 50.0))
    model = regressor(Constant(1.0) * Periodic(1.0, (24.0, 1200.0)), optimizer=None).fit(X, Y)
    raw = Periodic(1.0, (24.0, 1200.0))(X[:5], X[:5])
    scaled = model._scaling_X.apply(X[:5])
    np.testing.assert_allclose(model.kernel_.right(scaled, scaled), raw, rtol=1e-8)


def test_other_estimators():
    middle = np.median(Y)
    labels = np.where(middle < Y, "high", "low")
    truth = np.where(function(LATER) > middle, "high", "low")
    classifier = SparseGPClassifier(DAILY, max_basis=20, refine_basis=False, random_state=0)
    assert classifier.fit(HOURS, labels).score(LATER, truth) > 0.9
    stream = OnlineGPRegressor(DAILY, max_basis=30, n_warmup=100, random_state=0)
    for part in np.array_split(np.arange(len(HOURS)), 4):
        stream.partial_fit(HOURS[part], Y[part])
    assert error_of(stream) < 0.1


def test_files(tmp_path):
    kernel = Constant(1.0) * Periodic(1.0, 24.0) + Constant(1.0) * RBF(1.0) + Linear(0.1)
    model = regressor(kernel, transform_y="standard").fit(HOURS, Y)
    model.save(tmp_path / "model")
    again = sparsegp.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(LATER), model.predict(LATER))
    alone = NumpyPredictor(tmp_path / "model").predict(LATER)
    np.testing.assert_allclose(alone, model.predict(LATER), rtol=1e-8)


@pytest.mark.parametrize("transform", ["quantile", "log", {0: "log"}])
def test_a_warped_column_has_no_period(transform):
    with pytest.raises(ValueError, match="position 0, but the kernel has a period"):
        regressor(DAILY, transform_X=transform).fit(HOURS + 1.0, Y)


@pytest.mark.parametrize("rest", [Constant(1.0) * RBF(1.0), Auto()])
def test_arrays_on_a_device(rest):
    model = regressor(DAILY + rest, transform_y="standard", n_adaptations=0)
    model.fit(on_device(HOURS), on_device(Y))
    found = to_numpy(model.predict(on_device(LATER)))
    assert np.sqrt(np.mean((found - function(LATER)) ** 2)) < 0.15
