"""Sites of candidates, by moment matching and by predictive loss."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.selection.active import steps as steps_module
from sparsegp.selection.active.filtering import Steps, losses_after
from sparsegp.selection.active.steps import largest_eta, moment_matching, predictive_loss
from tests.oracles import two_classes as oracle
from tests.property_settings import cases
from tests.selection.active_sets import (
    functions_of,
    run_filter,
)


@given(problem=oracle.problems, n_included=st.integers(0, 4))
@cases(25)
def test_optimised_steps_are_feasible_minima(problem, n_included):
    state = run_filter(problem, n_included)
    at = np.arange(n_included, n_included + 4)
    functions = functions_of(state, problem, at)
    steps, matched = predictive_loss(state, at, functions), moment_matching(state, at)
    top = 0.999 * largest_eta(state, at, functions)

    def loss(eta, alpha):
        total = losses_after(state, functions, Steps(eta, alpha), state.weight)
        return total / np.sum(state.weight)

    found = loss(steps.eta, steps.alpha)
    assert np.all(found <= loss(np.minimum(matched.eta, top), matched.alpha))
    assert np.all((steps.eta >= 0.0) & (steps.eta <= top))
    assert np.all(state.variance - steps.eta[:, None] * functions**2 >= -1e-12)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(20):
            eta = np.clip(steps.eta + size * top * rng.standard_normal(4), 0.0, top)
            alpha = steps.alpha + size * (np.abs(steps.alpha) + 0.1) * rng.standard_normal(4)
            assert np.all(loss(eta, alpha) >= found - 1e-6)


def test_the_derivatives_that_the_search_uses():
    problem = oracle.make_problem(8, weighted=True)
    state, at = run_filter(problem, 3), np.arange(3, 7)
    functions = functions_of(state, problem, at)
    eta, alpha, h = np.full(4, 0.2), np.array([0.5, -0.3, 0.1, -1.0]), 1e-4

    def point(by_eta=0.0, by_alpha=0.0):
        which = np.arange(4)
        return steps_module._evaluate(state, functions, which, eta + by_eta, alpha + by_alpha)

    def differences(name, **direction):
        ahead, behind = (point(**{k: s * v for k, v in direction.items()}) for s in (1, -1))
        return (getattr(ahead, name) - getattr(behind, name)) / (2 * h)

    here, close = point(), {"rtol": 1e-5, "atol": 1e-8}
    np.testing.assert_allclose(here.g_eta, differences("loss", by_eta=h), **close)
    np.testing.assert_allclose(here.g_alpha, differences("loss", by_alpha=h), **close)
    np.testing.assert_allclose(here.H_eta, differences("g_eta", by_eta=h), **close)
    np.testing.assert_allclose(here.H_mixed, differences("g_alpha", by_eta=h), **close)
    np.testing.assert_allclose(here.H_alpha, differences("g_alpha", by_alpha=h), **close)
