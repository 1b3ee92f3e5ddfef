"""Accelerated fixed points."""

import numpy as np
import pytest

from sparsegp.arrays import AndersonAcceleration


@pytest.mark.parametrize("seed", range(5))
def test_a_linear_map_of_few_dimensions_is_solved_in_as_many_steps(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(4, 4)), rng.normal(size=4)  # spectral radius above one as a rule
    search, x = AndersonAcceleration(), np.zeros(4)
    for _ in range(6):
        x = search.propose(x, A @ x + b)
    np.testing.assert_allclose(x, np.linalg.solve(np.eye(4) - A, b), rtol=1e-6, atol=1e-6)


def test_a_retreat_is_half_a_step_from_the_last_point():
    search = AndersonAcceleration()
    search.propose(np.array([1.0]), np.array([3.0]))
    np.testing.assert_allclose(search.retreat(), [2.0])
    np.testing.assert_allclose(search.retreat(), [1.5])
    search.advance()
    assert search.damping == pytest.approx(0.375)


def test_a_weight_of_two_is_a_coordinate_given_twice():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(8, 8)), rng.normal(size=8)
    weight = np.array([1, 2, 1, 3, 1, 1, 2, 1])
    weighted, repeated = AndersonAcceleration(weight), AndersonAcceleration()
    x = z = np.zeros(8)
    for _ in range(4):  # fewer than would solve it
        x = weighted.propose(x, A @ x + b)
        long = repeated.propose(np.repeat(z, weight), np.repeat(A @ z + b, weight))
        z = long[np.cumsum(weight) - 1]
    np.testing.assert_allclose(x, z, rtol=1e-8)


def test_long_vectors_go_by_parts(monkeypatch):
    rng = np.random.default_rng(1)
    A, b, weight = rng.normal(size=(9, 9)), rng.normal(size=9), rng.uniform(1, 2, 9)

    def path():
        search, points = AndersonAcceleration(weight), [np.zeros(9)]
        for _ in range(5):
            points.append(search.propose(points[-1], A @ points[-1] + b))
        return np.array(points)

    whole = path()
    monkeypatch.setattr("sparsegp.arrays.anderson.ANDERSON_CHUNK", 2)
    np.testing.assert_allclose(path(), whole, rtol=1e-9)
