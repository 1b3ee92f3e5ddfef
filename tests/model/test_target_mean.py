"""The linear prediction of a warped target, beside dense formulas."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.kernels import RBF
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments, weighted_targets
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.posterior import solve_posterior
from sparsegp.model.target_mean import TargetMean
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.curves import Logarithm
from sparsegp.tables.transforms.scaling import fit_scaling
from sparsegp.tables.transforms.warps import fit_warps
from tests.property_settings import cases

every_rule = pytest.mark.parametrize("rule", APPROXIMATIONS.values(), ids=APPROXIMATIONS)


def problem(seed, n=40, **options):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.exp(np.sin(2.0 * X[:, :1]) + 0.1 * rng.normal(size=(n, 1)))
    warps = fit_warps(y, None, (Logarithm(),))
    return X, y, warps, Rows(X, warps.apply(y), **options)


def mean_of(rows, y, posterior, variance, share=0.5):
    scaling = fit_scaling(y, None, "standard")
    plain = replace(rows, y=scaling.apply(y))
    beta = solve_posterior(
        posterior.basis,
        collect_moments(posterior.basis, plain, variance, posterior.rule),
        posterior.rule,
    ).beta
    return TargetMean(beta, scaling, y.min(axis=0), y.max(axis=0), np.array([share]))


@every_rule
@cases(10)
@given(seed=st.integers(0, 10**6))
def test_the_sum_of_targets_is_that_of_a_whole_pass(rule, seed):
    rng = np.random.default_rng(seed)
    weight, factor = rng.uniform(0.5, 2.0, size=(2, 40))
    *_, rows = problem(seed, weight=weight, noise_factor=factor)
    basis = make_basis(RBF(1.0), rows.X[:9])
    found = weighted_targets(basis, rows, 0.1, rule)
    np.testing.assert_allclose(found, collect_moments(basis, rows, 0.1, rule).target, atol=1e-9)


@cases(10)
@given(seed=st.integers(0, 10**6))
def test_the_linear_prediction_is_that_of_an_exact_process(seed):
    X, y, warps, rows = problem(seed)
    kernel, variance, new = RBF(1.0), 0.1, np.random.default_rng(seed + 1).normal(size=(5, 2))
    rule = APPROXIMATIONS["fitc"]
    basis = make_basis(kernel, X)
    posterior = solve_posterior(basis, collect_moments(basis, rows, variance, rule), rule)
    mean = mean_of(rows, y, posterior, variance)
    both, _ = mean.joined(posterior, warps).mean_and_variance(new)
    t = mean.scaling.apply(y)
    wanted = kernel(new, X) @ np.linalg.solve(kernel(X, X) + variance * np.eye(len(X)), t)
    np.testing.assert_allclose(both[:, 1:], wanted, atol=1e-6)
    np.testing.assert_allclose(both[:, :1], posterior.mean(new), atol=1e-9)


def test_neighbours_correct_the_linear_prediction():
    X, y, warps, rows = problem(0)
    rule, variance = APPROXIMATIONS["fitc"], 0.01
    basis = make_basis(RBF(0.5), X[:3])
    posterior = solve_posterior(basis, collect_moments(basis, rows, variance, rule), rule)
    mean = mean_of(rows, y, posterior, variance)
    plain = mean.unwarped(rows, warps)
    np.testing.assert_allclose(plain.y, mean.scaling.apply(y), atol=1e-9)
    new = np.random.default_rng(1).normal(size=(6, 2))
    both = mean.joined(NeighbourPosterior(posterior, rows, variance, 10), warps).mean(new)
    alone = replace(posterior, beta=mean.beta)
    wanted = NeighbourPosterior(alone, plain, variance, 10).mean(new)
    np.testing.assert_allclose(both[:, 1:], wanted, atol=1e-9)


def test_a_mixture_stays_within_the_range_of_the_target():
    scaling = fit_scaling(np.array([[1.0], [3.0]]), None, "standard")
    mean = TargetMean(np.zeros((1, 1)), scaling, np.array([1.0]), np.array([3.0]), np.array([0.25]))
    warped, linear = np.array([[2.0], [2.0]]), np.array([[-9.0], [0.5]])
    np.testing.assert_allclose(mean.mixed(warped, linear), [[1.75], [2.125]])
