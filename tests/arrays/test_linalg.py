import numpy as np
import pytest
from scipy.linalg import solve_triangular

from sparsegp.arrays import (
    add_gram,
    add_product,
    add_scaled,
    add_to_diagonal,
    inverse_from_lower,
    mirror_lower,
    row_sums_of_squares,
    solve_lower,
    solve_lower_transposed,
    to_numpy,
)
from tests.array_libraries import on_device

ORDERS = pytest.mark.parametrize("order", ["C", "F"])


def draw(*shape, order="C"):
    return np.array(np.random.default_rng(sum(shape)).standard_normal(shape), order=order)


def lower_triangle(m, order="C"):
    return np.array(np.tril(draw(m, m), -1) / m + np.diag(np.arange(1.0, m + 1)), order=order)


@ORDERS
@pytest.mark.parametrize("m", [1, 127, 128, 129, 300])
def test_add_gram_adds_to_the_lower_triangle(m, order):
    A, total = draw(9, m, order=order), draw(m, m, order=order)
    expected = np.tril(total + 0.5 * A.T @ A)
    np.testing.assert_allclose(np.tril(add_gram(total, A, 0.5)), expected, rtol=1e-11, atol=1e-12)


@ORDERS
def test_add_product(order):
    A, B, total = draw(5, 4, order=order), draw(4, 3, order=order), draw(5, 3, order=order)
    expected = total - 2.0 * A @ B
    found = add_product(total, A, B, -2.0)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert np.shares_memory(found, total) or order != "C"  # in place


@ORDERS
def test_mirror_lower(order):
    A = draw(6, 6, order=order)
    mirrored = mirror_lower(A)
    np.testing.assert_array_equal(mirrored, mirrored.T)
    np.testing.assert_array_equal(np.tril(mirrored), np.tril(A))


@ORDERS
def test_inverse_from_lower(order):
    L = lower_triangle(6, order)
    before = L.copy()
    inverse = inverse_from_lower(L)
    np.testing.assert_allclose(inverse @ L @ L.T, np.eye(6), atol=1e-12)
    np.testing.assert_array_equal(inverse, inverse.T)
    np.testing.assert_array_equal(L, before)


@ORDERS
@pytest.mark.parametrize("k", [1, 4])
def test_triangular_solves(order, k):
    L, B = lower_triangle(5, order), draw(5, k, order=order)
    before = B.copy()
    forward, backward = solve_lower(L, B), solve_lower_transposed(L, B)
    np.testing.assert_allclose(forward, solve_triangular(L, B, lower=True), rtol=1e-12)
    np.testing.assert_allclose(backward, solve_triangular(L.T, B), rtol=1e-12)
    np.testing.assert_array_equal(B, before)


@ORDERS
def test_triangular_solves_of_a_slice(order):
    L, B = lower_triangle(8, order)[:5, :5], draw(8, 6, order=order)[1:6, ::2]
    np.testing.assert_allclose(solve_lower(L, B), solve_triangular(L, B, lower=True), rtol=1e-12)


@pytest.mark.parametrize("value", [2.5, np.arange(4.0)])
def test_add_to_diagonal(value):
    A = draw(4, 4)
    expected = A + np.diag(np.full(4, value) if np.ndim(value) == 0 else value)
    assert add_to_diagonal(A, value) is A
    np.testing.assert_array_equal(A, expected)


@ORDERS
def test_row_sums_of_squares(order):
    A = draw(5, 3, order=order)
    np.testing.assert_allclose(row_sums_of_squares(A), (A**2).sum(axis=1), rtol=1e-14)


@pytest.mark.parametrize("columns", [1, 3])
def test_row_sums_of_squares_on_a_device(columns):
    A = np.random.default_rng(0).normal(size=(5, columns))
    found = to_numpy(row_sums_of_squares(on_device(A)))
    np.testing.assert_allclose(found, (A**2).sum(axis=1), rtol=1e-15 if columns == 1 else 1e-14)


@ORDERS
def test_add_scaled(order):
    rng = np.random.default_rng(0)
    total, A = (np.array(rng.standard_normal((4, 3)), order=order) for _ in range(2))
    wanted = total + 0.5 * A
    np.testing.assert_allclose(add_scaled(total.copy(order), A, 0.5), wanted, rtol=1e-15)
    part = np.zeros((4, 5))
    part[:, :3] = total
    np.testing.assert_allclose(add_scaled(part[:, :3], A, 0.5), wanted, rtol=1e-15)
    total.flags.writeable = False
    before = total.copy()
    np.testing.assert_allclose(add_scaled(total, A, 0.5), wanted, rtol=1e-15)
    np.testing.assert_array_equal(total, before)
    np.testing.assert_array_equal(add_scaled(np.zeros((2, 2)), np.ones((1, 2)), 3.0), 3.0)
    assert add_scaled(np.empty((0, 3)), np.empty((0, 3)), 1.0).shape == (0, 3)
