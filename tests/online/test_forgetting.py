"""Forgetting at one rate and at several, against dense formulas and against itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.likelihoods import Gaussian, Probit, Shifted
from sparsegp.online.deletion_scores import new_deletion_scores
from sparsegp.online.forgetting import for_each_rate, mixture, new_memory
from sparsegp.online.learn import Rule, learn
from sparsegp.online.learn_and_forget import learn_and_forget
from sparsegp.online.policy import AUTO_RATES, ROWS_BETWEEN_FADES
from sparsegp.online.recursion import new_state
from sparsegp.online.running_scale import RunningScale
from tests.online.problems import KERNEL, NOISE, learned, same_posterior, stream
from tests.oracles.forgetting import forgetful_posterior
from tests.property_settings import cases

NEW = 2.0 * np.random.default_rng(99).standard_normal((15, 2))
LARGE = Rule(1000, 1e-14)


def forgetful(X, Y, forgetting, rule, likelihood=NOISE, sizes=(), scale=None):
    """Return posteriors, memory and scale after rows that came in calls of these sizes."""
    memory = new_memory(forgetting)
    state = new_state(KERNEL, X.shape[1], Y.shape[1])
    for_each_rate(state, len(memory.rates))
    for rows in np.split(np.arange(len(X)), np.cumsum(sizes)):
        if len(rows):
            done = learn_and_forget(state, memory, scale, X[rows], Y[rows], likelihood, rule)
            memory, scale = done.memory, done.scale
    return state, memory, scale


@cases(15)
@given(
    rate=st.floats(0.0, 0.5),
    n=st.integers(1, 25),
    seed=st.integers(0, 1000),
)
def test_it_is_the_exact_posterior_of_a_function_that_changes_in_time(rate, n, seed):
    X, y = stream(n, seed=seed)
    state, memory, _ = forgetful(X, y, rate, LARGE)
    steps = np.arange(n) // memory.period * memory.period  # it fades once in a period
    now = n // memory.period * memory.period
    found, variance = state.mean_and_variance(NEW)
    mean, expected = forgetful_posterior(KERNEL, X, y[:, 0], steps, now, rate, 0.1, NEW)
    np.testing.assert_allclose(found[:, 0], mean, atol=1e-7)
    np.testing.assert_allclose(variance[:, 0], expected, atol=1e-7)


def test_rate_zero_is_no_forgetting_bit_for_bit():
    X, y = stream(200)
    plain = learned(X, y, max_basis=20, deletion="kl")
    for forgetting in (0.0, None):
        state, memory, _ = forgetful(X, y, forgetting, Rule(20, 1e-6, "kl"))
        np.testing.assert_array_equal(state.mu, plain.mu)
        np.testing.assert_array_equal(state.Sigma, plain.Sigma)
        assert memory.effective_rows == 200.0


@pytest.mark.parametrize("forgetting", [0.02, "auto"])
@pytest.mark.parametrize("max_basis", [15, 1000])
@cases(6)
@given(sizes=st.lists(st.integers(1, 40), max_size=8))
def test_calls_of_any_size_agree(forgetting, max_basis, sizes):
    X, y = stream(100)
    rule, scale = Rule(max_basis, 1e-4, "kl"), RunningScale.initial(1)
    once, memory, one_scale = forgetful(X, y, forgetting, rule, scale=scale)
    cut, other, other_scale = forgetful(X, y, forgetting, rule, sizes=sizes, scale=scale)
    np.testing.assert_array_equal(once.basis, cut.basis)
    same_posterior(mixture(once, memory), mixture(cut, other), NEW, 1e-7)
    np.testing.assert_allclose(memory.weights, other.weights, atol=1e-7)
    np.testing.assert_allclose(one_scale.value, other_scale.value, rtol=1e-7)


def test_every_rate_of_several_is_that_rate_alone():
    X, y = stream(60)
    state, *_ = forgetful(X, y, "auto", LARGE)
    assert state.n_rates == len(AUTO_RATES)
    for i, rate in enumerate(AUTO_RATES):
        alone, _, _ = forgetful(X, y, rate, LARGE)
        found, variance = (a[:, i] for a in state.mean_and_variance(NEW))
        mean, expected = (a[:, 0] for a in alone.mean_and_variance(NEW))
        np.testing.assert_allclose(found, mean, atol=1e-8)
        np.testing.assert_allclose(variance, expected, atol=1e-8)


def test_the_mixture_has_the_moments_of_its_parts():
    X, y = stream(80, n_outputs=2)
    state, memory, _ = forgetful(X, y, "auto", Rule(30, 1e-6, "kl"))
    w, R = memory.weights, state.n_rates
    means, variances = (a.reshape(len(NEW), R, 2) for a in state.mean_and_variance(NEW))
    mean = np.einsum("r,nrk->nk", w, means)
    variance = np.einsum("r,nrk->nk", w, variances + (means - mean[:, None]) ** 2)
    found = mixture(state, memory).mean_and_variance(NEW)
    np.testing.assert_allclose(found[0], mean, atol=1e-10)
    np.testing.assert_allclose(found[1], variance, atol=1e-9)


def test_weights_are_discounted_densities():
    memory = new_memory("auto")
    gains = np.array([0.0, -1.0, -2.0, -30.0])
    memory = memory.after_density(gains + 5.0).after_density(gains)
    expected = np.array([0.0, -1.0, -2.0, -5.0]) * (2.0 - 1.0 / 200.0)  # an outlier is clipped
    np.testing.assert_allclose(memory.log_weights, expected)


def test_a_stream_that_changes_is_forgotten_and_one_that_does_not_is_kept():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (800, 2))
    still = np.sin(X[:, :1]) + 0.3 * rng.standard_normal((800, 1))
    moving = np.sin(X[:, :1] + 0.02 * np.arange(800)[:, None])
    moving += 0.3 * rng.standard_normal((800, 1))
    rule = Rule(30, 1e-3, "kl")
    _, kept, _ = forgetful(X, still, "auto", rule)
    _, lost, _ = forgetful(X, moving, "auto", rule)
    assert kept.effective_rows > 600.0
    assert lost.effective_rows < 200.0


def test_labels_of_many_classes_with_offsets():
    X, y = stream(60, n_outputs=3)
    labels, offset = np.sign(y), np.array([-0.5, 0.0, 0.4])
    state, memory, _ = forgetful(X, labels, "auto", LARGE, Shifted(Probit(1.5), offset))
    alone, _, _ = forgetful(X, labels, None, LARGE, Shifted(Probit(1.5), offset))
    found = state.mu.reshape(len(AUTO_RATES), 3, -1)[0]
    np.testing.assert_allclose(found[:, state.active], alone.mu[:, alone.active], atol=1e-8)
    assert memory.weights.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("rate", [0.05, 0.5])
def test_deletion_scores_are_kept_through_forgetting(rate):
    X, y = stream(150, n_outputs=2)
    state = learned(X, y, max_basis=15, deletion="kl")
    assert state.deletion_scores is not None
    state.forget(rate)
    found = state.deletion_scores
    expected = new_deletion_scores(state.Q, state.Sigma, state.active)
    np.testing.assert_allclose(found.w, expected.w, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(np.triu(found.P), np.triu(expected.P), rtol=1e-8, atol=1e-10)


def test_an_impossible_target_leaves_the_weights_finite():
    class Moody(Gaussian):
        def moment_match(self, y, mean, variance):
            belief = super().moment_match(y, mean, variance)
            return type(belief)(np.where(y > 5.0, -np.inf, belief.log_z), belief.q, belief.r)

    X, y = stream(30)
    y[10] = 9.0
    _, memory, _ = forgetful(X, y, "auto", LARGE, Moody(0.1))
    assert np.all(np.isfinite(memory.weights))


def test_large_rates_fade_at_every_row():
    assert new_memory(0.2).period == 1
    assert new_memory("auto").period == new_memory(1e-5).period == ROWS_BETWEEN_FADES


def test_rows_in_the_order_of_time_do_not_make_it_diverge():
    """Rows beyond all others multiply the error of an inverse that is updated."""
    from sparsegp.kernels import RBF, Linear

    x = np.linspace(-1.7, 1.7, 250)[:, None]
    kernel, state = 0.9 * RBF(0.12) + Linear(0.2), None
    state = new_state(kernel, 1, 1)
    for i in range(len(x)):
        learn(state, x[i : i + 1], np.sin(3.0 * x[i : i + 1]), Gaussian(0.02), Rule(100))
        assert state.drift() < 1e-6
    assert np.max(np.abs(state.mean(x) - np.sin(3.0 * x))) < 0.2


def test_beliefs_before_a_label_are_those_of_its_prediction():
    X, y = stream(61)
    labels = np.sign(y)
    state, memory, _ = forgetful(X[:60], labels[:60], "auto", LARGE, Probit(1.0))
    mean, variance = mixture(state, memory).mean_and_variance(X[60:])
    learned_now = learn_and_forget(
        state, memory, None, X[60:], labels[60:], Probit(1.0), LARGE
    ).learned
    np.testing.assert_allclose(learned_now.mean, mean, atol=1e-10)
    np.testing.assert_allclose(learned_now.variance, variance, atol=1e-10)
