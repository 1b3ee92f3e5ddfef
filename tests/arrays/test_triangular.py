import numpy as np
import pytest
from scipy.linalg import solve_triangular

from sparsegp.arrays import Triangle


def lower_triangle(m, rng):
    return np.tril(rng.standard_normal((m, m)), -1) / np.sqrt(m) + np.diag(rng.uniform(1, 2, m))


def divided(L, K):
    return solve_triangular(L, K.T, lower=True).T


@pytest.mark.parametrize("m", [1, 127, 128, 129, 300])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_divide_is_a_triangular_solve(m, order, overwrite):
    rng = np.random.default_rng(m)
    L = lower_triangle(m, rng)
    K = np.array(rng.standard_normal((11, m)), order=order)
    before = K.copy()
    quotient = Triangle.of(np.array(L, order=order)).divide(K, overwrite=overwrite)
    np.testing.assert_allclose(quotient, divided(L, before), rtol=1e-10, atol=1e-12)
    if not overwrite:
        np.testing.assert_array_equal(K, before)


def test_overwriting_uses_the_memory_of_the_rows():
    K = np.ones((4, 3))
    assert Triangle.of(np.eye(3)).divide(K, overwrite=True) is K


def test_read_only_rows_are_not_overwritten():
    rng = np.random.default_rng(0)
    L, K = lower_triangle(130, rng), rng.standard_normal((5, 130))
    before = K.copy()
    K.flags.writeable = False
    quotient = Triangle.of(L).divide(K, overwrite=True)
    np.testing.assert_allclose(quotient, divided(L, before), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(K, before)


def test_rows_of_single_precision_are_divided_too():
    L, K = np.array([[2.0, 0.0], [1.0, 4.0]]), np.ones((1, 2), dtype=np.float32)
    np.testing.assert_allclose(Triangle.of(L).divide(K), divided(L, K), rtol=1e-6)


def test_a_badly_conditioned_factor_is_halved_down_to_where_the_trouble_is():
    rng = np.random.default_rng(0)
    L = lower_triangle(300, rng)
    L[:, 0] *= 1e-9  # the first half is as badly conditioned as the whole, the other is not
    triangle = Triangle.of(L)
    corner = triangle
    while corner.halves:
        corner, beside = corner.halves
        assert beside.inverse is not None
    assert corner.inverse is None
    assert len(corner.L) <= 32
    K = rng.standard_normal((40, 300)) @ L.T
    np.testing.assert_allclose(triangle.divide(K) @ L.T, K, rtol=0, atol=1e-12 * np.abs(K).max())


@pytest.mark.parametrize("m", [127, 128, 300])
def test_a_badly_conditioned_factor_is_not_inverted(m):
    rng = np.random.default_rng(m)
    X = np.sort(rng.uniform(size=m))
    K_zz = np.exp(-0.5 * (X[:, None] - X) ** 2) + 1e-10 * np.eye(m)
    L = np.linalg.cholesky(K_zz)
    K = np.exp(-0.5 * (rng.uniform(size=(40, 1)) - X) ** 2)
    triangle = Triangle.of(L)
    assert triangle.inverse is None
    quotient = triangle.divide(K)
    # a solve is exact for a factor that is off by rounding: it gives back the rows
    np.testing.assert_allclose(quotient @ L.T, K, rtol=0, atol=1e-12)


def test_no_rows_and_no_columns():
    assert Triangle.of(np.eye(3)).divide(np.empty((0, 3))).shape == (0, 3)
    assert Triangle.of(np.empty((0, 0))).divide(np.empty((2, 0))).shape == (2, 0)
