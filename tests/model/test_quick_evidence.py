"""The exact evidence in single precision, where a search may have it so."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sparsegp.kernels import RBF, Constant, Linear, Matern
from sparsegp.model import exact
from sparsegp.model.exact import exact_evidence, exact_log_evidence
from sparsegp.tables.rows import Rows

N = 400
RNG = np.random.default_rng(0)
X = RNG.standard_normal((N, 3))
Y = np.sin(X.sum(axis=1, keepdims=True)) + 0.1 * RNG.standard_normal((N, 2))
KERNEL = Constant(1.5) * RBF((1.0, 1.5, 2.0)) + Linear(0.2)


@pytest.fixture
def precisions(monkeypatch):
    """Note the precision of every matrix that is factorised."""
    seen = []
    factorised = exact._factorised

    def noted(K, *others, **options):
        seen.append(K.dtype)
        return factorised(K, *others, **options)

    monkeypatch.setattr(exact, "_factorised", noted)
    return seen


@pytest.mark.parametrize("by_inputs", [False, True])
@pytest.mark.parametrize(
    "rows",
    [
        Rows(X, Y),
        Rows(X, Y, RNG.integers(1, 3, N).astype(float)),
        Rows(X, Y, None, RNG.uniform(0.5, 2.0, N)),
    ],
    ids=["plain", "weighted", "noisy by row"],
)
def test_it_is_nearly_the_same(rows, by_inputs, precisions):
    exactly = exact_evidence(KERNEL, rows, 0.05, by_inputs=by_inputs)
    quickly = exact_evidence(KERNEL, rows, 0.05, by_inputs=by_inputs, quick=True)
    assert precisions == [np.float64, np.float32]
    assert abs(quickly.value - exactly.value) < 2e-3
    assert_allclose(quickly.theta, exactly.theta, rtol=1e-4, atol=1e-3)
    assert_allclose(quickly.log_noise, exactly.log_noise, rtol=1e-4, atol=1e-3)
    assert_allclose(quickly.y, exactly.y, rtol=1e-3, atol=1e-3)
    if by_inputs:
        assert_allclose(quickly.X, exactly.X, rtol=1e-3, atol=1e-3)
    alone = exact_log_evidence(KERNEL, rows, 0.05, quick=True)
    assert abs(alone - exactly.value) < 2e-3


@pytest.mark.parametrize(
    ("n", "variance"), [(N, 1e-6), (100, 0.05)], ids=["little noise", "few rows"]
)
def test_what_needs_all_digits_or_no_hurry_keeps_them(n, variance, precisions):
    rows = Rows(X[:n], Y[:n])
    assert exact_log_evidence(KERNEL, rows, variance, quick=True) == exact_log_evidence(
        KERNEL, rows, variance
    )
    assert set(precisions) == {np.dtype(np.float64)}


def test_a_row_with_little_noise_of_its_own_keeps_the_digits_of_all(precisions):
    weight = np.ones(N)
    weight[7] = 1e4
    exact_log_evidence(KERNEL, Rows(X, Y, weight), 0.05, quick=True)
    assert precisions == [np.float64]


def test_the_gradient_is_that_of_the_value():
    rows, kernel = Rows(X, Y[:, :1]), Constant(1.0) * Matern((1.0, 1.0, 1.0))
    found = exact_evidence(kernel, rows, 0.1, quick=True)
    step = 0.02  # as the value has few digits
    for j in range(len(kernel.theta)):
        moved = np.tile(kernel.theta, (2, 1))
        moved[:, j] += (-step, step)
        low, high = (exact_log_evidence(kernel.with_theta(t), rows, 0.1, quick=True) for t in moved)
        assert found.theta[j] == pytest.approx((high - low) / (2.0 * step), rel=0.02, abs=0.1)


@pytest.mark.parametrize("quick", [False, True])
def test_rows_of_single_precision_have_the_gradient_of_all_of_them(quick):
    exactly = exact_evidence(KERNEL, Rows(X, Y), 0.05)
    rows = Rows(X.astype(np.float32), Y.astype(np.float32))
    found = exact_evidence(KERNEL, rows, 0.05, quick=quick)
    assert_allclose(found.theta, exactly.theta, rtol=1e-2, atol=0.1)
