"""What is expected of length scales before any row is seen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from scipy.stats import genhyperbolic

from sparsegp import SparseGPRegressor
from sparsegp.estimators.options.regression import regression_settings
from sparsegp.kernels import RBF, Constant, Matern
from sparsegp.learning.basis.adapt import select_and_adapt
from sparsegp.learning.basis.candidates import Candidates
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.exact_subsets import exact_objective, first_parameters
from sparsegp.learning.hyperparameters.length_scale_prior import (
    log_prior,
    with_prior,
    without_prior,
)
from sparsegp.learning.hyperparameters.optimise import maximise
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import PRIOR_SLOPE, PRIOR_WIDTH
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import VFE
from sparsegp.model.evidence import log_evidence
from sparsegp.model.features import make_basis
from sparsegp.tables.rows import Rows

logarithms = st.floats(-5.0, 9.0)
scales = st.lists(logarithms, min_size=2, max_size=6)


@given(scales, logarithms)
def test_logarithms_are_hyperbolic_about_that_of_the_root_of_their_number(logs, other):
    at = Parameters(Constant(float(np.exp(other))) * RBF(tuple(np.exp(logs))), 0.1)
    usual = Parameters(Constant(1.0) * RBF((len(logs) ** 0.5,) * len(logs)), 0.1)
    # scipy's has the density exp(−a √(x² + 1)) in units of its scale
    expected = genhyperbolic(
        1.0, PRIOR_SLOPE * PRIOR_WIDTH, 0.0, 0.5 * np.log(len(logs)), PRIOR_WIDTH
    )
    difference = np.sum(expected.logpdf(logs)) - len(logs) * expected.logpdf(expected.mean())
    assert log_prior(at)[0] - log_prior(usual)[0] == pytest.approx(difference, rel=1e-6, abs=1e-6)


@given(scales)
def test_gradient(logs):
    at = Parameters(Constant(2.0) * Matern(tuple(np.exp(logs))) + RBF((1.0,) * len(logs)), 0.1)
    differences = approx_fprime(at.vector, lambda v: log_prior(at.with_vector(v))[0], 1e-6)
    np.testing.assert_allclose(log_prior(at)[1], differences, rtol=1e-4, atol=1e-4)


def test_nothing_is_expected_of_a_second_part_or_of_one_scale_for_all_columns():
    first = Constant(1.0) * RBF((3.0, 4.0))
    alone, beside = (log_prior(Parameters(k, 0.1)) for k in (first, first + Matern((0.1, 0.1))))
    assert beside[0] == alone[0]
    assert np.count_nonzero(beside[1]) == 2
    assert log_prior(Parameters(RBF(9.0), 0.1)) == (0.0, pytest.approx(np.zeros(2)))


def weak_columns(n, n_columns=8, seed=0):
    """One column that says much, and others that say a little each."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, n_columns))
    y = np.sin(2.0 * X[:, 0]) + 0.05 * X[:, 1:].sum(axis=1) + 0.5 * rng.standard_normal(n)
    return Rows(X, ((y - y.mean()) / y.std())[:, None])


START = Parameters(Constant(1.0) * RBF((1.4,) * 8), 0.1)


def longest(parameters):
    return max(parameters.kernel.right.length_scale)


def test_an_optimum_of_both_tells_the_value_of_the_objective():
    objective = exact_objective(weak_columns(100))
    found = maximise(with_prior(objective), START, max_evaluations=30, scale=100.0)
    value, gradient = objective(found.parameters)
    assert without_prior(found).value == pytest.approx(value)
    prior, by_vector = log_prior(found.parameters)
    assert found.value == pytest.approx(value + prior)
    assert np.abs(gradient + by_vector).max() < 1.0  # together, not one of the two
    assert np.abs(gradient).max() > 1.0


def test_first_hyperparameters_do_not_let_go_of_weak_columns():
    rows = weak_columns(300)
    found = {
        expects: first_parameters(
            rows,
            START,
            FitContext(np.random.default_rng(0)),
            stages=((300, 60),),
            length_scale_prior=expects,
        )[-1]
        for expects in (False, True)
    }
    assert longest(found[True].parameters) < 0.2 * longest(found[False].parameters)
    alone = exact_objective(rows)(found[True].parameters)[0]
    assert found[True].value == pytest.approx(alone)


def test_neither_does_an_adaptation_to_a_basis():
    rows = weak_columns(400)
    found = {}
    for expects in (False, True):
        settings = Settings(VFE, "random", 40, length_scale_prior=expects, n_evaluations=60)
        context = FitContext(np.random.default_rng(0))
        chosen = select_and_adapt(rows, Candidates.of(rows), START, settings, context, learn=True)
        found[expects] = chosen.parameters
        basis = make_basis(chosen.parameters.kernel, chosen.Z)
        value = log_evidence(basis, rows, chosen.parameters.noise_variance, VFE)
        noted = [e["log_evidence"] for e in context.history.entries if "log_evidence" in e]
        assert value >= noted[-1] - 1e-6  # told without the prior, then the noise was settled
    assert longest(found[True]) < 0.2 * longest(found[False])


def test_many_rows_outvote_it():
    """A function that is linear in all columns has length scales far beyond the usual ones."""
    X = np.random.default_rng(0).standard_normal((300, 3))
    rows = Rows(X, X @ np.array([[1.0], [-0.5], [0.3]]))
    start = Parameters(Constant(1.0) * RBF((1.0,) * 3), 0.1)
    context, stages = FitContext(np.random.default_rng(0)), ((300, 60),)
    found = first_parameters(rows, start, context, stages=stages, length_scale_prior=True)[-1]
    assert min(found.parameters.kernel.right.length_scale) > 10.0


@pytest.mark.parametrize(
    ("options", "expects"),
    [
        ({"kernel": None, "transform_y": "standard"}, True),
        ({"approximation": "vfe"}, True),
        ({}, False),  # DTC's evidence does not let go of columns
        ({"approximation": "fitc"}, False),
        ({"kernel": RBF(1.0), "transform_y": "standard"}, False),  # what a user gives is a start
        ({"approximation": "vfe", "transform_X": "none"}, False),  # columns have their own units
        ({"approximation": "vfe", "transform_X": {0: "log", 1: "none"}}, False),
        ({"approximation": "vfe", "transform_X": {0: "log"}}, True),
        ({"approximation": "vfe", "objective": "loo_error", "noise": "gaussian"}, False),
    ],
)
def test_for_kernels_of_ours_and_scaled_columns_by_the_bound(options, expects):
    assert regression_settings(SparseGPRegressor(**options)).length_scale_prior == expects
