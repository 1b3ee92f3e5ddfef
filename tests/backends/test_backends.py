"""Arrays of the strictest array API, and read-only NumPy arrays, give what NumPy gives."""

import array_api_strict
import numpy as np
import pytest
from numpy.testing import assert_allclose

from sparsegp.arrays import Triangle, minus_half_squared_distances, safe_cholesky, to_numpy
from sparsegp.exceptions import NonFiniteMatrixError, NotPositiveDefiniteError
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.evidence import evidence_and_gradient
from sparsegp.model.exact import exact_evidence_and_gradient
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.gradient import loo_and_gradient
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import fit_scaling
from tests.oracles.kernel_examples import EXAMPLES
from tests.oracles.problems import make_problem

CLOSE = {"rtol": 1e-10, "atol": 1e-11}
# a user's own kernel may be written for NumPy alone
PORTABLE = {name: ex for name, ex in EXAMPLES.items() if not name.startswith("own")}

every_rule = pytest.mark.parametrize("rule", APPROXIMATIONS.values(), ids=APPROXIMATIONS)


def strict(x):
    return array_api_strict.asarray(x, dtype=array_api_strict.float64, copy=True)


def read_only(x):
    x = np.array(x, dtype=np.float64)
    x.flags.writeable = False
    return x


@pytest.fixture(params=[strict, read_only], ids=["array_api_strict", "read-only"])
def hand_in(request):
    return request.param


def same_library(a, b):
    return type(a) is type(b)


@pytest.mark.parametrize("name", PORTABLE)
def test_kernels(name, hand_in):
    example = EXAMPLES[name]
    kernel, X, Z = example.kernel, example.inputs(8), example.inputs(20, seed=3)[-5:]
    rng = np.random.default_rng(0)
    K_bar, d_bar = rng.standard_normal((8, 5)), rng.standard_normal(8)
    assert_allclose(to_numpy(kernel(hand_in(X), hand_in(Z))), kernel(X, Z), **CLOSE)
    assert_allclose(to_numpy(kernel.diagonal(hand_in(X))), kernel.diagonal(X), **CLOSE)
    pulled = kernel.pull_diagonal(hand_in(X), hand_in(d_bar))
    assert_allclose(to_numpy(pulled), kernel.pull_diagonal(X, d_bar), **CLOSE)
    K, pullback = kernel.vjp(hand_in(X), hand_in(Z))
    expected_K, expected_pullback = kernel.vjp(X, Z)
    assert same_library(K, hand_in(X))
    assert_allclose(to_numpy(K), expected_K, **CLOSE)
    own_K_bar = strict(K_bar) if hand_in is strict else K_bar.copy()  # a pullback may overwrite it
    for part, expected in zip(pullback(own_K_bar), expected_pullback(K_bar), strict=True):
        assert same_library(part, K)
        assert_allclose(to_numpy(part), expected, **CLOSE)


def through(rows, hand_in):
    weight = None if rows.weight is None else hand_in(rows.weight)
    return Rows(hand_in(rows.X), hand_in(rows.y), weight)


def fitted(p, rows, Z, X_new):
    """Return everything the model computes, as NumPy arrays."""
    basis = make_basis(p.kernel, Z)
    moments = collect_moments(basis, rows, p.variance, p.rule)
    posterior = solve_posterior(basis, moments, p.rule)
    gradient = evidence_and_gradient(basis, rows, p.variance, p.rule)
    loo = loo_and_gradient("loo_density", basis, rows, p.variance, p.rule)
    parts = [
        *vars(moments).values(),
        posterior.mean(X_new),
        *posterior.mean_and_variance(X_new),
        *posterior.mean_and_covariance(X_new),
        *vars(gradient).values(),
        *vars(loo).values(),
        *vars(leave_one_out(posterior, rows, p.variance)).values(),
        *exact_evidence_and_gradient(p.kernel, rows, p.variance),
    ]
    return [to_numpy(part) for part in parts]


@every_rule
@pytest.mark.parametrize("weighted", [False, True])
def test_models(rule, weighted, hand_in, monkeypatch):
    p = make_problem(3, n=30, m=5, n_outputs=2, weighted=weighted, rule=rule)
    expected = fitted(p, p.rows, p.Z, p.X_new)
    for room in ("moments", "posterior"):
        monkeypatch.setattr(f"sparsegp.model.{room}.block_size_for", lambda X, width: 4)
    actual = fitted(p, through(p.rows, hand_in), hand_in(p.Z), hand_in(p.X_new))
    for a, b in zip(actual, expected, strict=True):
        assert_allclose(a, b, **CLOSE)


def test_factorisation(hand_in):
    A = np.array([[4.0, 1.0], [1.0, 3.0]])
    L, jitter = safe_cholesky(hand_in(A))
    assert jitter == 0.0
    assert_allclose(to_numpy(L), np.linalg.cholesky(A), **CLOSE)
    assert safe_cholesky(hand_in(np.ones((3, 3)))).jitter > 0.0
    with pytest.raises(NonFiniteMatrixError):
        safe_cholesky(hand_in([[1.0, np.nan], [np.nan, 1.0]]))
    with pytest.raises(NotPositiveDefiniteError):
        safe_cholesky(hand_in([[1.0, 2.0], [2.0, 1.0]]))


def test_division_and_distances(hand_in):
    rng = np.random.default_rng(0)
    L, K = np.tril(rng.standard_normal((4, 4))) + 3.0 * np.eye(4), rng.standard_normal((6, 4))
    quotient = Triangle.of(hand_in(L)).divide(hand_in(K))
    assert_allclose(to_numpy(quotient), np.linalg.solve(L, K.T).T, **CLOSE)
    for settings in ({}, {"exact": True}, {"lowest": -1.0}):
        E = minus_half_squared_distances(hand_in(K), hand_in(L), **settings)
        assert_allclose(to_numpy(E), minus_half_squared_distances(K, L, **settings), **CLOSE)


@pytest.mark.parametrize("kind", ["none", "standard"])
def test_rows_and_scaling(kind, hand_in):
    X = np.random.default_rng(0).standard_normal((6, 2)) * [1.0, 1e6]
    scaling, expected = fit_scaling(hand_in(X), None, kind), fit_scaling(X, None, kind)
    assert_allclose(to_numpy(scaling.apply(hand_in(X))), expected.apply(X), **CLOSE)
    taken = Rows(hand_in(X), hand_in(X), hand_in(X[:, 0] ** 2)).take(np.array([4, 1]))
    assert_allclose(to_numpy(taken.X), X[[4, 1]])
    assert_allclose(to_numpy(taken.weight), X[[4, 1], 0] ** 2)
