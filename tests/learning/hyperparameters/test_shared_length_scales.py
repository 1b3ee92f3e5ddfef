"""Length scales are held together while rows are few."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from sparsegp import SparseGPClassifier
from sparsegp.kernels import RBF, Constant, Linear, Matern
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters import policy
from sparsegp.learning.hyperparameters.choose_sharing import choose_sharing
from sparsegp.learning.hyperparameters.exact_subsets import exact_objective
from sparsegp.learning.hyperparameters.objectives import sparse_objective
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.shared_length_scales import (
    equal_length_scales,
    few_rows,
    log_prior,
)
from sparsegp.model.approximation import DTC
from sparsegp.tables.rows import Rows
from tests.oracles.dense import central_differences

scales = st.lists(st.floats(0.05, 20.0), min_size=2, max_size=5)


def integrated(logs: np.ndarray) -> float:
    """The density of log length scales, spread and mean integrated out numerically."""
    off, a, b = logs - logs.mean(), policy.SPREAD_SHAPE, policy.SPREAD_SCALE
    power = a + 1.0 + 0.5 * (len(logs) - 1)  # the mean takes one degree of freedom

    def density(log_variance: float) -> float:
        s2 = np.exp(log_variance)
        return s2 ** (1.0 - power) * np.exp(-(b + 0.5 * off @ off) / s2)

    return quad(density, -12.0, 14.0, limit=300)[0]


@given(scales)
def test_it_is_the_density_with_the_spread_integrated_out(found):
    logs = np.log(found)
    expected = np.log(integrated(logs)) - np.log(integrated(np.zeros(len(logs))))
    assert log_prior(RBF(tuple(found)))[0] == pytest.approx(expected, rel=1e-3, abs=1e-3)


@given(scales, scales)
def test_gradient(first, second):
    kernel = Constant(2.0) * RBF(tuple(first)) + Matern(tuple(second), nu=1.5) + Linear(0.3)
    _, gradient = log_prior(kernel)
    by_hand = central_differences(
        lambda theta: log_prior(kernel.with_theta(theta))[0], kernel.theta
    )
    np.testing.assert_allclose(gradient, by_hand, rtol=1e-4, atol=1e-6)


def test_equal_length_scales_cost_nothing_and_many_rows_have_no_prior():
    assert log_prior(1.0 * RBF(3.0))[0] == 0.0
    assert log_prior(1.0 * RBF((3.0, 3.0, 3.0)))[0] == pytest.approx(0.0, abs=1e-12)
    kernel = equal_length_scales(2.0 * RBF((1.0, 9.0)))
    np.testing.assert_allclose(kernel.right.length_scale, (3.0, 3.0))
    assert few_rows(59, kernel) and not few_rows(60, kernel)
    many = RBF((1.0,) * 90)
    assert few_rows(1_999, many) and not few_rows(2_000, many)


@pytest.mark.parametrize("of_basis", [False, True])
def test_objectives_add_it(of_basis):
    rng = np.random.default_rng(0)
    rows = Rows(rng.normal(size=(20, 2)), rng.normal(size=(20, 1)))
    objective = sparse_objective(rows, rows.X[:5], DTC) if of_basis else exact_objective(rows)
    free = Parameters(1.0 * RBF((0.5, 3.0)), 0.1)
    shared = Parameters(free.kernel, 0.1, shared=True)
    (value, gradient), (with_prior, its_gradient) = objective(free), objective(shared)
    prior, by_theta = log_prior(free.kernel)
    assert with_prior - value == pytest.approx(prior)
    np.testing.assert_allclose(its_gradient - gradient, [*by_theta, 0.0], atol=1e-9)


def test_folds_are_judged_by_rows_that_did_not_learn():
    seen = []

    def left_out(others, fold, shared):
        assert not set(others) & set(fold)
        seen.append((len(others), len(fold), shared))
        return 2.0 * shared

    assert choose_sharing(10, left_out, FitContext(np.random.default_rng(0)))
    assert sorted(seen) == sorted([(6, 4, s) for s in (0, 1)] + [(7, 3, s) for s in (0, 1)] * 2)


def test_labels_by_all_columns_share():
    """Few of many columns: test_a_basis_moves_among_columns_of_zeros_and_ones."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 12))
    y = np.where(X.sum(axis=1) > 0.0, "a", "b")
    model = SparseGPClassifier(max_basis=40, random_state=0).fit(X, y)
    [entry] = [e for e in model.history_ if e["phase"] == "length scales held together"]
    assert entry["shared"] and entry["gain_per_row"] > 0.05
