import numpy as np
import pytest

from sparsegp.arrays import LOWEST_EXPONENT, exp_in_place, minus_half_squared_distances


def directly(X, Z):
    return -0.5 * ((X[:, None, :] - Z[None, :, :]) ** 2).sum(axis=2)


def draw(n, m, D, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, D)), rng.standard_normal((m, D))


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(("n", "m", "D"), [(1, 1, 1), (7, 4, 3), (4, 9, 12)])
def test_equals_the_differences(n, m, D, exact):
    X, Z = draw(n, m, D)
    E = minus_half_squared_distances(X, Z, exact=exact)
    np.testing.assert_allclose(E, directly(X, Z), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("offset", [800.0, 1e6])
def test_a_common_offset_costs_no_digits(offset, exact):
    X, Z = (A + offset for A in draw(6, 5, 2))
    E = minus_half_squared_distances(X, Z, exact=exact)
    atol = 1e-15 * offset  # the mean of Z is rounded
    np.testing.assert_allclose(E, directly(X, Z), rtol=1e-12, atol=atol)


def test_exact_gives_zero_where_rows_are_equal():
    X, _ = draw(20, 1, 5)
    E = minus_half_squared_distances(X, X, exact=True)
    np.testing.assert_array_equal(np.diagonal(E), 0.0)


def test_is_never_positive():
    X, _ = draw(200, 1, 3)
    assert minus_half_squared_distances(X, X).max() <= 0.0


@pytest.mark.parametrize("size", [1e4, 1e8, 1e12])
def test_one_row_far_away_does_not_blur_the_others(size):
    X, Z = draw(8, 5, 2)
    Z[0] = size
    np.testing.assert_allclose(
        minus_half_squared_distances(X, Z), directly(X, Z), rtol=1e-10, atol=1e-8
    )


@pytest.mark.parametrize("size", [1e6, 1e12])
def test_equal_rows_of_a_wide_table_stay_equal(size):
    X = size * draw(10, 1, 4)[0]
    assert np.abs(np.diagonal(minus_half_squared_distances(X, X))).max() < 1e-8


@pytest.mark.parametrize("exact", [False, True])
def test_lowest_cuts_from_below(exact):
    X, Z = draw(6, 4, 2)
    E = minus_half_squared_distances(X, Z, exact=exact, lowest=-1.0)
    np.testing.assert_allclose(E, np.maximum(directly(X, Z), -1.0), rtol=1e-12, atol=1e-13)


def test_inputs_are_left_alone():
    X, Z = draw(6, 4, 2)
    before = X.copy(), Z.copy()
    X.flags.writeable = Z.flags.writeable = False
    minus_half_squared_distances(X, Z)
    minus_half_squared_distances(X, Z, exact=True)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(Z, before[1])


def test_exponentials_are_never_subnormal():
    E = exp_in_place(np.array([0.0, -1.0, 2 * LOWEST_EXPONENT, -1e300]))
    np.testing.assert_allclose(E[:2], [1.0, np.exp(-1.0)])
    assert (E[2:] ** 2 > np.finfo(float).tiny).all()
    assert (E[2:] < 1e-60).all()
