"""Values, slopes, inverses and derivatives of curves, against differences and textbook formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import yeojohnson

from sparsegp.tables.transforms.curves import CURVES, Logarithm, SinhArcsinh, YeoJohnson
from tests.oracles.warped import curves

T = np.array([-2.7, -1.0, -0.2, 0.3, 1.1, 4.0])


def inside(curve):
    return T[T > 0.0] if isinstance(curve, Logarithm) else T


@given(curves())
def test_inverse_undoes_value(curve):
    t = inside(curve)
    g = curve.value(t)
    # a bend that is flat to rounding cannot be undone better than its slope allows
    tolerance = 1e-9 + 1e-14 * (1.0 + np.abs(g)) / np.exp(curve.log_slope(t))
    assert np.all(np.abs(curve.inverse(g) - t) <= tolerance * 10)


@given(curves())
def test_slope_is_that_of_the_value(curve):
    t, h = inside(curve), 1e-6
    slope = (curve.value(t + h) - curve.value(t - h)) / (2 * h)
    np.testing.assert_allclose(np.exp(curve.log_slope(t)), slope, rtol=1e-3)


@given(curves())
def test_derivatives_by_the_shape(curve):
    t, h = inside(curve), 1e-5
    by_value, by_log_slope = curve.derivatives(t)
    assert by_value.shape == by_log_slope.shape == (len(t), len(curve.vector))
    for i in range(len(curve.vector)):
        step = h * np.eye(len(curve.vector))[i]
        up, down = curve.with_vector(curve.vector + step), curve.with_vector(curve.vector - step)
        value = (up.value(t) - down.value(t)) / (2 * h)
        np.testing.assert_allclose(by_value[:, i], value, rtol=1e-4, atol=1e-6)
        log_slope = (up.log_slope(t) - down.log_slope(t)) / (2 * h)
        np.testing.assert_allclose(by_log_slope[:, i], log_slope, rtol=1e-4, atol=1e-6)


@given(st.floats(-2, 4))
def test_yeo_johnson_is_that_of_scipy(power):
    np.testing.assert_allclose(YeoJohnson(power=power).value(T), yeojohnson(T, power), rtol=1e-9)


@pytest.mark.parametrize("power", [0.0, 1e-9, 2.0, 2.0 - 1e-9])
def test_yeo_johnson_has_no_gap_where_a_power_becomes_a_logarithm(power):
    curve = YeoJohnson(power=power)
    limit = YeoJohnson(power=round(power))
    np.testing.assert_allclose(curve.value(T), limit.value(T), rtol=1e-7)
    np.testing.assert_allclose(curve.inverse(curve.value(T)), T, rtol=1e-12)


def test_curves_begin_straight():
    for name in ("yeo-johnson", "sinh-arcsinh", "standard"):
        np.testing.assert_allclose(CURVES[name].value(T), T, rtol=1e-12)


def test_sinh_arcsinh_by_its_formula():
    curve = SinhArcsinh(centre=0.5, scale=2.0, tail=0.7, skew=-0.3)
    u = (T - 0.5) / 2.0
    np.testing.assert_allclose(curve.value(T), np.sinh(0.7 * np.arcsinh(u) + 0.3), rtol=1e-12)


def test_the_logarithm_of_nothing_is_no_warning():
    assert Logarithm().value(np.array([-1.0, 0.0])).tolist() == [-np.inf, -np.inf]
    assert Logarithm().log_slope(np.array([-1.0, 0.0])).tolist() == [-np.inf, -np.inf]
