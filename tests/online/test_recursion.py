"""The recursion against exact Gaussian processes, and against itself in other portions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.likelihoods import Gaussian, LaplaceNoise, OneSided, Probit, StudentT
from sparsegp.online import symmetric
from sparsegp.online.deletion import least_valuable, remove
from sparsegp.online.learn import Rule, learn, shrink
from sparsegp.online.recursion import correct, grow, likelihood_update, new_state, predict_row
from tests.online.problems import KERNEL, NOISE, learned, same_posterior, stream
from tests.oracles.dense import exact_posterior, posterior

NEW = 2.0 * np.random.default_rng(99).standard_normal((20, 2))


@given(order=st.permutations(range(30)))
def test_without_sparsity_it_is_the_exact_gaussian_process(order):
    X, y = stream(30)
    state = learned(X[order], y[order], tolerance=1e-14)
    mean, variance = state.mean_and_variance(NEW)
    expected, covariance = exact_posterior(KERNEL, X, y, NOISE.noise_variance, NEW)
    np.testing.assert_allclose(mean, expected, atol=1e-8)
    np.testing.assert_allclose(variance[:, 0], np.diagonal(covariance), atol=1e-8)
    np.testing.assert_allclose(state.mean(NEW), expected, atol=1e-8)


def test_alpha_and_c_are_those_of_the_paper():
    """CO's recursion as it is printed, eq. 2.9."""
    X, y = stream(25)
    alpha, C = np.zeros(0), np.zeros((0, 0))
    for t in range(25):
        k = KERNEL(X[t : t + 1], X[: t + 1])[0, :t]
        mean, variance = k @ alpha, 1.5 + k @ C @ k
        q, r = (y[t, 0] - mean) / (variance + 0.1), -1.0 / (variance + 0.1)
        s = np.append(C @ k, 1.0)
        alpha, C = np.append(alpha, 0.0) + q * s, np.pad(C, (0, 1)) + r * np.outer(s, s)
    state = learned(X, y, tolerance=1e-14)
    order = [int(np.argmin(np.abs(X - z).sum(axis=1))) for z in state.basis]
    np.testing.assert_allclose(state.alpha[:, 0], alpha[order], rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(state.C[0], C[np.ix_(order, order)], rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    "likelihood", [NOISE, LaplaceNoise(0.2), StudentT(3.0, 0.2), OneSided(0.3)], ids=repr
)
@pytest.mark.parametrize("tolerance", [1e-6, 0.3])
def test_one_row_at_a_time_equals_many_at_once(likelihood, tolerance):
    X, y = stream(150)
    together = learned(X, y, likelihood, 25, tolerance)
    rule, alone = Rule(25, tolerance), new_state(KERNEL, 2, 1)
    for i in range(len(X)):
        learn(alone, X[i : i + 1], y[i : i + 1], likelihood, rule)
    np.testing.assert_array_equal(together.basis, alone.basis)
    same_posterior(together, alone, NEW)
    assert together.n_seen == alone.n_seen == 150


def test_long_runs_of_projections_equal_single_ones():
    """A wide tolerance makes nearly all rows projections, in runs of 64."""
    X, y = stream(600)
    X *= 0.3
    together = learned(X, y, tolerance=0.05)
    alone = new_state(KERNEL, 2, 1)
    for i in range(len(X)):
        learn(alone, X[i : i + 1], y[i : i + 1], NOISE, Rule(1000, 0.05))
    assert together.n_basis < 60
    same_posterior(together, alone, NEW)


def test_projection_of_rows_is_fitc():
    """On a basis that is there from the start; both kinds of noise γ + σ² are in it."""
    Z = np.random.default_rng(3).standard_normal((8, 2))
    X, y = stream(40)
    state = new_state(KERNEL, 2, 1)
    for z in Z:
        grow(state, z, predict_row(state, KERNEL(z[None], state.Z)[0], 1.5))
    learn(state, X, y, NOISE, Rule(8, 10.0))
    mean, covariance = posterior("fitc", KERNEL, X, y, Z, 0.1, NEW)
    found, variance = state.mean_and_variance(NEW)
    np.testing.assert_allclose(found, mean, atol=1e-9)
    np.testing.assert_allclose(variance[:, 0], np.diagonal(covariance), atol=1e-9)


def test_several_outputs_equal_single_ones_on_the_same_basis():
    X, y = stream(60, n_outputs=3)
    labels = np.sign(y)
    together = learned(X, labels, Probit(2.0), 200)
    for c in range(3):
        alone = learned(X, labels[:, c : c + 1], Probit(2.0), 200)
        np.testing.assert_array_equal(alone.basis, together.basis)
        for found, expected in zip(
            alone.mean_and_variance(NEW), together.mean_and_variance(NEW), strict=True
        ):
            np.testing.assert_allclose(found[:, 0], expected[:, c], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("deletion", ["mean", "kl"])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_the_decision_beforehand_is_growing_and_then_deleting_the_lowest(n_outputs, deletion):
    X, y = stream(120, n_outputs)
    quick = learned(X, y, max_basis=15, deletion=deletion)
    slow = new_state(KERNEL, 2, n_outputs)
    for x, target in zip(X, y, strict=True):
        view = predict_row(slow, KERNEL(x[None], slow.Z)[0], 1.5)
        belief = likelihood_update(view, target, NOISE)
        correct(slow, grow(slow, x, view)[1], belief)
        if slow.n_basis > 15:
            slow.deletion_scores = None  # everything anew
            remove(slow, least_valuable(slow, deletion), deletion)
    same = {tuple(z) for z in quick.basis} == {tuple(z) for z in slow.basis}
    assert same
    same_posterior(quick, slow, NEW, 1e-7)


def test_nothing_is_allocated_once_the_basis_is_full():
    X, y = stream(300)
    state = learned(X[:100], y[:100], max_basis=20)
    held = [state.Z, state.mu, state.Sigma, state.Q, state.K_zz, state.active]
    learn(state, X[100:], y[100:], NOISE, Rule(20))
    now = [state.Z, state.mu, state.Sigma, state.Q, state.K_zz, state.active]
    assert all(a is b for a, b in zip(held, now, strict=True))
    assert state.n_basis == 20 and len(state.active) == 21


def test_drift_is_seen_and_mended():
    X, y = stream(40)
    state = learned(X, y)
    assert state.drift() < 1e-9
    expected = symmetric.full(state.Q)
    state.Q *= 1.0 + 1e-3
    assert state.drift() > 1e-4
    state.changes = 10**6
    state.refactor_if_drifted()
    assert state.drift() < 1e-9
    np.testing.assert_allclose(symmetric.full(state.Q), expected, rtol=1e-6, atol=1e-6)


def test_twenty_thousand_rows_of_a_drifting_stream():
    """No NaN, no negative variance, and after each turn the newest function is known."""
    rng, state, rule = np.random.default_rng(0), new_state(KERNEL, 2, 1), Rule(30, 1e-3)
    errors = []
    for step in range(200):
        X = rng.uniform(-0.7, 0.7, (100, 2))
        y = np.sin(2.0 * X[:, :1] + 0.03 * step)
        if step > 20:
            errors.append(np.sqrt(np.mean((state.mean(X) - y) ** 2)))
        learn(state, X, y + 0.1 * rng.standard_normal(y.shape), Gaussian(0.01), rule)
        state.forget(0.2)
        mean, variance = state.mean_and_variance(X)
        assert np.all(np.isfinite(mean)) and np.all(variance > 0.0)
    assert np.mean(errors) < 0.15
    assert state.n_seen == 20_000


def test_forgetting_everything_gives_the_prior():
    X, y = stream(50)
    state = learned(X, y)
    state.forget(1.0)
    mean, variance = state.mean_and_variance(NEW)
    np.testing.assert_allclose(mean, 0.0, atol=1e-12)
    np.testing.assert_allclose(variance, 1.5, rtol=1e-9)


def test_forgetting_scales_alpha_and_c():
    X, y = stream(20)
    state = learned(X, y)
    alpha, C = state.alpha, state.C
    state.forget(0.36)
    np.testing.assert_allclose(state.alpha, 0.8 * alpha, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(state.C, 0.64 * C, rtol=1e-5, atol=1e-7)


def test_shrinking_takes_the_lowest_first():
    X, y = stream(60)
    state, other = learned(X, y, max_basis=20), learned(X, y, max_basis=20)
    shrink(state, 17)
    for _ in range(3):
        remove(other, least_valuable(other))
    np.testing.assert_array_equal(state.basis, other.basis)
    assert state.n_basis == 17


def test_a_likelihood_that_gives_no_numbers_is_named():
    class Silent(Gaussian):
        def moment_match(self, y, mean, variance):
            belief = super().moment_match(y, mean, variance)
            return type(belief)(belief.log_z, belief.q * np.nan, belief.r)

    with pytest.raises(Exception, match="gave no finite numbers"):
        learned(*stream(3), Silent())
