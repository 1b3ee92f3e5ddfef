"""Newton's method within limits finds what L-BFGS finds, to rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from sparsegp.learning.noise.newton import minimise

FAR = np.full(3, 10.0)


@given(st.integers(0, 50))
def test_a_convex_function_within_limits(seed):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((3, 3))
    A, b = root @ root.T + 0.1 * np.eye(3), rng.standard_normal(3)
    low, high = -rng.uniform(0.0, 0.5, 3), rng.uniform(0.0, 0.5, 3)

    def expansion(x):
        rise = np.exp(x)
        return 0.5 * x @ A @ x - b @ x + rise.sum(), A @ x - b + rise, A + np.diag(rise)

    at, value = minimise(expansion, np.zeros(3), low, high)
    expected = minimize(
        lambda x: expansion(x)[:2],
        np.zeros(3),
        jac=True,
        method="L-BFGS-B",
        tol=1e-12,
        bounds=list(zip(low, high, strict=True)),
    )
    assert np.all((low <= at) & (at <= high))
    assert value <= expected.fun + 1e-12
    np.testing.assert_allclose(at, expected.x, atol=1e-5)


def banana(x):
    """Rosenbrock's function of two numbers, and a third that it does not depend on."""
    u, w = x[1] - x[0] ** 2, 1.0 - x[0]
    gradient = np.array([-400.0 * x[0] * u - 2.0 * w, 200.0 * u, 0.0])
    hessian = np.zeros((3, 3))
    hessian[0, :2] = -400.0 * u + 800.0 * x[0] ** 2 + 2.0, -400.0 * x[0]
    hessian[1, :2] = -400.0 * x[0], 200.0
    return 100.0 * u**2 + w**2, gradient, hessian


def test_a_bent_valley_and_a_direction_that_says_nothing():
    at, value = minimise(banana, np.array([-1.2, 1.0, 0.7]), -FAR, FAR)
    np.testing.assert_allclose(at, [1.0, 1.0, 0.7], rtol=1e-10)
    assert value == pytest.approx(0.0, abs=1e-20)


def test_it_leaves_a_saddle_downhill():
    def saddle(x):
        value = 0.25 * x[0] ** 4 - 0.5 * x[0] ** 2 + 0.5 * x[1] ** 2
        gradient = np.array([x[0] ** 3 - x[0], x[1]])
        return value, gradient, np.diag([3.0 * x[0] ** 2 - 1.0, 1.0])

    at, _ = minimise(saddle, np.array([0.01, 3.0]), -FAR[:2], FAR[:2])
    np.testing.assert_allclose(at, [1.0, 0.0], atol=1e-10)


def test_it_ends_at_a_kink():
    def kink(x):
        return abs(x[0]) + x[1] ** 2, np.array([np.sign(x[0]), 2.0 * x[1]]), np.diag([0.0, 2.0])

    calls = []
    at, value = minimise(lambda x: calls.append(x) or kink(x), np.ones(2), -FAR[:2], FAR[:2])
    assert value < 1e-3
    assert at[1] == 0.0
    assert len(calls) < 300


def test_rounding_of_the_function_moves_the_optimum_by_rounding():
    def nearly(x):
        value, gradient, hessian = banana(x)
        return value * (1.0 + 1e-13), gradient * (1.0 + 1e-13), hessian * (1.0 - 1e-13)

    start = np.array([-1.2, 1.0, 0.7])
    found, again = (minimise(f, start, -FAR, FAR)[0] for f in (banana, nearly))
    np.testing.assert_allclose(found, again, rtol=1e-10)
