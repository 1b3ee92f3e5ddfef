import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.tables.transforms.scaling import fit_scaling


def draw(n=50, D=3):
    return np.random.default_rng(0).standard_normal((n, D)) * [1.0, 5.0, 0.1] + [0.0, 3.0, -7.0]


def test_columns_get_mean_zero_and_deviation_one():
    X = draw()
    scaled = fit_scaling(X, None, "standard").apply(X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0), 1.0, rtol=1e-12)


@pytest.mark.parametrize("kind", ["none", "standard"])
def test_invert_undoes_apply(kind):
    X = draw()
    scaling = fit_scaling(X, None, kind)
    np.testing.assert_allclose(scaling.invert(scaling.apply(X)), X, rtol=1e-12)


def test_none_leaves_the_table_as_it_is():
    np.testing.assert_array_equal(fit_scaling(draw(), None, "none").apply(draw()), draw())


def test_weights_equal_repeated_rows():
    X, times = draw(8), np.array([1, 2, 3, 1, 1, 4, 2, 1])
    weighted = fit_scaling(X, times.astype(float), "standard")
    written_out = fit_scaling(np.repeat(X, times, axis=0), None, "standard")
    np.testing.assert_allclose(weighted.offset, written_out.offset, rtol=1e-12)
    np.testing.assert_allclose(weighted.scale, written_out.scale, rtol=1e-12)


@pytest.mark.parametrize("value", [0.0, 3.0, 1e9, 0.1, -1e-200])
def test_a_constant_column_is_centred_only(value):
    scaling = fit_scaling(np.full((7, 1), value), None, "standard")
    assert scaling.scale == [1.0]
    np.testing.assert_allclose(scaling.apply(np.full((2, 1), value)), 0.0, atol=1e-12 * abs(value))


def test_an_offset_costs_no_digits():
    X = 1e9 + np.arange(9_999.0)[:, None] % 3  # 1e9, 1e9 + 1, 1e9 + 2, 3,333 times each
    scaling = fit_scaling(X, None, "standard")
    np.testing.assert_allclose(scaling.offset - 1e9, 1.0, atol=1e-9)
    np.testing.assert_allclose(scaling.scale, np.sqrt(2.0 / 3.0), rtol=1e-12)


def test_one_row_is_centred_only():
    scaling = fit_scaling(np.array([[2.0, 3.0]]), None, "standard")
    np.testing.assert_array_equal(scaling.scale, 1.0)
    np.testing.assert_array_equal(scaling.offset, [2.0, 3.0])


@given(st.floats(-150, 150), st.floats(-1e6, 1e6))
def test_size_and_offset_of_a_column_do_not_matter(exponent, offset):
    X = draw()[:, :1] + offset
    expected = fit_scaling(X, None, "standard").apply(X)
    scaled = 10.0**exponent * X
    actual = fit_scaling(scaled, None, "standard").apply(scaled)
    np.testing.assert_allclose(actual, expected, atol=1e-8)


def test_a_common_scale_keeps_proportions():
    X = np.column_stack((draw(), np.full(50, 4.0)))  # the last one is constant
    scaling = fit_scaling(X, None, "common")
    scaled = scaling.apply(X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0)[:3] / X.std(axis=0)[:3], 1.0 / scaling.scale[0])
    np.testing.assert_allclose(np.mean(scaled.var(axis=0)[:3]), 1.0)
    assert scaling.scale[3] == 1.0
    np.testing.assert_allclose(scaling.invert(scaled), X, rtol=1e-12)


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_a_common_scale_of_tables_of_any_size(size):
    scaled = fit_scaling(size * draw(), None, "common").apply(size * draw())
    np.testing.assert_allclose(scaled, fit_scaling(draw(), None, "common").apply(draw()), rtol=1e-9)


def test_a_common_scale_of_constant_columns():
    assert fit_scaling(np.full((5, 2), 3.0), None, "common").scale.tolist() == [1.0, 1.0]
