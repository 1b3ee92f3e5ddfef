"""Sums of kernel values that are whitened once, beside sums of whitened features."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from sparsegp.arrays import to_numpy
from sparsegp.kernels import RBF, Constant, Linear, Matern
from sparsegp.learning.conditioning import optimise_noise
from sparsegp.learning.hyperparameters.objectives import EVIDENCE
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model import moments as of_moments
from sparsegp.model.approximation import DTC, FITC, SOR, VFE
from sparsegp.model.features import make_basis
from sparsegp.model.moments import at_other_noise, collect_moments, least_noise
from sparsegp.model.posterior import means_and_variances, solve_posterior
from sparsegp.tables.rows import Rows
from tests.array_libraries import on_device
from tests.oracles.problems import problems

KERNEL = Constant(2.0) * Matern(1.0, nu=1.5)
N, M, NOISE = 800, 150, 0.05


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 4))
    y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1)
    spread = rng.uniform(0.5, 2.0, N)
    return Rows(X, y, rng.integers(1, 4, N).astype(float), spread)


def basis_of(rows, kernel=KERNEL):
    return make_basis(kernel, rows.X[:M])


def both(basis, rows, rule, variance=NOISE):
    late = collect_moments(basis, rows, variance, rule)
    return late, collect_moments(basis, rows, variance, rule, whiten_first=True)


def assert_same(late, first):
    assert late.rounding > 0.0 and first.rounding == 0.0
    assert np.linalg.norm(late.gram - first.gram, 2) < 10.0 * late.rounding
    scale = np.max(np.abs(first.target)) + 1.0
    assert_allclose(late.target, first.target, atol=10.0 * late.rounding * scale)
    assert late.residual == pytest.approx(first.residual, abs=10.0 * late.rounding)
    rest = "y_square", "log_noise", "count"
    assert [getattr(late, r) for r in rest] == pytest.approx([getattr(first, r) for r in rest])


@given(problems(rules=(SOR, DTC, VFE)))
def test_any_problem_has_the_same_sums(p):
    basis = make_basis(p.kernel, p.Z)
    with patch.multiple(of_moments, WIDE_BASIS=1, ROWS_PER_BASIS_VECTOR=0):
        late, first = both(basis, p.rows, p.rule, p.variance)
    if late.rounding:
        assert_same(late, first)


@pytest.mark.parametrize("rule", [SOR, DTC, VFE])
def test_many_rows_are_whitened_late(rows, rule):
    assert_same(*both(basis_of(rows), rows, rule))


@pytest.mark.parametrize("rule", [DTC, VFE])
def test_on_a_device(rows, rule):
    there = Rows(*map(on_device, (rows.X, rows.y, rows.weight, rows.noise_factor)))
    late, first = both(make_basis(KERNEL, there.X[:M, :]), there, rule)
    expected, _ = both(basis_of(rows), rows, rule)
    assert late.rounding == pytest.approx(expected.rounding, rel=1e-6) and first.rounding == 0.0
    for name, value in vars(expected).items():
        assert_allclose(to_numpy(getattr(late, name)), value, rtol=1e-9, atol=1e-9)


def test_predictions_are_the_same(rows):
    basis = basis_of(rows)
    late, first = (
        means_and_variances([solve_posterior(basis, moments, VFE)], rows.X)
        for moments in both(basis, rows, VFE)
    )
    assert_allclose(late[0], first[0], atol=1e-7)
    assert_allclose(late[1], first[1], rtol=1e-7)


@pytest.mark.parametrize(
    ("kernel", "n_rows", "rule"),
    [(KERNEL, N, FITC), (KERNEL, 2 * M, VFE), (RBF(30.0), N, VFE)],
    ids=["residuals count", "few rows", "badly conditioned basis"],
)
def test_rows_are_whitened_first_where_it_pays_or_is_needed(rows, kernel, n_rows, rule):
    basis = basis_of(rows, kernel)
    assert collect_moments(basis, rows[:n_rows], NOISE, rule).rounding == 0.0


@pytest.mark.parametrize(
    ("kernel", "variance"),
    [
        (Constant(1e8) * RBF(1.8), 0.01),
        (Constant(1e4) * RBF(1.3), 1e-4),
        (Matern(1.0) + Constant(1e4), 0.01),
        (Matern(1.0) + Linear(1e4), 0.01),
        (Constant(1e-6) * Matern(1.0), 1e-8),
    ],
)
def test_what_rounding_does_is_not_more_than_is_said(rows, kernel, variance):
    late, first = both(basis_of(rows, kernel), rows, DTC, variance)
    assert late.rounding <= of_moments.MOST_ROUNDING
    assert np.linalg.norm(late.gram - first.gram, 2) <= 10.0 * late.rounding


def test_units_do_not_matter(rows):
    """A kernel and a noise a million times as large are the same model."""
    once = collect_moments(basis_of(rows), rows, NOISE, VFE)
    kernel = Constant(2e6) * Matern(1.0, nu=1.5)
    again = collect_moments(basis_of(rows, kernel), rows, 1e6 * NOISE, VFE)
    assert again.rounding == pytest.approx(once.rounding, rel=1e-6) and once.rounding > 0.0


def test_rows_that_nobody_foresaw_are_seen_afterwards(rows):
    """A few rows far out, where a linear kernel is large, are not among those that are asked."""
    X = rows.X.copy()
    step = -(-N // of_moments.ROWS_TO_PREDICT_ROUNDING)
    X[1] *= 1e7
    assert step > 1  # else it would be asked
    far_out = Rows(X, rows.y)
    basis = make_basis(Matern(1.0) + Linear(1.0), X[2 : 2 + M])
    assert of_moments._predicted_rounding(basis, far_out, NOISE) <= of_moments.PREDICTED_ROUNDING
    found = collect_moments(basis, far_out, NOISE, VFE)
    assert found.rounding == 0.0


def test_roundings_of_parts_add_up(rows):
    """What a part may lose is its share of what all rows may lose."""
    basis = basis_of(rows)
    alone = of_moments._predicted_rounding(basis, rows, NOISE)
    with patch.object(of_moments, "PREDICTED_ROUNDING", 10.0 * alone):
        some = of_moments._moments_of_part(NOISE, VFE, False, 5 * N, basis, rows)
        many = of_moments._moments_of_part(NOISE, VFE, False, 20 * N, basis, rows)
    assert some.rounding > 0.0 and many.rounding == 0.0


def test_rounding_grows_as_the_noise_falls(rows):
    late = collect_moments(basis_of(rows), rows, NOISE, VFE)
    least = least_noise(late, NOISE)
    moved = at_other_noise(late, NOISE, least)
    assert moved.rounding == pytest.approx(of_moments.MOST_ROUNDING)


def test_a_noise_that_rounding_hides_is_found_all_the_same(rows):
    basis = basis_of(rows)
    start = Parameters(KERNEL, 10.0)
    quiet = Rows(rows.X, basis.features(rows.X)[:, :2])  # the basis explains them
    rounding = collect_moments(basis, quiet, start.noise_variance, VFE).rounding
    with patch.object(of_moments, "MOST_ROUNDING", 1.5 * rounding):  # no digits to lose
        settled = optimise_noise(basis, quiet, start, VFE, EVIDENCE)
    with patch.object(of_moments, "PREDICTED_ROUNDING", 0.0):
        exact = optimise_noise(basis, quiet, start, VFE, EVIDENCE)
    expected = exact.parameters.noise_variance
    assert settled.parameters.noise_variance == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(settled.posterior.beta, exact.posterior.beta, rtol=1e-7)
