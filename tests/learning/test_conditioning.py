"""Conditioning: at given and at the best noise, and reweighted by the errors of rows."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.conditioning import condition, condition_reweighted, optimise_noise
from sparsegp.learning.hyperparameters.objectives import (
    EVIDENCE,
    OBJECTIVES,
    sparse_objective,
)
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.noise_models import HomoscedasticNoise, StudentTNoise
from sparsegp.model.approximation import DTC, VFE
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
def test_the_best_noise_is_never_worse(name, noise):
    start = Parameters(KERNEL, noise)
    objective = sparse_objective(ROWS, Z, DTC, name)
    found = optimise_noise(make_basis(KERNEL, Z), ROWS, start, DTC, name)
    assert found.value >= objective(start)[0] - 1e-9
    assert found.value == pytest.approx(objective(found.parameters)[0], rel=1e-9)


@every_objective
def test_a_fixed_noise_stays(name):
    start = Parameters(KERNEL, 3.0, "fixed")
    found = optimise_noise(make_basis(KERNEL, Z), ROWS, start, DTC, name)
    assert found.parameters == start
    assert len(sparse_objective(ROWS, Z, DTC, name)(start)[1]) == 2


@every_objective
def test_the_value_is_the_objective_at_the_given_noise(name):
    start = Parameters(KERNEL, 0.2)
    found = condition(make_basis(KERNEL, Z), ROWS, start, DTC, name)
    assert found.value == pytest.approx(sparse_objective(ROWS, Z, DTC, name)(start)[0], rel=1e-9)
    assert found.parameters == start and found.rows is ROWS and found.n_iterations == 0


def test_the_last_prefix_is_the_whole_basis():
    found = condition(make_basis(KERNEL, Z), ROWS, Parameters(KERNEL, 0.2), VFE)
    assert found.evidences.shape == (12,)
    assert found.evidences[-1] == pytest.approx(found.value, rel=1e-12)


def test_without_noise_by_row_nothing_is_reweighted():
    start = Parameters(KERNEL, 0.2)
    once = optimise_noise(make_basis(KERNEL, Z), ROWS, start, DTC)
    found = condition_reweighted(ROWS, Z, start, DTC, EVIDENCE, HomoscedasticNoise(), 5)
    assert found.n_iterations == 0 and found.rows is ROWS
    np.testing.assert_array_equal(found.posterior.beta, once.posterior.beta)


def test_outliers_lose_weight():
    y = ROWS.y.copy()
    y[::20] += 10.0
    start = Parameters(KERNEL, 0.2)
    found = condition_reweighted(Rows(X, y), Z, start, DTC, EVIDENCE, StudentTNoise(), 8)
    factor = found.rows.noise_factor
    assert found.n_iterations >= 1 and found.noise.tails.df is not None
    assert factor[::20].min() > 10.0 * np.median(factor)
