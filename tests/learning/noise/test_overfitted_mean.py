"""Means that follow the noise are scaled by the slope of targets over left-out means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp import SparseGPRegressor, load
from sparsegp.files.numpy_predictor import NumpyPredictor
from sparsegp.learning.noise.calibrate import Calibration
from sparsegp.learning.noise.overfitted_mean import mean_scale
from sparsegp.model.leave_one_out.predictions import LeftOut


def left_out(mean, y, count=None):
    """Return predictions of targets y (n, p) by these means."""
    ones = np.ones(len(y))
    return LeftOut(y - mean, mean, ones, ones, ones if count is None else count)


def visits(n, seed=0):
    """Return inputs and counts that are zero for most rows; a sixth of their variance is known."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 3))
    rate = 0.4 * np.exp(0.8 * X[:, 0])
    return X, rng.negative_binomial(0.3, 0.3 / (0.3 + rate)).astype(float)


@given(st.integers(0, 10_000), st.floats(0.1, 0.7), st.integers(1, 2))
def test_it_is_the_slope_where_that_is_clearly_below_one(seed, slope, n_outputs):
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=(2_000, n_outputs))
    y = slope * mean + 0.3 * rng.normal(size=mean.shape)
    found = mean_scale(left_out(mean, y))
    exact = np.sum(mean * y) / np.sum(mean**2)  # least squares
    assert found == pytest.approx(exact, abs=0.01)
    assert found >= exact - 1e-12  # uncertainty leaves the mean where it is


@given(st.integers(0, 10_000), st.floats(1.0, 1.5))
def test_a_mean_that_fits_or_is_too_timid_stays(seed, slope):
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=(300, 1))
    y = slope * mean + rng.standard_t(3.0, mean.shape)
    excess = 1.0 - np.sum(mean * y) / np.sum(mean**2)
    if excess < 0.1:  # chance alone has three standard errors in one of 700 cases
        assert mean_scale(left_out(mean, y)) == 1.0


def test_a_row_of_weight_two_counts_twice_for_the_slope():
    rng = np.random.default_rng(0)
    mean = rng.normal(size=(500, 1))
    y, count = 0.3 * mean + 0.1 * rng.normal(size=mean.shape), np.arange(500) % 2 + 1.0
    repeat = np.repeat(np.arange(500), count.astype(int))
    weighted = mean_scale(left_out(mean, y, count))
    assert weighted == pytest.approx(mean_scale(left_out(mean[repeat], y[repeat])), rel=1e-3)


def test_constant_predictions_have_no_slope():
    assert mean_scale(left_out(np.zeros((20, 1)), np.ones((20, 1)))) == 1.0


def test_scaled_predictions_have_scaled_errors():
    rng = np.random.default_rng(0)
    mean, y = rng.normal(size=(20, 2)), rng.normal(size=(20, 2))
    scaled = left_out(mean, y).with_mean_scaled(0.25)
    np.testing.assert_allclose(scaled.mean, 0.25 * mean)
    np.testing.assert_allclose(scaled.error, y - 0.25 * mean)


@pytest.fixture(scope="module")
def fitted():
    X, y = visits(700)
    return SparseGPRegressor(random_state=0).fit(X, y)


def test_counts_are_predicted_by_their_mean(fitted):
    X, y = visits(700)
    assert np.mean(y == 0.0) > 0.7  # and their density is highest near zero
    assert fitted.predict(X).mean() == pytest.approx(y.mean(), rel=0.2)
    X, y = visits(4_000, seed=1)
    assert np.sqrt(np.mean((fitted.predict(X) - y) ** 2)) < 1.02 * np.std(y)


@pytest.mark.parametrize("approximation", ["dtc", "fitc"])
def test_prefixes_and_files_keep_the_scale(approximation, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "sparsegp.learning.noise.calibration_rows.mean_scale", lambda _: 0.5, raising=True
    )
    X, y = visits(300)
    options = {"kernel": "rbf", "transform_y": "standard", "noise": "gaussian", "n_neighbors": 0}
    model = SparseGPRegressor(
        max_basis=20, approximation=approximation, random_state=0, **options
    ).fit(np.tile(X, (3, 1)), np.tile(y, 3))
    assert model.calibration_.mean == 0.5
    assert "factor on the mean" in model._repr_html_()
    monkeypatch.undo()
    offset = np.mean(y)
    shorter = model.prefix(model.n_basis_)
    np.testing.assert_allclose(shorter.predict(X), model.predict(X), rtol=1e-8)
    whole = Calibration().applied_to(model._posterior)
    np.testing.assert_array_equal(whole.alpha, model._posterior.alpha)
    model.save(tmp_path / "model.sgp")
    again = load(tmp_path / "model.sgp")
    assert again.calibration_.mean == 0.5
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_allclose(
        NumpyPredictor(tmp_path / "model.sgp").predict(X), model.predict(X), rtol=1e-9
    )
    assert np.std(model.predict(X) - offset) > 0.0
