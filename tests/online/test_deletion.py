"""Deletion against dense projections and brute-force divergences."""

import numpy as np
import pytest
from scipy.optimize import minimize

from sparsegp.likelihoods import StudentT
from sparsegp.online.deletion import least_valuable, remove, scores
from sparsegp.online.deletion_scores import new_deletion_scores
from sparsegp.online.learn import Rule, learn
from tests.online.problems import KERNEL, learned, stream
from tests.oracles.online import divergence, extended, moments, projected_on_others


def some_state(n_outputs=1):
    return learned(*stream(40, n_outputs), max_basis=12)


@pytest.mark.parametrize("which", [0, 5, 11])
def test_removal_projects_the_feature_on_the_others(which):
    state = some_state(2)
    K, slot = KERNEL(state.basis, state.basis), int(state.slots[which])
    alpha, C = state.alpha, state.C
    remove(state, slot)
    for c in range(2):
        expected_alpha, expected_C = projected_on_others(K, alpha[:, c], C[c], which)
        np.testing.assert_allclose(state.alpha[:, c], expected_alpha, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(state.C[c], expected_C, rtol=1e-8, atol=1e-8)


def test_the_score_is_the_change_of_the_mean_at_the_deleted_vector():
    for which in range(12):
        state = some_state()
        slot = int(state.slots[which])
        z, worth = state.Z[slot : slot + 1].copy(), scores(state)[slot]
        before = state.mean(z)
        remove(state, slot)
        np.testing.assert_allclose(abs(state.mean(z) - before), worth, rtol=1e-7, atol=1e-10)


def test_of_several_outputs_the_largest_score_counts():
    state = some_state(3)
    by_hand = np.max(np.abs(state.alpha) / np.diagonal(state.block(state.Q))[:, None], axis=1)
    np.testing.assert_allclose(scores(state)[state.active], by_hand, rtol=1e-10)
    assert least_valuable(state) == state.slots[np.argmin(by_hand)]


def test_removal_by_the_mean_is_the_best_in_the_other_divergence():
    """It keeps the moments at the others, and so minimises KL(p ‖ p̂)."""
    state = some_state()
    K = KERNEL(state.basis, state.basis)
    mean, cov = moments(K, state.alpha[:, 0], state.C[0])
    remove(state, int(state.slots[4]))
    np.testing.assert_allclose(state.mu[0, state.active], np.delete(mean, 4), atol=1e-9)
    kept = np.delete(np.delete(cov, 4, 0), 4, 1)
    np.testing.assert_allclose(state.block(state.Sigma[0]), kept, atol=1e-9)


@pytest.mark.parametrize("which", [0, 3, 7])
def test_kl_removal_minimises_the_divergence_that_its_score_predicts(which):
    state = learned(*stream(30), max_basis=8)
    K = KERNEL(state.basis, state.basis)
    mean, cov = moments(K, state.alpha[:, 0], state.C[0])
    slot = int(state.slots[which])
    predicted = scores(state, "kl")[slot]
    remove(state, slot, "kl")
    best_mean, best_cov = state.mu[0, state.active], state.block(state.Sigma[0])
    loss = divergence(*extended(K, best_mean, best_cov, which), mean, cov)
    np.testing.assert_allclose(predicted, loss, rtol=1e-6, atol=1e-9)
    L = np.linalg.cholesky(best_cov)

    def elsewhere(step):
        """Move the mean, and stretch the covariance along each coordinate."""
        shift, stretch = np.split(step, 2)
        S = L @ np.diag(np.exp(stretch)) @ L.T
        return divergence(*extended(K, best_mean + L @ shift, S, which), mean, cov)

    found = minimize(elsewhere, np.zeros(14), method="L-BFGS-B", options={"maxiter": 20})
    assert found.fun > loss - 1e-7


def test_kl_losses_of_several_outputs_add_up():
    state = some_state(2)
    K = KERNEL(state.basis, state.basis)
    worth = scores(state, "kl")[state.slots[2]]
    total = 0.0
    pairs = [moments(K, state.alpha[:, c], state.C[c]) for c in range(2)]
    remove(state, int(state.slots[2]), "kl")
    for c, (mean, cov) in enumerate(pairs):
        kept = state.mu[c, state.active], state.block(state.Sigma[c])
        total += divergence(*extended(K, *kept, 2), mean, cov)
    np.testing.assert_allclose(worth, total, rtol=1e-6)


@pytest.mark.parametrize("tolerance", [1e-6, 0.5])
def test_the_ledger_stays_true(tolerance):
    """After joins, removals and projections, single and in runs, of outputs of any kind."""
    X, y = stream(300, n_outputs=2)
    state = learned(0.4 * X, y, StudentT(4.0, 0.3), 14, tolerance, "kl")
    scores(state, "kl")
    learn(state, 0.4 * X[::-1], y, StudentT(4.0, 0.3), Rule(14, tolerance, "kl"))
    assert state.deletion_scores is not None
    fresh = new_deletion_scores(state.Q, state.Sigma, state.active)
    np.testing.assert_allclose(state.deletion_scores.w, fresh.w, rtol=1e-5, atol=1e-6)
    for kept, made in zip(state.deletion_scores.P, fresh.P, strict=True):
        found, expected = state.block(kept), state.block(made)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5 * np.max(expected))


def test_learning_with_kl_deletion_keeps_to_the_limit():
    X, y = stream(80)
    state = learned(X, y, max_basis=10, deletion="kl")
    mean, variance = state.mean_and_variance(X)
    assert state.n_basis == 10
    assert np.all(variance > 0.0)
    assert np.mean((mean - y) ** 2) < np.mean(y**2)
