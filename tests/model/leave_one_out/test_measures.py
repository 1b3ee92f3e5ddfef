"""The leave-one-out measures equal those of models that really have not seen the row."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.model.approximation import APPROXIMATIONS, DTC
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.gradient import loo_and_gradient
from sparsegp.model.leave_one_out.measures import LOO_MEASURES, loo_measure
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.selection import select_basis
from sparsegp.tables.rows import Rows
from tests.oracles import dense
from tests.oracles import selection as oracle

KERNEL = 1.5 * RBF(0.8)
VARIANCE = 0.1
EVERY_MEASURE = pytest.mark.parametrize("measure", LOO_MEASURES)


def problem(weight=None, n=25):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    return Rows(X, np.sin(X) + 0.1 * rng.normal(size=(n, 2)), weight)


def measure_of(measure, rows, Z, rule):
    basis = make_basis(KERNEL, Z)
    posterior = solve_posterior(basis, collect_moments(basis, rows, VARIANCE, rule), rule)
    return loo_measure(measure, leave_one_out(posterior, rows, VARIANCE), VARIANCE)


def naive(measure, name, X, y, Z):
    """Fit n models by n×n matrices, each without a line, and let it predict that line."""
    terms = []
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        mean, C = dense.posterior(name, KERNEL, X[rest], y[rest], Z, VARIANCE, X[i : i + 1])
        squares, v = (y[i] - mean[0]) ** 2, C[0, 0] + VARIANCE
        terms.append(
            {
                "loo_error": squares,
                "loo_density": 0.5 * (np.log(2 * np.pi * v) + squares / v),
                "loo_squared_error": squares + v,
            }[measure]
        )
    return np.mean(terms)


@EVERY_MEASURE
@pytest.mark.parametrize("name", APPROXIMATIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_really_leaving_one_out(measure, name, weighted):
    weight = np.random.default_rng(1).integers(1, 4, 25).astype(float) if weighted else None
    rows = problem(weight)
    Z = rows.X[:6]
    expected = naive(measure, name, *dense.repeated(rows.X, rows.y, weight), Z)
    rule = APPROXIMATIONS[name]
    assert measure_of(measure, rows, Z, rule) == pytest.approx(expected, rel=1e-8)
    found = loo_and_gradient(measure, make_basis(KERNEL, Z), rows, VARIANCE, rule)
    assert found.value == pytest.approx(expected, rel=1e-8)


def test_a_row_of_little_weight_is_left_out_whole():
    weight = np.random.default_rng(2).uniform(0.1, 2.5, 25)
    rows = problem(weight)
    Z, part = rows.X[:6], np.minimum(weight, 1.0)
    y, mean, _ = oracle.left_out(KERNEL, rows, Z, VARIANCE, part)
    expected = np.average((y - mean) ** 2, axis=0, weights=weight).mean()
    assert measure_of("loo_error", rows, Z, DTC) == pytest.approx(expected, rel=1e-8)


@EVERY_MEASURE
def test_equals_the_end_of_a_path(measure):
    rows = problem()
    chosen = select_basis(
        measure,
        KERNEL,
        rows,
        None,
        VARIANCE,
        max_basis=6,
        n_fresh=0,
        cache_size=25,
        rng=np.random.default_rng(0),
        stop=False,
    )
    found = measure_of(measure, rows, rows.X[chosen.indices], DTC)
    assert found == pytest.approx(chosen.path[-1], rel=1e-9)
