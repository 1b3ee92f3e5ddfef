"""Moments, posterior and evidence against the definitions, on problems that hypothesis makes."""

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose

from sparsegp.kernels import Matern
from sparsegp.model.approximation import DTC, FITC, SOR, VFE
from sparsegp.model.evidence import evidence_and_gradient, log_evidence
from sparsegp.model.exact import exact_evidence_and_gradient, exact_log_evidence
from sparsegp.model.features import make_basis, residual_variances
from sparsegp.model.moments import at_other_noise, collect_moments
from sparsegp.model.posterior import prefix_evidences, solve_posterior
from sparsegp.tables.rows import Rows
from tests.oracles import dense
from tests.oracles.problems import problems

# What a basis of up to six random rows costs in digits: K_zz enters the oracle as it is.
CLOSE = {"rtol": 1e-7, "atol": 1e-8}


def repeated(p):
    return dense.repeated(p.rows.X, p.rows.y, p.rows.weight)


def solve(p):
    basis = make_basis(p.kernel, p.Z)
    return solve_posterior(basis, collect_moments(basis, p.rows, p.variance, p.rule), p.rule)


@given(problems())
def test_features_explain_what_the_basis_explains(p):
    Phi = make_basis(p.kernel, p.Z).features(p.rows.X)
    assert_allclose(Phi @ Phi.T, dense.explained(p.kernel, p.rows.X, p.Z, p.rows.X), **CLOSE)


@given(problems())
def test_moments_are_sums_over_repeated_rows(p):
    basis = make_basis(p.kernel, p.Z)
    moments = collect_moments(basis, p.rows, p.variance, p.rule)
    X, y = repeated(p)
    Phi = basis.features(X)
    d = np.clip(p.kernel.diagonal(X) - (Phi**2).sum(axis=1), 0.0, None)
    noise = p.variance + (d if p.rule.name == "fitc" else 0.0 * d)
    assert_allclose(moments.gram, Phi.T @ np.diag(1 / noise) @ Phi, **CLOSE)
    assert_allclose(moments.target, Phi.T @ np.diag(1 / noise) @ y, **CLOSE)
    assert_allclose(moments.y_square, (y**2 / noise[:, None]).sum(), **CLOSE)
    assert_allclose(moments.log_noise, np.log(2 * np.pi * noise).sum(), **CLOSE)
    assert_allclose(moments.residual, d.sum(), **CLOSE)
    assert moments.count == len(X)


@given(problems())
def test_moments_of_two_sets_add(p):
    basis = make_basis(p.kernel, p.Z)
    whole = collect_moments(basis, p.rows, p.variance, p.rule)
    cut = (len(p.rows) + 1) // 2
    parts = [p.rows[:cut], p.rows[cut:]] if cut < len(p.rows) else [p.rows]
    sums = [collect_moments(basis, part, p.variance, p.rule) for part in parts]
    total = sums[0] + sums[1] if len(sums) == 2 else sums[0]
    for of_parts, of_whole in zip(vars(total).values(), vars(whole).values(), strict=True):
        assert_allclose(of_parts, of_whole, rtol=1e-12, atol=1e-12)


@given(problems(rules=(SOR, DTC, VFE)))
def test_moments_at_another_noise_need_no_pass(p):
    basis = make_basis(p.kernel, p.Z)
    expected = collect_moments(basis, p.rows, p.variance, p.rule)
    moved = at_other_noise(collect_moments(basis, p.rows, 0.7, p.rule), 0.7, p.variance)
    for actual, wanted in zip(vars(moved).values(), vars(expected).values(), strict=True):
        assert_allclose(actual, wanted, rtol=1e-12, atol=1e-12)


@given(problems())
def test_posterior(p):
    expected_mean, expected_covariance = dense.posterior(
        p.rule.name, p.kernel, *repeated(p), p.Z, p.variance, p.X_new
    )
    posterior = solve(p)
    mean, variance = posterior.mean_and_variance(p.X_new)
    assert_allclose(mean, expected_mean, **CLOSE)
    assert_allclose(posterior.mean(p.X_new), expected_mean, **CLOSE)
    assert_allclose(variance, np.diagonal(expected_covariance), **CLOSE)
    mean, covariance = posterior.mean_and_covariance(p.X_new)
    assert_allclose(mean, expected_mean, **CLOSE)
    assert_allclose(covariance, expected_covariance, **CLOSE)
    assert np.array_equal(covariance, covariance.T)


@given(problems())
def test_variances_are_never_negative(p):
    _, variance = solve(p).mean_and_variance(p.rows.X)
    assert (variance >= 0.0).all()


@pytest.mark.parametrize("rule", [DTC, FITC, VFE], ids=lambda rule: rule.name)
def test_variances_are_never_negative_where_rounding_leaves_less_than_nothing(rule):
    X = np.random.default_rng(0).uniform(-2.0, 2.0, (60, 1))
    basis = make_basis(Matern(1.0, nu=0.5), X)
    assert residual_variances(basis.kernel, X, basis.features(X)).min() < 0.0
    moments = collect_moments(basis, Rows(X, np.sin(X)), 1e-20, rule)
    _, variance = solve_posterior(basis, moments, rule).mean_and_variance(X)
    assert (variance >= 0.0).all()


@given(problems())
def test_log_evidence(p):
    expected = dense.log_evidence(p.rule.name, p.kernel, *repeated(p), p.Z, p.variance)
    basis = make_basis(p.kernel, p.Z)
    assert_allclose(log_evidence(basis, p.rows, p.variance, p.rule), expected, **CLOSE)
    value = evidence_and_gradient(basis, p.rows, p.variance, p.rule).value
    assert_allclose(value, expected, **CLOSE)


@given(problems())
def test_exact_log_evidence(p):
    value, _, _ = exact_evidence_and_gradient(p.kernel, p.rows, p.variance)
    expected = dense.exact_log_evidence(p.kernel, *repeated(p), p.variance)
    assert_allclose(value, expected, rtol=1e-9, atol=1e-9)
    alone = exact_log_evidence(p.kernel, p.rows, p.variance)
    assert_allclose(alone, expected, rtol=1e-9, atol=1e-9)


@given(problems(rules=(SOR, DTC, VFE)))
def test_evidences_of_every_prefix_of_the_basis(p):
    basis = make_basis(p.kernel, p.Z)
    moments = collect_moments(basis, p.rows, p.variance, p.rule)
    posterior = solve_posterior(basis, moments, p.rule)
    expected = [
        dense.log_evidence(p.rule.name, p.kernel, *repeated(p), p.Z[: m + 1], p.variance)
        for m in range(len(p.Z))
    ]
    assert_allclose(prefix_evidences(posterior, moments, p.variance, p.rule), expected, **CLOSE)
