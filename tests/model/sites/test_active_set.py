"""The model of an active set: dense formulas, derivatives, blocks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import multivariate_normal

from sparsegp.likelihoods import Probit
from sparsegp.model.posterior import means_and_variances
from sparsegp.model.sites.active_set import active_posterior, marginal_likelihood, predictive_loss
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.selection.active_set import SELECTIONS
from sparsegp.tables.rows import Rows
from tests.oracles import two_classes as oracle
from tests.oracles.dense import central_differences
from tests.property_settings import cases

TWENTY = cases(20)


def make_sites(m: int, seed: int = 3) -> Sites:
    rng = np.random.default_rng(seed)
    return Sites(rng.uniform(0.1, 2.0, m), rng.standard_normal(m))


def split(problem: oracle.Problem, m: int) -> tuple[np.ndarray, Rows]:
    """Return the first rows as active ones, and the others."""
    weight = None if problem.weight is None else problem.weight[m:]
    return problem.X[:m], Rows(problem.X[m:], problem.y[m:, None], weight)


@given(problem=oracle.problems)
@TWENTY
def test_posterior_is_the_dense_one(problem):
    m = 5
    sites = make_sites(m, problem.seed)
    found = active_posterior(problem.kernel, problem.X[:m], sites)
    mean, A = oracle.posterior(problem.kernel, problem.X, np.arange(m), sites)
    got_mean, got_variance = found.mean_and_variance(problem.X)
    np.testing.assert_allclose(got_mean[:, 0], mean, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(got_variance, np.diagonal(A), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.mean(problem.X)[:, 0], mean, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.mean_and_covariance(problem.X)[1], A, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("sites", ["moment_matching", "predictive_loss"])
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("distinct", [True, False])
def test_posterior_reproduces_the_engine(selection, sites, distinct):
    problem = oracle.make_problem(7, n=60, kernel=oracle.SMOOTH_KERNELS[0], weighted=True)
    X = np.concatenate((problem.X, problem.X[:20]))  # with copies
    y, weight = np.concatenate((problem.y, -problem.y[:20])), np.tile(problem.weight, 2)[:80]
    chosen = oracle.select(
        replace(problem, X=X, y=y, weight=weight),
        max_basis=30,
        rng=np.random.default_rng(1),
        selection=selection,
        sites=sites,
        n_candidates=4,
        distinct=distinct,
    )
    found = active_posterior(problem.kernel, X[chosen.indices], chosen.sites)
    mean, variance = found.mean_and_variance(X)
    scale = max(1.0, np.max(np.abs(chosen.mean)))
    np.testing.assert_allclose(mean[:, 0], chosen.mean, rtol=0.0, atol=1e-8 * scale)
    np.testing.assert_allclose(variance, chosen.variance, rtol=0.0, atol=1e-8)


def test_each_column_of_labels_is_reproduced():
    problems = oracle.make_columns(7, n=60, kernel=oracle.SMOOTH_KERNELS[0], weighted=True)
    X, rng = problems[0].X, np.random.default_rng(1)
    chosen = oracle.select_columns(problems, max_basis=30, rng=rng)
    y = np.stack([problem.y for problem in problems], axis=1)
    rows, Z = Rows(X, y, problems[0].weight), X[chosen.indices]
    posteriors = [active_posterior(problems[0].kernel, Z, sites) for sites in chosen.sites]
    mean, variance = means_and_variances(posteriors, X)  # each has features of its own
    np.testing.assert_allclose(mean, chosen.mean, rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(variance, chosen.variance, rtol=0.0, atol=1e-8)
    for c, problem in enumerate(problems):
        # the loss of a column of several is that of the column alone
        sites = chosen.sites[c]
        loss = predictive_loss(problem.kernel, Z, sites, problem.likelihood, rows, c)
        alone = Rows(X, y[:, [c]], problem.weight)
        expected = predictive_loss(problem.kernel, Z, sites, problem.likelihood, alone)
        assert loss.value == pytest.approx(expected.value, rel=1e-12)
        np.testing.assert_allclose(loss.theta, expected.theta, rtol=1e-10)


def test_prefix_is_the_model_of_the_first_sites():
    problem = oracle.make_problem(2, n=20)
    sites = make_sites(8)
    shorter = active_posterior(problem.kernel, problem.X[:8], sites).prefix(3)
    first = Sites(sites.precision[:3], sites.shift[:3])
    expected = active_posterior(problem.kernel, problem.X[:3], first).mean_and_variance(problem.X)
    for part, wanted in zip(shorter.mean_and_variance(problem.X), expected, strict=True):
        np.testing.assert_allclose(part, wanted, rtol=1e-12, atol=1e-12)


def test_sites_without_precision_and_copies():
    problem = oracle.make_problem(5, n=15)
    Z = problem.X[[0, 1, 0, 2]]
    sites = Sites(np.array([0.5, 0.0, 0.7, 0.0]), np.array([0.3, -0.8, 0.2, 0.0]))
    mean, A = oracle.posterior(problem.kernel, problem.X, np.array([0, 1, 0, 2]), sites)
    found = active_posterior(problem.kernel, Z, sites)
    got_mean, got_variance = found.mean_and_variance(problem.X)
    np.testing.assert_allclose(got_mean[:, 0], mean, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(got_variance, np.diagonal(A), rtol=1e-8)
    rows = Rows(problem.X, problem.y[:, None])
    loss = predictive_loss(problem.kernel, Z, sites, problem.likelihood, rows)
    everything = np.arange(15)
    assert loss.value == pytest.approx(oracle.loss(problem, mean, np.diagonal(A), everything))
    assert np.isfinite(marginal_likelihood(problem.kernel, Z, sites).value)


@given(problem=oracle.problems)
@TWENTY
def test_predictive_loss_is_the_definition(problem):
    m = 4
    Z, rows = split(problem, m)
    sites = make_sites(m, problem.seed)
    found = predictive_loss(problem.kernel, Z, sites, problem.likelihood, rows)
    mean, A = oracle.posterior(problem.kernel, problem.X, np.arange(m), sites)
    outside = np.arange(m, len(problem.y))
    assert found.value == pytest.approx(
        oracle.loss(problem, mean, np.diagonal(A), outside), rel=1e-9
    )


@given(problem=oracle.problems)
@TWENTY
def test_evidence_is_that_of_the_locations(problem):
    m = 5
    Z, sites = problem.X[:m], make_sites(m, problem.seed)
    p, location = sites.precision, sites.shift / sites.precision
    C = problem.kernel(Z, Z) + np.diag(1.0 / p)
    # up to terms of the sites: the height of exp(bf − ½pf²) over N(location | f, 1/p)
    height = 0.5 * np.sum(p * location**2) + 0.5 * np.sum(np.log(2.0 * np.pi / p))
    expected = multivariate_normal.logpdf(location, np.zeros(m), C) + height
    assert marginal_likelihood(problem.kernel, Z, sites).value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kernel", oracle.SMOOTH_KERNELS, ids=["rbf", "matern", "sum"])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_of_the_predictive_loss(kernel, weighted):
    problem = oracle.make_problem(11, n=25, kernel=kernel, weighted=weighted)
    Z, rows = split(problem, 6)
    sites, likelihood = make_sites(6), problem.likelihood
    log_slope = np.log(likelihood.slope)

    def at(theta=kernel.theta, log_slope=log_slope, bias=likelihood.bias):
        probit = Probit(float(np.exp(log_slope)), float(bias))
        return predictive_loss(kernel.with_theta(theta), Z, sites, probit, rows)

    found = at()
    close = {"rtol": 1e-7, "atol": 1e-9}
    by_theta = central_differences(lambda theta: at(theta=theta).value, kernel.theta)
    np.testing.assert_allclose(found.theta, by_theta, **close)
    by_slope = central_differences(lambda s: at(log_slope=s).value, log_slope)
    np.testing.assert_allclose(found.log_slope, by_slope, **close)
    by_bias = central_differences(lambda b: at(bias=b).value, likelihood.bias)
    np.testing.assert_allclose(found.bias, by_bias, **close)


@pytest.mark.parametrize("kernel", oracle.SMOOTH_KERNELS, ids=["rbf", "matern", "sum"])
def test_gradient_of_the_evidence(kernel):
    Z, sites = oracle.make_problem(11, n=6).X, make_sites(6)
    found = marginal_likelihood(kernel, Z, sites)
    expected = central_differences(
        lambda theta: marginal_likelihood(kernel.with_theta(theta), Z, sites).value, kernel.theta
    )
    np.testing.assert_allclose(found.theta, expected, rtol=1e-7, atol=1e-8)
    assert found.log_slope == found.bias == 0.0


@pytest.mark.parametrize("block", [1, 4, 19])
def test_blocks_do_not_matter(block, monkeypatch):
    problem = oracle.make_problem(3, n=25, weighted=True)
    Z, rows = split(problem, 6)
    given_model = problem.kernel, Z, make_sites(6), problem.likelihood, rows
    whole = predictive_loss(*given_model)
    monkeypatch.setattr("sparsegp.model.moments.block_size_for", lambda X, width: block)
    parts = predictive_loss(*given_model)
    for name in ("value", "theta", "log_slope", "bias"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-10)
