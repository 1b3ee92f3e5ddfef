"""Objectives at a fixed basis: signs, sizes, and the noise that is settled on."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.hyperparameters.objectives import (
    EVIDENCE,
    OBJECTIVES,
    settle_noise,
    size_of,
    sparse_objective,
)
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model.approximation import DTC, FITC
from sparsegp.model.features import make_basis
from sparsegp.tables.rows import Rows

RNG = np.random.default_rng(0)
X = RNG.uniform(-3, 3, size=(80, 1))
ROWS = Rows(X, np.sin(2 * X) + 0.3 * RNG.normal(size=(80, 1)))
Z = X[:12]
KERNEL = 1.0 * RBF(0.7)

every_objective = pytest.mark.parametrize("name", OBJECTIVES)


@every_objective
@pytest.mark.parametrize("noise", [1e-4, 0.09, 3.0])
def test_the_noise_settled_on_is_never_worse(name, noise):
    start = Parameters(KERNEL, noise)
    objective = sparse_objective(ROWS, Z, DTC, name)
    settled = settle_noise(make_basis(KERNEL, Z), ROWS, start, DTC, name)
    assert settled.value >= objective(start)[0] - 1e-9
    assert settled.value == pytest.approx(objective(settled.parameters)[0], rel=1e-9)


@every_objective
def test_a_fixed_noise_stays(name):
    start = Parameters(KERNEL, 3.0, "fixed")
    settled = settle_noise(make_basis(KERNEL, Z), ROWS, start, DTC, name)
    assert settled.parameters == start
    assert len(sparse_objective(ROWS, Z, DTC, name)(start)[1]) == 2


@every_objective
def test_a_step_uphill_raises_the_objective(name):
    start = Parameters(KERNEL, 0.5)
    objective = sparse_objective(ROWS, Z, FITC, name)
    value, gradient = objective(start)
    assert objective(start.with_vector(start.vector + 1e-5 * gradient))[0] > value


def test_sizes():
    assert size_of(EVIDENCE, -5.0, ROWS) == 80.0
    assert size_of("loo_density", -5.0, ROWS) == 1.0
    assert size_of("loo_error", -0.01, ROWS) == 0.01
    assert size_of("loo_error", 0.0, ROWS) == 1.0  # a constant target: nothing to divide by
