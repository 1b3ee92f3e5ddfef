"""The choice of an active set: against dense formulas, brute force and hostile tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.datasets import data_folder, load
from sparsegp.kernels import RBF, Constant, Linear
from sparsegp.likelihoods import Probit
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.selection.active import draws as draws_module
from sparsegp.selection.active import steps as steps_module
from sparsegp.selection.active.draws import information_gain
from sparsegp.selection.active.filtering import Filter, Steps, losses_after
from sparsegp.selection.active.steps import largest_eta, moment_matching, predictive_loss
from sparsegp.selection.active_set import SELECTIONS, ActiveSet
from tests.oracles import two_classes as oracle
from tests.oracles.selection import divergence
from tests.property_settings import cases

SITES = ("moment_matching", "predictive_loss")
TEN = cases(10)

every_selection = pytest.mark.parametrize("selection", SELECTIONS)
every_site = pytest.mark.parametrize("sites", SITES)


def select_columns(problems, selection="adaptive", max_basis=6, **options) -> ActiveSet:
    given_options = {"n_candidates": 4, "rng": np.random.default_rng(problems[0].seed)} | options
    return oracle.select_columns(
        problems, max_basis=max_basis, selection=selection, **given_options
    )


def select(problem: oracle.Problem, *arguments, **options) -> oracle.OneColumn:
    return oracle.OneColumn.of(select_columns([problem], *arguments, **options))


def make_filter(problem: oracle.Problem, max_basis: int = 10) -> Filter:
    prior = problem.kernel.diagonal(problem.X)
    return Filter(prior, problem.y, problem.weight, problem.likelihood, max_basis)


def functions_of(state: Filter, problem: oracle.Problem, at: np.ndarray) -> np.ndarray:
    return state.functions(at, problem.kernel(problem.X[at], problem.X))


def run_filter(problem: oracle.Problem, n_included: int) -> Filter:
    """Include the first rows by matched moments."""
    state = make_filter(problem)
    for j in range(n_included):
        at = np.array([j])
        steps, functions = moment_matching(state, at), functions_of(state, problem, at)
        state.include(j, functions[0], float(steps.eta[0]), float(steps.alpha[0]))
    return state


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


def brute_score(selection, problem, mean, A, active, j) -> float:
    """What a selector says of row j, from its definition; lower is better."""
    new_mean, new_A = oracle.include(mean, A, j, *oracle.matched(problem, mean, A, j))
    if selection == "entropy":  # of the process: half the log determinant
        return 0.5 * (np.linalg.slogdet(new_A)[1] - np.linalg.slogdet(A)[1])
    if selection == "information_gain":
        return -divergence(new_mean, new_A, mean, A)
    left_out = [*active, j] if selection == "validation" else []
    over = np.setdiff1d(np.arange(len(mean)), left_out)
    return oracle.loss(problem, new_mean, np.diagonal(new_A), over)


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


def hostile() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 2))
    side = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    labels = rng.choice([-1.0, 1.0], 60)
    one = np.where(np.arange(60) == 17, 1.0, -1.0)
    many = rng.standard_normal((1000, 2))  # 999 to 1
    rare = np.where(np.arange(1000) == 500, 1.0, -1.0)
    return {
        "separable": (10.0 * X, side),
        "copies with both labels": (np.tile(X[:15], (4, 1)), labels),
        "one row repeated": (np.tile(X[:1], (60, 1)), labels),
        "one row of a class": (X, one),
        "one class": (X, np.ones(60)),
        "constant columns": (np.column_stack((X[:, 0], np.full(60, 3.0))), side),
        "99.9 % of one class": (many, rare),
        "far apart": (1e6 * X, labels),
        "one row": (X[:1], np.ones(1)),
        "two rows": (X[:2], np.array([1.0, -1.0])),
    }


@pytest.mark.parametrize("table", hostile())
@every_site
@pytest.mark.parametrize("kernel", [RBF(1.0), 1e4 * RBF(10.0), 1e-8 * RBF(1.0)], ids=["", "+", "-"])
def test_hostile_tables(table, sites, kernel):
    X, y = hostile()[table]
    problem = oracle.Problem(kernel, X, y, None, Probit(1.0, 0.1), 0)
    for selection in SELECTIONS:
        for distinct in (True, False) if "repeated" in table or "copies" in table else (True,):
            options = {"sites": sites, "distinct": distinct, "n_candidates": 2}
            chosen = select_columns([problem], selection, 10, **options)
            assert 1 <= len(chosen.indices) <= 10
            assert_sound(chosen)


@pytest.mark.parametrize("table", hostile())
def test_hostile_tables_with_several_columns(table):
    X, y = hostile()[table]
    labels = (y, -y, np.ones_like(y), np.where(np.arange(len(y)) % 7 == 3, 1.0, -1.0))
    problems = [oracle.Problem(RBF(1.0), X, z, None, Probit(1.0, 0.1), 0) for z in labels]
    for selection in SELECTIONS:
        chosen = select_columns(problems, selection, 10, n_candidates=2)
        assert 1 <= len(chosen.indices) <= 10
        assert_sound(chosen)


def assert_sound(chosen: ActiveSet) -> None:
    numbers = [part for sites in chosen.sites for part in (sites.precision, sites.shift)]
    for part in (chosen.mean, chosen.variance, chosen.path, *numbers):
        assert np.isfinite(part).all()
    assert (chosen.variance >= 0.0).all()
    assert all((sites.precision >= 0.0).all() for sites in chosen.sites)


@every_selection
def test_copies_are_passed_over_if_rows_shall_be_distinct(selection):
    problem = oracle.make_problem(6, n=12)
    X, y = np.tile(problem.X, (5, 1)), np.tile(problem.y, 5)
    copies = oracle.Problem(problem.kernel, X, y, None, problem.likelihood, 0)
    chosen = select(copies, selection, max_basis=40)
    assert len(chosen.indices) == 12
    assert len(np.unique(chosen.indices % 12)) == 12
    # otherwise every label may have its say
    assert len(select(copies, selection, max_basis=40, distinct=False).indices) == 40


@every_selection
def test_it_ends_if_rounding_disagrees_about_copies(selection, monkeypatch):
    """One row alone is refused, and yet let in among many."""
    span = "sparsegp.selection.active.rank_filter.RankFilter"
    monkeypatch.setattr(f"{span}.are_outside", lambda self, at, columns: np.zeros(len(at), bool))
    monkeypatch.setattr(f"{span}.outside", lambda self, at: at)
    assert len(select(oracle.make_problem(6), selection).indices) == 0


def test_nothing_to_choose():
    X, y = np.zeros((5, 2)), np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    problem = oracle.Problem(Linear(), X, y, None, Probit(), 0)  # zero everywhere
    for n_columns in (1, 3):
        chosen = select_columns([problem] * n_columns)
        assert len(chosen.indices) == len(chosen.path) == 0
        assert [len(sites) for sites in chosen.sites] == [0] * n_columns
        assert chosen.mean.shape == (5, n_columns)
        assert_sound(chosen)
    constant = oracle.Problem(Constant(2.0), X, y, None, Probit(), 0)
    assert len(select(constant).indices) == 1


def test_progress_and_reproducibility():
    problem, told = oracle.make_problem(1), []
    first = select(problem, progress=lambda size, value: told.append((size, value)))
    assert [size for size, _ in told] == [1, 2, 3, 4, 5, 6]
    assert np.array_equal([value for _, value in told], first.path)
    again = select(problem)
    assert np.array_equal(first.indices, again.indices)
    np.testing.assert_allclose(first.mean, again.mean, rtol=1e-12, atol=1e-12)


def test_parts_of_rows_do_not_matter(monkeypatch):
    problem = oracle.make_problem(1, weighted=True)
    whole = select(problem, "validation", sites="predictive_loss")
    monkeypatch.setattr("sparsegp.selection.active.filtering.PART_ELEMENTS", 1)
    monkeypatch.setattr("sparsegp.selection.active.filtering.SMALLEST_PART", 7)
    parts = select(problem, "validation", sites="predictive_loss")
    assert np.array_equal(whole.indices, parts.indices)
    np.testing.assert_allclose(whole.mean, parts.mean, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["selection", "sites"])
def test_unknown_names_are_refused(name):
    with pytest.raises(ValueError, match=f"{name} must be one of .*got 'best'"):
        select(oracle.make_problem(0), **{name: "best"})


def test_predicted_rows_of_banana():
    if not (data_folder() / "banana.parquet").exists():
        pytest.skip("no data set banana: set SPARSEGP_DATA")
    data = load("banana")
    X, y = data.X[:1000], data.y[:1000]
    problem = oracle.Problem(3.0 * RBF(0.6), X, y, None, Probit(), 0)
    loss = {name: select(problem, name, 40, n_candidates=2).path[-1] for name in SELECTIONS}
    # SS section 5: a predictive loss chooses better than entropy and information gain
    assert max(loss["adaptive"], loss["validation"]) < 0.4
    assert loss["adaptive"] < min(loss["entropy"], loss["information_gain"])
    optimised = select(problem, "adaptive", 40, n_candidates=2, sites="predictive_loss")
    assert np.all(np.diff(optimised.path) <= 1e-12)  # each step is the best of its kind
    assert optimised.path[-1] < loss["adaptive"]
