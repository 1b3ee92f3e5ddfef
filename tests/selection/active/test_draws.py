"""The candidate rows of a step."""

import numpy as np
import pytest
from hypothesis import given

from sparsegp.selection.active import draws as draws_module
from sparsegp.selection.active.draws import information_gain
from tests.oracles import two_classes as oracle
from tests.selection.active_sets import (
    TEN,
    brute_score,
    run_filter,
)


@given(problem=oracle.problems)
@TEN
def test_information_gain_is_the_divergence_of_the_processes(problem):
    state = run_filter(problem, 3)
    sites = state.sites(3)
    mean, A = oracle.posterior(problem.kernel, problem.X, np.arange(3), sites)
    rest = np.arange(3, len(mean))
    expected = [-brute_score("information_gain", problem, mean, A, [], j) for j in rest]
    np.testing.assert_allclose(information_gain(state, rest), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(("selection", "size"), [("random", 3), ("validation", 3), ("adaptive", 3)])
def test_draws_are_distinct_inactive_rows(selection, size):
    problem = oracle.make_problem(4)
    state, rng = run_filter(problem, 5), np.random.default_rng(0)
    draw = draws_module.DRAWS[selection]
    for _ in range(50):
        at = draw([state], np.arange(5, 30), size, rng)
        assert len(np.unique(at)) == size
        assert at.min() >= 5
    assert np.array_equal(draw([state], np.arange(5, 30), 100, rng), np.arange(5, 30))


def test_adaptive_draws_follow_the_probability_of_the_other_label():
    problem = oracle.make_problem(4, n=12, weighted=True)
    state, rng = run_filter(problem, 4), np.random.default_rng(0)
    draw, n_draws = draws_module.DRAWS["adaptive"], 10_000
    counts = np.zeros(12)
    for _ in range(n_draws):
        counts[draw([state], np.arange(4, 12), 1, rng)] += 1
    wrong = problem.weight * (1.0 - np.exp(state.belief.log_z))  # SS eq. 11
    wrong[:4] = 0.0
    expected = n_draws * wrong / wrong.sum()
    assert np.all(np.abs(counts - expected) <= 5.0 * np.sqrt(expected))


def test_adaptive_draws_follow_the_column_of_the_own_class():
    problems = oracle.make_columns(4, n=12, weighted=True)
    states, rng = [run_filter(p, 4) for p in problems], np.random.default_rng(0)
    draw, n_draws = draws_module.DRAWS["adaptive"], 10_000
    counts = np.zeros(12)
    for _ in range(n_draws):
        counts[draw(states, np.arange(4, 12), 1, rng)] += 1
    y = np.stack([state.y for state in states])  # (3, n)
    log_z = np.stack([state.belief.log_z for state in states])  # (3, n)
    assert np.all(np.sum(y > 0.0, axis=0) == 1)
    wrong = problems[0].weight * (1.0 - np.exp(log_z.T[y.T > 0.0]))  # SS eq. 11
    wrong[:4] = 0.0
    expected = n_draws * wrong / wrong.sum()
    assert np.all(np.abs(counts - expected) <= 5.0 * np.sqrt(expected))
    # which the average of the columns would not
    mixed = np.mean(1.0 - np.exp(log_z), axis=0)[4:]
    assert np.max(np.abs(mixed / mixed.sum() - expected[4:] / n_draws)) > 0.02
