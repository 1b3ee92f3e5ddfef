"""Objectives at a fixed basis: signs and scales."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.hyperparameters.objectives import (
    EVIDENCE,
    OBJECTIVES,
    objective_scale,
    sparse_objective,
)
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model.approximation import FITC
from sparsegp.tables.rows import Rows

RNG = np.random.default_rng(0)
X = RNG.uniform(-3, 3, size=(80, 1))
ROWS = Rows(X, np.sin(2 * X) + 0.3 * RNG.normal(size=(80, 1)))
Z = X[:12]
KERNEL = 1.0 * RBF(0.7)

every_objective = pytest.mark.parametrize("name", OBJECTIVES)


@every_objective
def test_a_step_uphill_raises_the_objective(name):
    start = Parameters(KERNEL, 0.5)
    objective = sparse_objective(ROWS, Z, FITC, name)
    value, gradient = objective(start)
    assert objective(start.with_vector(start.vector + 1e-5 * gradient))[0] > value


def test_scales():
    assert objective_scale(EVIDENCE, -5.0, ROWS) == 80.0
    assert objective_scale("loo_density", -5.0, ROWS) == 1.0
    assert objective_scale("loo_error", -0.01, ROWS) == 0.01
    assert objective_scale("loo_error", 0.0, ROWS) == 1.0  # a constant target: nothing to divide by
