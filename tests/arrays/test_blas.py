import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.arrays import blas
from sparsegp.arrays.blas import (
    add_gram_in_place,
    add_product_in_place,
    divide_in_place,
    factorise_lower,
    invert_factor,
    invert_triangle,
    is_c_ordered,
    multiply_in_place,
    solve_by_factor,
    solve_by_inverse,
    square_inverse,
)
from tests.plain import plain_regressor

sizes = st.integers(1, 9)


@pytest.fixture(autouse=True, params=[True, False], ids=["by address", "by wrappers"])
def way(request, monkeypatch):
    """Run every test also as if SciPy did not publish its routines."""
    if not request.param:
        monkeypatch.setattr(blas, "_by_address", lambda: False)


@pytest.mark.parametrize("missing", [{}, {"dgemm": None}])
def test_routines_that_are_not_published_as_expected_are_not_called(missing, monkeypatch):
    monkeypatch.undo()
    assert blas._by_address()
    monkeypatch.setattr(blas.cython_blas, "__pyx_capi__", missing)
    assert not blas._by_address.__wrapped__()


def test_routines_with_integers_of_64_bits_are_not_called(monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(blas, "_name_of", lambda _: b"void (char *, int64_t *, double *)")
    assert not blas._by_address.__wrapped__()


def test_a_model_is_the_same_either_way():
    X = np.random.default_rng(0).normal(size=(120, 2))
    y = np.sin(X).sum(axis=1)
    found = plain_regressor(max_basis=20, random_state=0).fit(X, y).predict(X, return_std=True)
    np.testing.assert_allclose(found, _by_address_alone(X, y), rtol=1e-5, atol=1e-6)


def _by_address_alone(X, y):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blas, "_by_address", lambda: True)
        return plain_regressor(max_basis=20, random_state=0).fit(X, y).predict(X, return_std=True)


@given(sizes, sizes, st.floats(-3, 3), st.integers(0, 2**32 - 1))
def test_gram_matrices(n, m, scale, seed):
    rng = np.random.default_rng(seed)
    A, total = rng.standard_normal((n, m)), rng.standard_normal((m, m))
    expected = np.tril(total + scale * A.T @ A)
    upper = np.triu(total, 1)
    add_gram_in_place(total, A, scale)
    np.testing.assert_allclose(np.tril(total), expected, atol=1e-12)
    np.testing.assert_array_equal(np.triu(total, 1), upper)


@given(sizes, sizes, sizes, st.booleans(), st.booleans(), st.integers(0, 2**32 - 1))
def test_products(n, p, k, turn_A, turn_B, seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((k, n)).T if turn_A else rng.standard_normal((n, k))
    B = rng.standard_normal((p, k)).T if turn_B else rng.standard_normal((k, p))
    wide = rng.standard_normal((n, p + 2))
    total = wide[:, 1:-1]
    beside, expected = wide[:, [0, -1]], total - 0.5 * A @ B
    add_product_in_place(total, A, B, -0.5)
    np.testing.assert_allclose(total, expected, atol=1e-12)
    np.testing.assert_array_equal(wide[:, [0, -1]], beside)


@given(sizes, sizes, st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_triangles(n, m, skipped, seed):
    rng = np.random.default_rng(seed)
    wide = rng.standard_normal((n, m + skipped))
    K, L = wide[:, skipped:], rng.standard_normal((m, m)) + 4.0 * np.eye(m)
    beside, multiplied = wide[:, :skipped].copy(), K @ np.tril(L).T
    divided = np.linalg.solve(np.tril(L), K.T).T
    for work, expected in ((divide_in_place, divided), (multiply_in_place, multiplied)):
        here = wide.copy()[:, skipped:]
        work(here, L)  # what stands above the diagonal is not read
        np.testing.assert_allclose(here, expected, atol=1e-11, rtol=1e-9)
        np.testing.assert_array_equal(here.base[:, :skipped], beside)


@pytest.mark.parametrize(
    "A", [np.ones((3, 2), order="F"), np.ones((3, 2), dtype=np.float32), np.ones((0, 2))]
)
def test_other_arrays_are_refused(A):
    assert not is_c_ordered(A)
    with pytest.raises(ValueError, match="float64"):
        add_gram_in_place(np.zeros((2, 2)), A, 1.0)


def test_totals_of_other_kinds_are_refused():
    with pytest.raises(ValueError, match="float64"):
        add_gram_in_place(np.zeros((2, 2), dtype=int), np.ones((3, 2)), 1.0)


@given(sizes, sizes, sizes, st.integers(0, 2**32 - 1))
def test_single_precision(n, m, p, seed):
    rng = np.random.default_rng(seed)
    A, B, total = (
        rng.standard_normal(size).astype(np.float32) for size in ((n, m), (m, p), (n, p))
    )
    expected = total + 0.5 * A.astype(float) @ B
    add_product_in_place(total, A, B, 0.5)
    assert total.dtype == np.float32
    np.testing.assert_allclose(total, expected, atol=1e-4)
    gram = np.zeros((m, m), dtype=np.float32)
    add_gram_in_place(gram, A, 2.0)
    np.testing.assert_allclose(gram, np.tril(2.0 * A.astype(float).T @ A), atol=1e-4)


@given(sizes, st.booleans(), st.integers(0, 2**32 - 1))
def test_factors_and_inverses_of_a_lower_triangle(n, is_part, seed):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, n + 2))
    A = A @ A.T + 0.01 * np.eye(n)
    _factors_and_inverses(A, is_part, rng)


@pytest.mark.parametrize("n", [96, 97, 193, 300])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_factors_and_inverses_by_halves(n, dtype):
    rng = np.random.default_rng(n)
    A = rng.standard_normal((n, 2 * n))
    _factors_and_inverses(A @ A.T, False, rng, dtype)


def _factors_and_inverses(A, is_part, rng, dtype=np.float64):
    n, close = len(A), 1.0 if dtype is np.float64 else 1e4
    room = rng.standard_normal((n, n + 3)).astype(dtype)  # a matrix, or columns of a wider one
    L = room[:, 1 : n + 1] if is_part else np.empty((n, n), dtype)
    above = np.triu_indices(n, 1)
    L[...] = A
    L[above] = np.nan  # not looked at
    B, expected = rng.standard_normal((n, 2)), np.linalg.inv(A)
    scale = np.abs(expected).max()
    assert factorise_lower(L)
    size = np.abs(np.linalg.cholesky(A)).max()
    np.testing.assert_allclose(
        np.tril(L), np.linalg.cholesky(A), rtol=1e-9 * close, atol=1e-9 * close * max(size, 1.0)
    )
    assert np.abs(solve_by_factor(L, B) - expected @ B).max() <= 1e-7 * close * scale

    L[...] = A
    L[above] = np.nan
    assert invert_factor(L)
    L_inverse = np.linalg.inv(np.linalg.cholesky(A))
    assert np.abs(np.tril(L) - L_inverse).max() <= 1e-9 * close * np.abs(L_inverse).max()
    assert np.abs(solve_by_inverse(L, B) - expected @ B).max() <= 1e-7 * close * scale
    square_inverse(L)
    assert np.abs(np.tril(L) - np.tril(expected)).max() <= 1e-7 * close * scale
    assert L.dtype == dtype


@pytest.mark.parametrize("n", [1, 2, 31, 128, 129, 130, 257, 300])
def test_the_inverse_of_a_triangle_of_any_size(n):
    L = np.tril(np.random.default_rng(n).standard_normal((n, n))) + 3.0 * n**0.5 * np.eye(n)
    found = np.where(np.tri(n), L, np.nan)  # above it nothing is looked at
    invert_triangle(found)
    np.testing.assert_allclose(np.tril(found), np.linalg.inv(L), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_what_has_no_factor(bad):
    A = np.eye(3)
    A[2, 2] = bad
    assert not factorise_lower(A.copy())
    assert not invert_factor(A)


@pytest.mark.parametrize("where", [0, 150, 199])
@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_what_has_no_factor_in_either_half(where, bad):
    A = np.eye(200)
    A[where, where] = bad
    assert not invert_factor(A)
