"""Active-set selection against dense formulas and brute force."""

import numpy as np
import pytest
from hypothesis import given

from sparsegp.kernels import RBF
from sparsegp.likelihoods import Probit
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.selection.active import draws as draws_module
from sparsegp.selection.active.steps import moment_matching
from tests.oracles import two_classes as oracle
from tests.selection.active_sets import (
    TEN,
    brute_score,
    every_selection,
    every_site,
    make_filter,
    select,
    select_columns,
)


@every_selection
@every_site
@given(problem=oracle.problems)
@TEN
def test_updates_are_the_dense_posterior(selection, sites, problem):
    chosen = select(problem, selection, sites=sites)
    assert len(np.unique(chosen.indices)) == len(chosen.indices) == len(chosen.sites) == 6
    mean, A = oracle.posterior(problem.kernel, problem.X, chosen.indices, chosen.sites)
    np.testing.assert_allclose(chosen.mean, mean, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(chosen.variance, np.diagonal(A), rtol=1e-8, atol=1e-8)
    for m in range(1, 7):
        some = chosen.sites.first(m)
        mean, A = oracle.posterior(problem.kernel, problem.X, chosen.indices[:m], some)
        expected = oracle.loss(problem, mean, np.diagonal(A), np.arange(len(mean)))
        assert chosen.path[m - 1] == pytest.approx(expected, rel=1e-8)


@every_selection
@every_site
@given(problems=oracle.columns)
@TEN
def test_updates_of_each_column_are_its_dense_posterior(selection, sites, problems):
    chosen = select_columns(problems, selection, sites=sites)
    assert len(np.unique(chosen.indices)) == len(chosen.indices) == 6
    assert chosen.mean.shape == chosen.variance.shape == (len(problems[0].y), 3)
    losses = np.zeros((6, 3))
    for c, problem in enumerate(problems):
        column, where = chosen.sites[c], (problem.kernel, problem.X)
        mean, A = oracle.posterior(*where, chosen.indices, column)
        np.testing.assert_allclose(chosen.mean[:, c], mean, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(chosen.variance[:, c], np.diagonal(A), rtol=1e-8, atol=1e-8)
        for m in range(1, 7):
            mean, A = oracle.posterior(*where, chosen.indices[:m], column.first(m))
            losses[m - 1, c] = oracle.loss(problem, mean, np.diagonal(A), np.arange(len(mean)))
    np.testing.assert_allclose(chosen.path, np.mean(losses, axis=1), rtol=1e-8)


@every_selection
@every_site
def test_a_column_given_three_times_is_the_column(selection, sites):
    problem = oracle.make_problem(5, weighted=True)
    once, thrice = (select_columns([problem] * times, selection, sites=sites) for times in (1, 3))
    np.testing.assert_array_equal(once.indices, thrice.indices)
    np.testing.assert_allclose(once.path, thrice.path, rtol=1e-14)
    for c in range(3):
        mean, variance, sites = thrice.mean[:, c], thrice.variance[:, c], thrice.sites[c]
        np.testing.assert_allclose(mean, once.mean[:, 0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(variance, once.variance[:, 0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(sites.vector, once.sites[0].vector, rtol=1e-9)


@given(problem=oracle.problems)
@TEN
def test_sites_match_moments_in_the_order_chosen(problem):
    chosen = select(problem)
    check_sites(problem, chosen.indices, chosen.sites)


@given(problems=oracle.columns)
@TEN
def test_sites_of_each_column_match_its_moments(problems):
    chosen = select_columns(problems)
    for problem, sites in zip(problems, chosen.sites, strict=True):
        check_sites(problem, chosen.indices, sites)


def check_sites(problem: oracle.Problem, indices: np.ndarray, sites: Sites) -> None:
    mean, A = np.zeros(len(problem.y)), problem.kernel(problem.X, problem.X)
    for j, p, b in zip(indices, sites.precision, sites.shift, strict=True):
        np.testing.assert_allclose((p, b), oracle.matched(problem, mean, A, j), rtol=1e-7)
        mean, A = oracle.include(mean, A, j, p, b)


@every_selection
@given(problem=oracle.problems)
@TEN
def test_each_choice_is_the_best_of_what_was_drawn(selection, problem):
    check_choices(selection, [problem])


@every_selection
@given(problems=oracle.columns)
@TEN
def test_each_choice_is_the_best_for_the_sum_of_the_columns(selection, problems):
    check_choices(selection, problems)


def check_choices(selection: str, problems: list[oracle.Problem]) -> None:
    """Compare every choice with the scores of all that were offered, by definition."""
    drawn: list[np.ndarray] = []
    draw = draws_module.DRAWS[selection]

    def spy(states, eligible, n_candidates, rng):
        at = draw(states, eligible, n_candidates, rng)
        drawn.append(eligible if selection in ("entropy", "information_gain") else at)
        return at

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(draws_module.DRAWS, selection, spy)
        chosen = select_columns(problems, selection, max_basis=5)
    one = problems[0]
    start = np.zeros(len(one.y)), one.kernel(one.X, one.X)
    models = [(p, *start) for p in problems]
    for m, (j, offered) in enumerate(zip(chosen.indices, drawn, strict=True)):
        active = chosen.indices[:m].tolist()
        assert not set(active) & set(offered.tolist())
        scores = [
            sum(brute_score(selection, *model, active, i) for model in models) for i in offered
        ]
        assert scores[offered.tolist().index(j)] <= min(scores) + 1e-9
        models = [
            (p, *oracle.include(mean, A, j, *oracle.matched(p, mean, A, j)))
            for p, mean, A in models
        ]


@every_selection
@every_site
def test_loss_bounds_the_training_error(selection, sites):
    problem = oracle.make_problem(9, n=60)
    chosen = select(problem, selection, max_basis=15, sites=sites)
    wrong = np.sign(chosen.mean + problem.likelihood.bias) != problem.y
    assert np.mean(wrong) <= chosen.path[-1] / np.log(2.0)  # SS eq. 6


def test_weights_count_rows_in_the_losses_and_sites():
    problem = oracle.make_problem(3, n=20, weighted=True)
    state = make_filter(problem)
    plain = make_filter(oracle.make_problem(3, n=20))
    at = np.arange(20)
    s, A = problem.weight, state.variance

    def precision(steps):
        return steps.eta / (1.0 - steps.eta * A)

    weighted, single = moment_matching(state, at), moment_matching(plain, at)
    np.testing.assert_allclose(precision(weighted), s * precision(single))
    np.testing.assert_allclose(weighted.alpha / weighted.eta, single.alpha / single.eta)
    nothing = np.zeros(20)
    assert state.loss == pytest.approx(oracle.loss(problem, nothing, A, at))


def overfitting_problem() -> oracle.Problem:
    """Pure noise: the loss of all rows turns when sites of single labels pile up."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((120, 2)), rng.choice([-1.0, 1.0], 120)
    return oracle.Problem(9.0 * RBF(1.0), X, y, None, Probit(3.0), 1)


def test_stop_cuts_back_to_the_best_prefix():
    problem = overfitting_problem()
    whole = select(problem, "entropy", max_basis=60)
    cut = select(problem, "entropy", max_basis=60, stop=True)
    m = len(cut.indices)
    assert m == np.argmin(cut.full_path) + 1 < len(cut.full_path) < 60
    assert np.array_equal(cut.indices, whole.indices[:m])
    np.testing.assert_allclose(cut.full_path, whole.path[: len(cut.full_path)], rtol=1e-10)
    assert np.array_equal(cut.path, cut.full_path[:m])
    short = select(problem, "entropy", max_basis=m)
    np.testing.assert_allclose(cut.mean, short.mean, atol=1e-9)
    np.testing.assert_allclose(cut.variance, short.variance, atol=1e-9)
    np.testing.assert_allclose(cut.sites.precision, short.sites.precision, rtol=1e-9)
