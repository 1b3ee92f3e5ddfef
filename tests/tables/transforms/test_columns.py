import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.tables.transforms.columns import Columns, ColumnType, column_type, fit_columns
from sparsegp.tables.transforms.scaling import Scaling, fit_scaling

RNG = np.random.default_rng(0)
X = np.column_stack((np.exp(RNG.normal(size=400)), RNG.normal(size=400), RNG.integers(0, 2, 400)))


@pytest.mark.parametrize(
    ("x", "character"),
    [
        (np.full(50, 3.0), ColumnType.CONSTANT),
        (1e9 + 1e-6 * RNG.normal(size=50), ColumnType.CONSTANT),
        (1e-310 * RNG.normal(size=50), ColumnType.CONSTANT),
        (np.arange(50.0) % 2, ColumnType.DISCRETE),
        (np.arange(50.0) % 10, ColumnType.DISCRETE),
        (np.arange(50.0) % 11, ColumnType.CONTINUOUS),
        (np.append(np.zeros(999), 1.0), ColumnType.RARE),
        (np.append(np.zeros(990), np.arange(10.0)), ColumnType.RARE),
    ],
)
def test_characters(x, character):
    assert column_type(x, None) is character


def test_a_weight_counts_rows():
    x = np.array([0.0, 1.0])
    assert column_type(x, np.array([1.0, 1.0])) is ColumnType.DISCRETE
    assert column_type(x, np.array([999.0, 1.0])) is ColumnType.RARE


@pytest.mark.parametrize("kind", ["standard", "none"])
def test_columns_of_one_affine_kind_are_scaled_as_ever(kind):
    found, expected = fit_columns(X, None, [kind] * 3), fit_scaling(X, None, kind)
    assert isinstance(found, Scaling)
    np.testing.assert_array_equal(found.offset, expected.offset)
    np.testing.assert_array_equal(found.scale, expected.scale)


def test_every_column_has_its_own_kind():
    columns = fit_columns(X, None, ["quantile", "none", "standard"])
    assert isinstance(columns, Columns)
    scaled = columns.apply(X)
    assert abs(np.mean(scaled[:, 0])) < 0.01
    assert np.std(scaled[:, 0]) == pytest.approx(1.0, abs=0.02)
    np.testing.assert_array_equal(scaled[:, 1], X[:, 1])
    np.testing.assert_allclose(scaled[:, 2].std(), 1.0)
    np.testing.assert_allclose(columns.invert(scaled), X, rtol=1e-10, atol=1e-10)


@given(st.floats(-150, 150), st.floats(-1e4, 1e4))
def test_size_and_offset_of_a_column_do_not_matter(exponent, offset):
    x = X[:, :1] + offset
    expected = fit_columns(x, None, ["quantile"]).apply(x)
    scaled = 10.0**exponent * x
    actual = fit_columns(scaled, None, ["quantile"]).apply(scaled)
    np.testing.assert_allclose(actual, expected, atol=1e-8)


def test_columns_with_a_common_scale_beside_others():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 4)) * [1.0, 3.0, 10.0, 0.1]
    scaled = fit_columns(X, None, ["common", "common", "standard", "none"]).apply(X)
    spread = scaled.std(axis=0) / X.std(axis=0)
    assert spread[0] == pytest.approx(spread[1]) and spread[3] == pytest.approx(1.0)
    assert np.mean(scaled.var(axis=0)[:2]) == pytest.approx(1.0)
    assert scaled[:, 2].std() == pytest.approx(1.0)
