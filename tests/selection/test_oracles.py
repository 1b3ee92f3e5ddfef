"""Every criterion against brute force: its values, its choices, its cache."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.selection.candidates import WorkingSet
from sparsegp.selection.gram import select_in_gram
from sparsegp.selection.sample import select_in_samples
from sparsegp.selection.stopping import Path
from tests.oracles import selection as oracle
from tests.property_settings import cases
from tests.selection.problems import GUIDED, WITHOUT_TARGETS, Problem, make_problem, problems

MAX_BASIS = 6
TWENTY = cases(20)


def brute_path(
    criterion: str, problem: Problem, candidates: np.ndarray, indices: np.ndarray
) -> list[float]:
    given_problem = (criterion, problem.kernel, problem.rows, candidates)
    return [
        oracle.path_value(*given_problem, list(indices[: m + 1]), problem.variance)
        for m in range(len(indices))
    ]


def brute_scores(
    criterion: str, problem: Problem, candidates: np.ndarray, chosen: list[int], offered: np.ndarray
) -> np.ndarray:
    given_problem = (criterion, problem.kernel, problem.rows, candidates, chosen)
    return np.array([oracle.score(*given_problem, int(j), problem.variance) for j in offered])


@pytest.mark.parametrize("criterion", GUIDED)
@given(problem=problems)
@TWENTY
def test_path_is_the_definition_after_every_addition(criterion: str, problem: Problem) -> None:
    chosen = problem.select(criterion, MAX_BASIS)
    assert len(chosen.indices) == MAX_BASIS
    expected = brute_path(criterion, problem, problem.rows.X, chosen.indices)
    np.testing.assert_allclose(chosen.path, expected, rtol=1e-8)


@pytest.mark.parametrize("criterion", GUIDED)
@given(problem=problems)
@TWENTY
def test_each_choice_is_the_best_of_all_rows(criterion: str, problem: Problem) -> None:
    X = problem.rows.X
    chosen = problem.select(criterion, MAX_BASIS).indices.tolist()
    for m, j in [*enumerate(chosen)][::2]:  # every other step: scores by brute force are slow
        offered = np.setdiff1d(np.arange(len(X)), chosen[:m])
        scores = brute_scores(criterion, problem, X, chosen[:m], offered)
        mine = scores[np.flatnonzero(offered == j)[0]]
        assert mine <= scores.min() + 1e-9 * max(1.0, np.abs(scores).max())


@pytest.mark.parametrize("criterion", WITHOUT_TARGETS)
@pytest.mark.parametrize("n_fresh", [0, 4])
@given(problem=problems)
@cases(10)
def test_path_for_candidates_that_are_no_training_rows(
    criterion: str, n_fresh: int, problem: Problem
) -> None:
    candidates = np.random.default_rng(problem.seed + 1).standard_normal((15, 2))
    chosen = problem.select(
        criterion, MAX_BASIS, candidates=candidates, n_fresh=n_fresh, cache_size=8
    )
    expected = brute_path(criterion, problem, candidates, chosen.indices)
    np.testing.assert_allclose(chosen.path, expected, rtol=1e-8)


@pytest.mark.parametrize("criterion", GUIDED)
@given(problem=problems, sizes=st.sampled_from([(4, 4), (4, 9), (1, 5), (3, 30)]))
@TWENTY
def test_cache_changes_nothing(criterion: str, problem: Problem, sizes: tuple[int, int]) -> None:
    """The same draws with every candidate computed from nothing at every step."""
    X = problem.rows.X
    mine = problem.select(criterion, MAX_BASIS, n_fresh=sizes[0], cache_size=sizes[1])
    working = WorkingSet(len(X), *sizes, np.random.default_rng(problem.seed))
    chosen: list[int] = []
    while len(chosen) < MAX_BASIS:
        scores = np.full(len(working.members), np.inf)
        offered = working.members[working.live]
        scores[working.live] = brute_scores(criterion, problem, X, chosen, offered)
        best = int(np.argmin(scores))
        chosen.append(int(working.members[best]))
        scores[best] = np.inf
        working.renew(scores)
    assert mine.indices.tolist() == chosen
    np.testing.assert_allclose(mine.path, brute_path(criterion, problem, X, mine.indices), 1e-8)


@pytest.mark.parametrize("criterion", ["matching_pursuit", "log_posterior", "marginal_likelihood"])
@given(problem=problems)
@TWENTY
def test_both_engines_agree(criterion: str, problem: Problem) -> None:
    rows, variance = problem.rows, problem.variance
    rng = np.random.default_rng(0)
    working = WorkingSet(len(rows), 0, len(rows) // 2 + 1, rng)
    in_gram, in_samples = (Path(8, stop=False) for _ in range(2))
    given_problem = (criterion, problem.kernel, rows)
    select_in_gram(*given_problem, rows.X, working.members, variance, in_gram)
    select_in_samples(*given_problem, None, variance, 8, working, in_samples)
    a, b = in_gram.selection(), in_samples.selection()
    assert a.indices.tolist() == b.indices.tolist()
    np.testing.assert_allclose(a.path, b.path, rtol=1e-9)


def test_rows_of_little_weight_are_left_out_whole() -> None:
    problem = make_problem(3, n=20)
    weight = np.random.default_rng(0).uniform(0.1, 2.5, 20)
    rows = type(problem.rows)(problem.rows.X, problem.rows.y, weight)
    problem = Problem(problem.kernel, rows, problem.variance, 0)
    chosen = problem.select("loo_density", 5)
    Z = rows.X[chosen.indices]
    part = np.minimum(weight, 1.0)
    y, mean, v = oracle.left_out(problem.kernel, rows, Z, problem.variance, part)
    density = -0.5 * np.log(2 * np.pi * v) - 0.5 * (y - mean)[:, 0] ** 2 / v
    np.testing.assert_allclose(chosen.path[-1], -np.average(density, weights=weight), rtol=1e-9)
