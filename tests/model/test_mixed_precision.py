"""Moments in single precision: what they give, when they are refused, and what refinement mends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from sparsegp.arrays import Triangle, add_gram, in_single, mirror_lower, to_numpy
from sparsegp.kernels import RBF, Matern
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.features import make_basis
from sparsegp.model.mixed_precision import refined, too_large_correction, why_double
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.tables.rows import Rows
from tests.array_libraries import HOST_LIBRARIES, on_device

every_library = pytest.mark.parametrize("hand_in", [np.asarray, on_device, *HOST_LIBRARIES])
NOISE = 0.02


def problem(hand_in=np.asarray, n=900, m=60, *, weighted=False, factors=False, kernel=None):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n, 4))
    y = np.sin(2.0 * X[:, :2]) + np.sqrt(NOISE) * rng.standard_normal((n, 2))
    given = [rng.uniform(0.5, 2.0, n) if wanted else None for wanted in (weighted, factors)]
    rows = Rows(*(None if part is None else hand_in(part) for part in (X, y, *given)))
    return make_basis(kernel or 1.3 * RBF(1.2), hand_in(X[:m].copy())), rows


def of_weights(posterior, other):
    """Return how far weights are apart, in posterior standard deviations."""
    apart = to_numpy(posterior.precision.L).T @ to_numpy(posterior.beta - other.beta)
    return np.sqrt(np.mean(apart**2))


@every_library
@pytest.mark.parametrize("rule", APPROXIMATIONS.values(), ids=APPROXIMATIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_refined_weights_are_those_of_double_precision(hand_in, rule, weighted):
    basis, rows = problem(hand_in, weighted=weighted, factors=weighted)
    assert why_double(basis, rows, NOISE) == ""
    double, single = (
        solve_posterior(basis, collect_moments(basis, rows, NOISE, rule, single=single), rule)
        for single in (False, True)
    )
    assert to_numpy(single.beta).dtype == np.float64
    rough = of_weights(single, double)
    assert 1e-9 < rough < 1e-2  # it is not the same, and close
    better, moved = refined(single, rows, NOISE, rule)
    assert not too_large_correction(moved, 60)
    if not rule.in_noise:
        assert moved == pytest.approx(rough * np.sqrt(60 * 2), rel=0.5)
        assert of_weights(better, double) < 1e-3 * rough


@pytest.mark.parametrize("kernel", [RBF(1.0), Matern(1.0, nu=1.5), RBF(0.8) + Matern(2.0, nu=2.5)])
def test_moments(kernel):
    basis, rows = problem(kernel=kernel)
    rule = APPROXIMATIONS["vfe"]
    double, single = (collect_moments(basis, rows, NOISE, rule, single=s) for s in (False, True))
    for name, expected in vars(double).items():
        found = getattr(single, name)
        assert_allclose(found, expected, rtol=1e-4, atol=1e-4 * np.max(np.abs(expected)) + 1e-3)


def test_noise_far_below_the_signal_needs_double():
    basis, rows = problem()
    assert "noise is below" in why_double(basis, rows, 1e-4)
    few = Rows(rows.X, rows.y, None, np.full(len(rows), 1e-2))
    assert "noise is below" in why_double(basis, few, NOISE)


def test_a_basis_near_singularity_needs_double():
    basis, rows = problem(kernel=RBF(20.0))
    assert "rounding would add" in why_double(basis, rows, NOISE)


def test_weights_that_move_far_are_in_doubt():
    assert too_large_correction(3.0, 100)
    assert too_large_correction(np.nan, 100)
    assert not too_large_correction(0.5, 100)


@every_library
def test_triangles_and_products_in_single_precision(hand_in):
    rng = np.random.default_rng(0)
    L = np.tril(rng.standard_normal((70, 70)), k=-1) / 20.0 + np.eye(70)
    K = rng.standard_normal((40, 70))
    divided = Triangle.of(hand_in(L)).in_single().divide(in_single(hand_in(K)))
    assert "float32" in str(divided.dtype)
    assert_allclose(to_numpy(divided), np.linalg.solve(L, K.T).T, rtol=1e-4, atol=1e-5)
    gram = add_gram(in_single(hand_in(np.eye(70))), in_single(hand_in(K)), 2.0)
    assert "float32" in str(gram.dtype)
    expected = np.eye(70) + 2.0 * K.T @ K
    assert_allclose(to_numpy(mirror_lower(gram)), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("columns", [3, 8])
def test_a_badly_conditioned_triangle_in_single_precision(columns):
    """Halves and leaves that are not inverted are solved by BLAS in single precision."""
    rng = np.random.default_rng(0)
    L = np.tril(rng.standard_normal((120, 120)), k=-1) / 20.0 + np.eye(120)
    L[:, :columns] *= 1e-6
    triangle = Triangle.of(L)
    assert triangle.inverse is None
    K = rng.standard_normal((30, 120)) @ L.T  # so that the solution is moderate
    found = triangle.in_single().divide(in_single(K))
    assert_allclose(found, np.linalg.solve(L, K.T).T, rtol=1e-2, atol=1e-2)
