"""Accelerated fixed points."""

import numpy as np
import pytest

from sparsegp.arrays import FixedPointSearch


@pytest.mark.parametrize("seed", range(5))
def test_a_linear_map_of_few_dimensions_is_solved_in_as_many_steps(seed):
    rng = np.random.default_rng(seed)
    A, b = rng.normal(size=(4, 4)), rng.normal(size=4)  # spectral radius above one as a rule
    search, x = FixedPointSearch(), np.zeros(4)
    for _ in range(6):
        x = search.propose(x, A @ x + b)
    np.testing.assert_allclose(x, np.linalg.solve(np.eye(4) - A, b), rtol=1e-6, atol=1e-6)


def test_a_retreat_is_half_a_step_from_the_last_point():
    search = FixedPointSearch()
    search.propose(np.array([1.0]), np.array([3.0]))
    np.testing.assert_allclose(search.retreat(), [2.0])
    np.testing.assert_allclose(search.retreat(), [1.5])
    search.advance()
    assert search.damping == pytest.approx(0.375)
