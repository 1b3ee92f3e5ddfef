"""Derivatives of the objectives that inducing inputs are optimised by, by central differences."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.basis.refine import _objective
from sparsegp.learning.hyperparameters.joint_parameters import join_parameters
from sparsegp.learning.hyperparameters.objectives import OBJECTIVES
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.tables.rows import Rows
from tests.oracles.dense import central_differences


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("rule", APPROXIMATIONS.values(), ids=APPROXIMATIONS)
def test_by_hyperparameters_and_inputs(name, rule):
    rng = np.random.default_rng(3)
    rows = Rows(rng.standard_normal((18, 2)), rng.standard_normal((18, 1)))
    start = join_parameters(Parameters(1.2 * RBF([0.8, 1.3]), 0.2), rng.standard_normal((4, 2)))
    objective = _objective(rows, rule, name)
    expected = central_differences(
        lambda vector: objective(start.with_vector(vector))[0], start.vector
    )
    scale = max(np.max(np.abs(expected)), 1e-3)
    np.testing.assert_allclose(objective(start)[1], expected, rtol=0.0, atol=1e-6 * scale)
