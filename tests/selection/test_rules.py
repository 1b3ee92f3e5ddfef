"""Leave-one-out selection for SoR and FITC models against brute force (SKS section 3.3)."""

import numpy as np
import pytest
from hypothesis import given

from sparsegp.model.approximation import APPROXIMATIONS, DTC, FITC, SOR, VFE
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.measures import LOO_MEASURES, loo_measure
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import solve_posterior
from sparsegp.selection import row_noise
from tests.oracles.left_out_rows import measure
from tests.property_settings import cases
from tests.selection.problems import Problem, make_problem, problems

SIZE = 4
ONE_RULE = pytest.mark.parametrize("rule", ["sor", "dtc", "fitc", "vfe"])


def oracle(criterion: str, rule: str, problem: Problem, Z: np.ndarray) -> float:
    return measure(criterion, rule, problem.kernel, problem.rows, Z, problem.variance)


@ONE_RULE
@pytest.mark.parametrize("criterion", LOO_MEASURES)
@given(problem=problems)
@cases(8)
def test_the_path_is_the_measure_of_the_model(criterion: str, rule: str, problem: Problem) -> None:
    chosen = problem.select(criterion, SIZE, rule=APPROXIMATIONS[rule], n_fresh=5, cache_size=8)
    X = problem.rows.X
    expected = [oracle(criterion, rule, problem, X[chosen.indices[: m + 1]]) for m in range(SIZE)]
    np.testing.assert_allclose(chosen.path, expected, rtol=1e-8)


@pytest.mark.parametrize("rule", ["sor", "fitc"])
@pytest.mark.parametrize("criterion", LOO_MEASURES)
@pytest.mark.parametrize("seed", range(2))
def test_each_choice_is_the_best_of_all_rows(
    criterion: str, rule: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_noise, "SHORTLIST", 100)
    problem = make_problem(seed, n=16, n_outputs=2, weighted=True)
    X = problem.rows.X
    chosen = problem.select(criterion, SIZE, rule=APPROXIMATIONS[rule]).indices.tolist()
    for m, j in enumerate(chosen):
        scores = {
            i: oracle(criterion, rule, problem, X[[*chosen[:m], i]])
            for i in range(len(X))
            if i not in chosen[:m]
        }
        assert scores[j] <= min(scores.values()) + 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_a_shortlist_is_nearly_as_good_as_all(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = make_problem(seed, n=60)
    short = problem.select("loo_density", 8, rule=FITC).path
    monkeypatch.setattr(row_noise, "SHORTLIST", 1000)
    best = problem.select("loo_density", 8, rule=FITC).path
    assert short[-1] - best[-1] < 0.1 * (best[0] - best[-1])


@pytest.mark.parametrize("criterion", LOO_MEASURES)
def test_candidates_that_are_no_rows(criterion: str) -> None:
    problem = make_problem(4, n=25)
    candidates = np.random.default_rng(1).standard_normal((12, 2))
    chosen = problem.select(criterion, SIZE, candidates=candidates, rule=FITC)
    Z = candidates[chosen.indices]
    np.testing.assert_allclose(chosen.path[-1], oracle(criterion, "fitc", problem, Z), rtol=1e-8)


def test_the_rules_choose_differently_where_they_should() -> None:
    """SoR has no residual variance to lower, so its measures rise early and choose otherwise."""
    problem = make_problem(5, n=80)
    paths = {
        rule.name: problem.select("loo_density", 10, rule=rule).path
        for rule in (SOR, DTC, FITC, VFE)
    }
    assert np.array_equal(paths["dtc"], paths["vfe"])
    assert paths["sor"][0] > paths["dtc"][0] != paths["fitc"][0]


@ONE_RULE
@pytest.mark.parametrize("criterion", LOO_MEASURES)
def test_the_path_ends_at_the_measure_of_the_posterior(criterion: str, rule: str) -> None:
    problem, given_rule = make_problem(6, n=200), APPROXIMATIONS[rule]
    chosen = problem.select(criterion, 20, rule=given_rule, n_fresh=20, cache_size=40)
    basis = make_basis(problem.kernel, problem.rows.X[chosen.indices])
    moments = collect_moments(basis, problem.rows, problem.variance, given_rule)
    posterior = solve_posterior(basis, moments, given_rule)
    left_out = leave_one_out(posterior, problem.rows, problem.variance)
    value = loo_measure(criterion, left_out, problem.variance)
    np.testing.assert_allclose(chosen.path[-1], value, rtol=1e-8)
