"""Length scales that a search can leave again."""

import numpy as np

from sparsegp.kernels import RBF, Constant, Matern
from sparsegp.learning.hyperparameters.length_scale_bounds import reachable
from sparsegp.learning.hyperparameters.policy import MAX_TIMES_MEDIAN


def test_length_scales_are_lifted_to_half_the_gap_of_their_column():
    X = np.array([[0.0, 3.0, 0.0], [1.0, 3.0, 0.0], [0.0, 3.0, 4.0], [0.0, 3.0, 6.0]])
    kernel = Constant(1e-6) * RBF((1e-3, 1e-3, 1e-3)) + Matern((10.0, 1e-2, 30.0)) * RBF(1e-3)
    found = reachable(kernel, X)
    first = [1e-6, 0.5, 1e-3, 1.0]  # the second column has one value
    assert np.allclose(np.exp(found.theta), [*first, 10.0, 1e-2, 30.0, 1e-3])
    assert reachable(kernel, X[:0]) == reachable(kernel, X[:1])


def test_length_scales_are_not_far_above_their_median():
    X = np.random.default_rng(0).standard_normal((9, 3))
    kernel = Constant(900.0) * RBF((2.0, 700.0, 1.0)) + RBF(500.0)
    found = reachable(kernel, X)
    assert np.allclose(np.exp(found.theta), [900.0, 2.0, 2.0 * MAX_TIMES_MEDIAN, 1.0, 500.0])


def test_it_is_the_median_of_what_was_lifted_that_counts():
    X = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    found = reachable(RBF((1e-6, 1e-6, 1.5)), X)
    assert np.allclose(found.length_scale, (0.5, 0.5, 1.5))


def test_a_column_of_zeros_and_ones_keeps_its_floor_beside_short_length_scales():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((500, 2)), rng.integers(0, 2, 500)])
    for given in (0.001, 0.5):
        assert np.allclose(reachable(RBF((0.01, 0.01, given)), X).length_scale, (0.01, 0.01, 0.5))


def test_bounds_are_kept():
    X = np.random.default_rng(0).standard_normal((9, 2))
    kernel = RBF((5.0, 5.0), length_scale_bounds=(5.0, 5.1))
    found = np.array(reachable(kernel, X).length_scale)
    assert np.all(np.log(found) >= kernel.bounds[:, 0] - 1e-15)


def test_a_kernel_without_length_scales_by_column_stays():
    class Odd(RBF):
        @property
        def length_scale_positions(self):
            return ()

    kernel = Odd((1.0, 900.0))
    assert np.allclose(reachable(kernel, np.zeros((2, 2))).theta, kernel.theta)
