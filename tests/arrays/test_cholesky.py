import numpy as np
import pytest

from sparsegp.arrays import cholesky, safe_cholesky
from sparsegp.exceptions import NonFiniteMatrixError, NotPositiveDefiniteError, SparseGPError


def positive_definite(m, rng):
    A = rng.standard_normal((m, m + 2))
    return A @ A.T


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_clean_matrix_gets_no_jitter(order):
    A = np.array(positive_definite(7, np.random.default_rng(0)), order=order)
    before = A.copy()
    L, jitter = safe_cholesky(A)
    assert jitter == 0.0
    assert np.array_equal(L, np.tril(L))
    np.testing.assert_allclose(L @ L.T, A, rtol=1e-12)
    np.testing.assert_array_equal(A, before)


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e12])
def test_jitter_is_relative_and_recorded(size):
    A = size * np.ones((5, 5))
    L, jitter = safe_cholesky(A)
    assert 0.0 < jitter <= 1e-10 * size
    np.testing.assert_allclose(L @ L.T, A + jitter * np.eye(5), rtol=1e-13)


def test_jitter_grows_until_the_matrix_is_positive_definite():
    A = np.diag([1.0, 1.0, 1.0, -1e-7])
    assert safe_cholesky(A).jitter == pytest.approx(1e-6 * np.mean(np.diag(A)))


def test_a_matrix_of_zeros_is_semi_definite():
    L, jitter = safe_cholesky(np.zeros((3, 3)))
    assert jitter > 0.0
    np.testing.assert_allclose(L @ L.T, jitter * np.eye(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [(0, 0), (2, 0), (2, 2)])
def test_what_is_not_finite_is_its_own_error(bad, place):
    A = np.eye(3)
    A[place] = A[place[::-1]] = bad
    with pytest.raises(NonFiniteMatrixError, match="NaN or infinity"):
        safe_cholesky(A)


def test_an_indefinite_matrix_is_a_typed_error():
    with pytest.raises(NotPositiveDefiniteError, match="order 2"):
        safe_cholesky(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert issubclass(NotPositiveDefiniteError, SparseGPError)


@pytest.mark.parametrize("m", [2, 5, 40])
def test_a_pivot_below_its_rounding_error_is_no_pivot(m):
    # the last pivot is positive by luck of rounding: one that a factorisation must not trust
    L = np.tril(np.ones((m, m)))
    L[-1, -1] = 1e-9
    A = L @ L.T
    A[-1, -1] = m - 1 + 0.25 * m * np.finfo(float).eps * m
    assert safe_cholesky(A).jitter > 0.0


def test_a_small_pivot_above_its_rounding_error_is_kept():
    A = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-12]])
    assert safe_cholesky(A).jitter == 0.0


def test_a_singular_matrix_is_not_tried_without_jitter(monkeypatch):
    tried = []
    monkeypatch.setattr(cholesky, "_try", lambda A, real=cholesky._try: tried.append(A) or real(A))
    A = np.ones((5, 5))
    assert safe_cholesky(A, singular=True).jitter == safe_cholesky(A).jitter
    assert len(tried) == 3  # 1; 2


def test_jitters_below_the_rounding_of_pivots_are_not_tried():
    tried = cholesky._jitters(np.empty((10_000, 0)), singular=False)
    assert tried[:2] == [0.0, 1e-11]
