"""Hyperparameters and inputs as one vector."""

import numpy as np

from sparsegp.kernels import RBF
from sparsegp.learning.hyperparameters.joint_parameters import join_parameters
from sparsegp.learning.hyperparameters.parameters import Parameters


def test_vector_there_and_back():
    Z = np.random.default_rng(0).normal(size=(9, 2))
    placed = join_parameters(Parameters(RBF(2.0), 0.1), Z)
    again = placed.with_vector(placed.vector)
    np.testing.assert_allclose(again.Z, Z)
    assert again.parameters.kernel.length_scale == placed.parameters.kernel.length_scale
    assert placed.bounds.shape == (2 + 18, 2)
    assert len(join_parameters(Parameters(RBF(2.0), 0.1), Z, moves=False).vector) == 2


def test_the_gradient_is_by_the_vector():
    Z = np.random.default_rng(0).normal(size=(4, 3))
    placed = join_parameters(Parameters(RBF(2.0), 0.1), Z)

    def value(at):
        return float(np.sum(np.sin(at.Z)) + at.parameters.noise_variance)

    ours = placed.gradient(np.array([0.0, 0.1]), np.cos(Z))
    numeric = [
        (
            value(placed.with_vector(placed.vector + h))
            - value(placed.with_vector(placed.vector - h))
        )
        / 2e-6
        for h in 1e-6 * np.eye(len(placed.vector))
    ]
    np.testing.assert_allclose(ours, numeric, atol=1e-8)


def test_a_basis_of_one_point_has_a_unit_too():
    placed = join_parameters(Parameters(RBF(2.0), 0.1), np.ones((1, 2)))
    np.testing.assert_allclose(placed.with_vector(placed.vector).Z, np.ones((1, 2)))
