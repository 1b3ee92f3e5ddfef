"""Length scales that differ cost something while rows are few."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.kernels import RBF, Constant, Linear, Matern
from sparsegp.learning.hyperparameters.ard_shrinkage import penalty
from sparsegp.learning.hyperparameters.policy import (
    ENOUGH_ROWS_PER_LENGTH_SCALE,
    LOG_LENGTH_SCALE_DEVIATION,
)
from tests.oracles.dense import central_differences

scales = st.lists(st.floats(0.01, 100.0), min_size=2, max_size=5)


@given(scales, scales)
def test_it_is_minus_the_log_of_a_normal_density_about_the_mean(first, second):
    kernel = Constant(2.0) * RBF(tuple(first)) + Matern(tuple(second), nu=1.5) + Linear(0.3)
    cost, gradient = penalty(kernel, n=10)
    off = [np.log(each) - np.mean(np.log(each)) for each in (first, second)]
    expected = sum(np.sum(each**2) for each in off) / (2 * LOG_LENGTH_SCALE_DEVIATION**2)
    assert cost == pytest.approx(expected, rel=1e-9, abs=1e-12)

    def at(theta):
        return penalty(kernel.with_theta(theta), 10)[0]

    by_hand = central_differences(at, kernel.theta)
    np.testing.assert_allclose(gradient, by_hand, rtol=1e-5, atol=1e-6)


def test_rows_enough_and_common_length_scales_cost_nothing():
    kernel = 1.0 * RBF((1.0, 9.0))
    enough = ENOUGH_ROWS_PER_LENGTH_SCALE * 2
    assert penalty(kernel, enough - 1)[0] > 1.0
    assert penalty(kernel, enough)[0] == 0.0
    assert penalty(1.0 * RBF(3.0), 1)[0] == 0.0
    assert penalty(1.0 * RBF((3.0, 3.0, 3.0)), 1)[0] == 0.0


def test_each_part_counts_its_own_length_scales():
    """What one kernel has free, no richer one pays for."""
    kernel, n = 1.0 * RBF((1.0, 9.0)), 2 * ENOUGH_ROWS_PER_LENGTH_SCALE
    assert penalty(kernel + Linear(0.3), n)[0] == penalty(kernel, n)[0] == 0.0
    assert penalty(kernel * RBF((1.0, 2.0, 4.0)), n)[0] > 0.0


def test_a_kernel_without_length_scales_by_column_costs_nothing():
    class Odd(RBF):
        @property
        def length_scale_positions(self):
            return ()

    assert penalty(Odd((1.0, 9.0)), 1)[0] == 0.0
