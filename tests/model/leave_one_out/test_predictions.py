"""Leave-one-out quantities equal really leaving one out."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.tables.rows import Rows

VARIANCE = 0.1


def problem(seed, weighted):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 2))
    weight = rng.integers(1, 4, size=25).astype(float) if weighted else None
    return Rows(X, np.sin(X) + 0.1 * rng.normal(size=(25, 2)), weight)


def posterior_of(basis, rows, rule):
    return solve_posterior(basis, collect_moments(basis, rows, VARIANCE, rule), rule)


@pytest.mark.parametrize("name", APPROXIMATIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_a_fit_without_one_copy_of_the_row(name, weighted):
    rule = APPROXIMATIONS[name]
    rows = problem(0, weighted)
    basis = make_basis(1.5 * RBF(0.8), rows.X[:6])
    left_out = leave_one_out(posterior_of(basis, rows, rule), rows, VARIANCE)
    count = np.ones(25) if rows.weight is None else rows.weight
    for i in range(25):
        fewer = count.copy()
        fewer[i] -= 1.0
        keep = fewer > 0
        without = posterior_of(basis, Rows(rows.X[keep], rows.y[keep], fewer[keep]), rule)
        mean, variance = without.mean_and_variance(rows.X[i : i + 1])
        np.testing.assert_allclose(left_out.error[i], rows.y[i] - mean[0], rtol=1e-8, atol=1e-10)
        total = left_out.residual[i] + left_out.weights[i]
        np.testing.assert_allclose(total, variance[0], rtol=1e-8, atol=1e-10)
