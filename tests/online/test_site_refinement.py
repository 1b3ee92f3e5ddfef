"""Recycling against batch posteriors, and the state as pseudo-observations."""

import numpy as np

from sparsegp.likelihoods import Probit
from sparsegp.online.learn import Rule, learn
from sparsegp.online.pseudo_observations import change_kernel, pseudo_evidence, pseudo_observations
from sparsegp.online.recursion import new_state
from sparsegp.online.site_refinement import project_sites, refine_sites
from tests.online.problems import KERNEL, NOISE, learned, stream
from tests.oracles.dense import central_differences, exact_log_evidence, posterior

NEW = 2.0 * np.random.default_rng(99).standard_normal((20, 2))


def swept(X, Y, likelihood, max_basis, n_sweeps):
    state = new_state(KERNEL, 2, Y.shape[1])
    first = learn(state, X, Y, likelihood, Rule(max_basis))
    sites = first.sites
    project_sites(state, X, *sites)
    refine_sites(state, X, Y, likelihood, *sites, n_sweeps)
    return state, sites


def test_gaussian_rows_are_fitc_after_one_more_sweep():
    X, y = stream(150)
    state, _ = swept(X, y, NOISE, 20, 1)
    mean, covariance = posterior("fitc", KERNEL, X, y, state.basis, 0.1, NEW)
    found, variance = state.mean_and_variance(NEW)
    np.testing.assert_allclose(found, mean, atol=1e-9)
    np.testing.assert_allclose(variance[:, 0], np.diagonal(covariance), atol=1e-9)


def test_labels_come_to_rest_and_their_order_stops_to_matter():
    """Expectation propagation has one fixed point here; filtering depends on the order."""
    X, y = stream(60, n_outputs=2)
    labels = np.sign(y)
    state, _ = swept(X, labels, Probit(), 1000, 12)
    back, _ = swept(X[::-1], labels[::-1], Probit(), 1000, 12)
    once, once_back = (learned(X[::way], labels[::way], Probit()).mean(NEW) for way in (1, -1))
    assert np.max(np.abs(once - once_back)) > 1e-3
    np.testing.assert_allclose(state.mean(NEW), back.mean(NEW), atol=1e-6)


def test_sites_on_a_full_basis_have_the_moments_of_the_tilted_beliefs():
    X, y = stream(30)
    labels = np.sign(y)
    state, (precision, shift) = swept(X, labels, Probit(), 1000, 12)
    mean, variance = state.mean_and_variance(X)
    without = 1.0 / (1.0 / variance - precision)
    centre = without * (mean / variance - shift)
    belief = Probit().moment_match(labels, centre, without)
    np.testing.assert_allclose(centre + without * belief.q, mean, atol=1e-6)
    np.testing.assert_allclose(without + without**2 * belief.r, variance, atol=1e-6)


def test_pseudo_observations_of_few_rows_have_the_evidence_of_the_rows():
    """Up to a constant that no kernel changes."""
    X, y = stream(15)
    state = learned(X, y, tolerance=1e-14)
    seen = pseudo_observations(state)
    other = KERNEL.with_theta(KERNEL.theta + 0.2)
    found = pseudo_evidence(other, state.basis, seen)[0]
    found -= pseudo_evidence(KERNEL, state.basis, seen)[0]
    expected = exact_log_evidence(other, X, y, 0.1) - exact_log_evidence(KERNEL, X, y, 0.1)
    np.testing.assert_allclose(found, expected, rtol=1e-7)


def test_gradient_of_the_pseudo_evidence():
    state = learned(*stream(40, n_outputs=2), max_basis=15)
    seen = pseudo_observations(state)

    def value(theta):
        return pseudo_evidence(KERNEL.with_theta(theta), state.basis, seen)[0]

    _, gradient = pseudo_evidence(KERNEL, state.basis, seen)
    np.testing.assert_allclose(gradient, central_differences(value, KERNEL.theta), rtol=1e-6)


def test_the_posterior_comes_back_from_pseudo_observations():
    state = learned(*stream(60, n_outputs=2), max_basis=20)
    before = state.mean_and_variance(NEW)
    change_kernel(state, KERNEL, pseudo_observations(state))
    for now, then in zip(state.mean_and_variance(NEW), before, strict=True):
        np.testing.assert_allclose(now, then, atol=1e-6)
