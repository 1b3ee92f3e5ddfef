"""Rows that differ in noise, against dense formulas and central differences."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.model.evidence import evidence_and_gradient, log_evidence
from sparsegp.model.exact import exact_evidence_and_gradient, exact_log_evidence
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.moments import collect_moments
from sparsegp.model.noise.log_noise_gp import LogNoiseGP
from sparsegp.model.posterior import prefix_evidences, solve_posterior
from sparsegp.tables.rows import Rows
from tests.oracles import dense

KERNEL, VARIANCE = 1.5 * RBF(0.8), 0.2
every_rule = pytest.mark.parametrize("name", APPROXIMATIONS)


def make_rows(n=14, n_outputs=2, weighted=True):
    rng = np.random.default_rng(3)
    X, y = rng.uniform(-2.0, 2.0, (n, 2)), rng.standard_normal((n, n_outputs))
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    return Rows(X, y, weight, np.exp(rng.standard_normal(n)))


def dense_evidence(name, kernel, rows, Z, variance):
    """Return the log evidence with every row of weight s written out as s rows."""
    X, y = dense.repeated(rows.X, rows.y, rows.weight)
    _, spread = dense.repeated(rows.X, rows.noise_factor, rows.weight)
    Q = dense.explained(kernel, X, Z, X)
    d = kernel.diagonal(X) - np.diagonal(Q)
    noise = variance * spread
    value = dense.log_density(y, Q + np.diag(noise + (d if name == "fitc" else 0.0 * d)))
    return value - (0.5 * y.shape[1] * np.sum(d / noise) if name == "vfe" else 0.0)


@every_rule
def test_evidence_and_its_gradient(name):
    rows, rule = make_rows(), APPROXIMATIONS[name]
    Z = np.random.default_rng(8).uniform(-2.0, 2.0, (5, 2))

    def at(vector):
        kernel = KERNEL.with_theta(vector[:-1])
        return dense_evidence(name, kernel, rows, Z, np.exp(vector[-1]))

    vector = np.append(KERNEL.theta, np.log(VARIANCE))
    found = evidence_and_gradient(make_basis(KERNEL, Z), rows, VARIANCE, rule)
    assert found.value == pytest.approx(at(vector), rel=1e-9)
    expected = dense.central_differences(at, vector)
    np.testing.assert_allclose(np.append(found.theta, found.log_noise), expected, rtol=1e-5)


@every_rule
def test_evidences_of_prefixes(name):
    rows, rule = make_rows(), APPROXIMATIONS[name]
    basis = make_basis(KERNEL, rows.X[:4])
    moments = collect_moments(basis, rows, VARIANCE, rule)
    found = prefix_evidences(solve_posterior(basis, moments, rule), moments, VARIANCE, rule)
    assert found[-1] == pytest.approx(log_evidence(basis, rows, VARIANCE, rule), rel=1e-10)
    if name != "fitc":
        shorter = dense_evidence(name, KERNEL, rows, rows.X[:2], VARIANCE)
        assert found[1] == pytest.approx(shorter, rel=1e-8)


def test_exact_evidence_and_its_gradient():
    rows = make_rows()

    def at(vector):
        X, y = dense.repeated(rows.X, rows.y, rows.weight)
        _, spread = dense.repeated(rows.X, rows.noise_factor, rows.weight)
        kernel = KERNEL.with_theta(vector[:-1])
        return dense.log_density(y, kernel(X, X) + np.diag(np.exp(vector[-1]) * spread))

    vector = np.append(KERNEL.theta, np.log(VARIANCE))
    value, by_theta, by_log_noise = exact_evidence_and_gradient(KERNEL, rows, VARIANCE)
    assert value == pytest.approx(at(vector), rel=1e-9)
    assert exact_log_evidence(KERNEL, rows, VARIANCE) == pytest.approx(value, rel=1e-12)
    expected = dense.central_differences(at, vector)
    np.testing.assert_allclose(np.append(by_theta, by_log_noise), expected, rtol=1e-6)


@every_rule
def test_leaving_a_row_out_is_to_leave_it_out(name):
    rows, rule = make_rows(weighted=False), APPROXIMATIONS[name]
    basis = make_basis(KERNEL, rows.X[:5])

    def posterior_of(some):
        return solve_posterior(basis, collect_moments(basis, some, VARIANCE, rule), rule)

    found = leave_one_out(posterior_of(rows), rows, VARIANCE)
    for i in (0, 9):
        others = posterior_of(rows.take(np.delete(np.arange(len(rows)), i)))
        mean, _ = others.mean_and_variance(rows.X[[i]])
        np.testing.assert_allclose(found.mean[i], mean[0], rtol=1e-8)


@every_rule
def test_a_spread_of_one_changes_nothing(name):
    rows, rule = make_rows(), APPROXIMATIONS[name]
    plain, ones = Rows(rows.X, rows.y, rows.weight), Rows(rows.X, rows.y, rows.weight, np.ones(14))
    basis = make_basis(KERNEL, rows.X[:5])
    values = [log_evidence(basis, each, VARIANCE, rule) for each in (plain, ones)]
    assert values[0] == pytest.approx(values[1], rel=1e-13)


def test_precision_counts_as_weight_for_the_sums():
    rows, rule = make_rows(), APPROXIMATIONS["dtc"]
    basis = make_basis(KERNEL, rows.X[:5])
    ours, theirs = (
        collect_moments(basis, each, VARIANCE, rule) for each in (rows, rows.by_precision())
    )
    np.testing.assert_allclose(ours.gram, theirs.gram, rtol=1e-12)
    np.testing.assert_allclose(ours.target, theirs.target, rtol=1e-12)


def test_factors_stay_in_their_range_and_go_back_to_one():
    spread = LogNoiseGP(RBF(0.5), np.array([[0.0], [1.0]]), np.array([[3.0], [-4.0]]), -1.0, 2.0)
    factor = spread.factor(np.array([[0.0], [1.0], [50.0]]))
    np.testing.assert_allclose(factor, np.exp([2.0, -1.0, 0.0]))
