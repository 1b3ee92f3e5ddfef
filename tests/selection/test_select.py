"""What holds for every criterion: duplicates, early end, determinism, nesting."""

import os
from pathlib import Path

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.model.approximation import DTC
from sparsegp.model.evidence import log_evidence
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import prefix_evidences, solve_posterior
from sparsegp.selection import CRITERIA
from sparsegp.tables.rows import Rows
from tests.oracles import selection as oracle
from tests.selection.problems import GUIDED, Problem, make_problem

DATA = Path(os.environ.get("SPARSEGP_DATA", Path(__file__).parents[3] / "shared" / "data"))
SETTINGS = [{}, {"n_fresh": 4, "cache_size": 4}, {"n_fresh": 4, "cache_size": 10}]


def three_times(problem: Problem) -> Problem:
    rows = problem.rows
    X, y = np.tile(rows.X, (3, 1)), np.tile(rows.y, (3, 1))
    return Problem(RBF([0.2, 0.2]), Rows(X, y), problem.variance, problem.seed)


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_duplicates_are_never_chosen_and_the_end_is_early(criterion: str, options: dict) -> None:
    problem = three_times(make_problem(0, n=12))
    chosen = problem.select(criterion, 30, **options)
    assert sorted(chosen.indices % 12) == list(range(12))
    assert len(chosen.path) == 12
    assert np.isfinite(chosen.path).all()


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("criterion", GUIDED)
def test_a_smooth_kernel_ends_before_rounding_takes_over(criterion: str, options: dict) -> None:
    problem = make_problem(2, n=40, noise=1e-6)
    smooth = Problem(RBF([30.0, 30.0]), problem.rows, problem.variance, 0)
    chosen = smooth.select(criterion, 40, **options)
    assert 3 <= len(chosen.indices) < 40
    assert len(set(chosen.indices.tolist())) == len(chosen.indices)
    assert np.isfinite(chosen.path).all()


@pytest.mark.parametrize("options", SETTINGS)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_same_generator_same_selection(criterion: str, options: dict) -> None:
    problem = make_problem(5, n=50, n_outputs=2, weighted=True)
    a, b = (problem.select(criterion, 15, **options) for _ in range(2))
    assert np.array_equal(a.indices, b.indices)
    np.testing.assert_allclose(a.path, b.path, rtol=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_smaller_bases_are_prefixes_of_larger_ones(criterion: str) -> None:
    problem = make_problem(6, n=300)
    small, large = (problem.select(criterion, m) for m in (20, 250))
    n = min(20, len(large.indices))
    assert np.array_equal(small.indices[:n], large.indices[:n])


@pytest.mark.parametrize("criterion", ["log_posterior", "marginal_likelihood"])
def test_values_stay_true_over_several_panels(criterion: str) -> None:
    problem = make_problem(7, n=400, noise=0.3)
    kernel = RBF([0.05, 0.05])
    chosen = Problem(kernel, problem.rows, 0.3, 0).select(criterion, 300)
    for m in (1, 127, 128, 129, 200, 300):
        Z = problem.rows.X[chosen.indices[:m]]
        expected = oracle.MEASURES[criterion](kernel, problem.rows, Z, 0.3)
        np.testing.assert_allclose(chosen.path[m - 1], expected, rtol=1e-8)


@pytest.mark.parametrize("n_fresh", [0, 20])
@pytest.mark.parametrize("criterion", ["log_posterior", "marginal_likelihood", "matching_pursuit"])
def test_values_stay_true_where_sums_over_rows_lose_their_digits(
    criterion: str, n_fresh: int
) -> None:
    """A smooth kernel and little noise: S has a condition number far above 10¹⁶."""
    X = np.random.default_rng(0).uniform(-1.0, 1.0, (1500, 3))
    rows, variance = Rows(X, np.sin(3.0 * X.sum(axis=1, keepdims=True))), 1e-4
    problem = Problem(1.0 * RBF([1.0, 1.0, 1.0]), rows, variance, 0)
    chosen = problem.select(criterion, 220, n_fresh=n_fresh, cache_size=400)
    assert len(chosen.indices) == 220
    basis = make_basis(problem.kernel, X[chosen.indices])
    moments = collect_moments(basis, rows, variance, DTC)
    if criterion == "marginal_likelihood":
        posterior = solve_posterior(basis, moments, DTC)
        expected = -prefix_evidences(posterior, moments, variance, DTC)
    else:  # π̃ = −½σ² tᵀB⁻¹t with t = ΦᵀWy/σ², B = I + ΦᵀWΦ/σ²
        L_B = np.linalg.cholesky(moments.gram + np.eye(220))
        expected = -0.5 * variance * np.cumsum(np.linalg.solve(L_B, moments.target)[:, 0] ** 2)
    assert np.abs(chosen.path - expected).max() < 1e-5 * np.ptp(expected)


def test_equals_are_taken_in_order() -> None:
    X = np.array([[-4.0], [4.0], [-12.0], [12.0]])
    problem = Problem(RBF(0.1), Rows(X, np.ones((4, 1))), 0.1, 0)
    for criterion in GUIDED:
        assert problem.select(criterion, 4).indices.tolist() == [0, 1, 2, 3]


def test_the_pool_seeds_the_working_set() -> None:
    problem = make_problem(8, n=50)
    pool = np.array([40, 11, 23, 5])
    for criterion in GUIDED:
        chosen = problem.select(criterion, 4, cache_size=4, pool=pool)
        assert sorted(chosen.indices) == sorted(pool)


def test_marginal_likelihood_is_the_evidence_of_the_model() -> None:
    problem = make_problem(10, n=50, n_outputs=2)
    rows = Rows(problem.rows.X, problem.rows.y, np.random.default_rng(0).uniform(0.2, 3.0, 50))
    chosen = Problem(problem.kernel, rows, 0.2, 0).select("marginal_likelihood", 8)
    basis = make_basis(problem.kernel, rows.X[chosen.indices])
    np.testing.assert_allclose(chosen.path[-1], -log_evidence(basis, rows, 0.2, DTC), rtol=1e-10)


def test_random_is_a_sample_without_replacement() -> None:
    chosen = make_problem(11, n=600).select("random", 20)
    assert len(set(chosen.indices.tolist())) == 20
    assert not chosen.path.any()


def test_what_is_refused() -> None:
    problem = make_problem(12)
    with pytest.raises(ValueError, match="must be one of random"):
        problem.select("entropy", 3)
    with pytest.raises(ValueError, match="needs training rows"):
        problem.select("information_gain", 3, candidates=problem.rows.X[:10])


def test_kin40k() -> None:
    file = DATA / "kin40k.parquet"
    if not file.exists():
        pytest.skip(f"no data set at {file.name}: set SPARSEGP_DATA")
    table = pytest.importorskip("pandas").read_parquet(file).to_numpy(dtype=float)[:1000]
    table = (table - table.mean(axis=0)) / table.std(axis=0)
    rows = Rows(np.ascontiguousarray(table[:, :-1]), table[:, -1:])
    problem = Problem(1.0 * RBF([2.0] * 8), rows, 0.05, 0)
    best, short = (problem.select("log_posterior", m) for m in (100, 40))
    assert np.array_equal(best.indices[:40], short.indices)
    by_chance = problem.select("random", 100).indices
    for m in (10, 40, 100):
        Z = rows.X[by_chance[:m]]
        assert best.path[m - 1] < oracle.log_posterior(problem.kernel, rows, Z, 0.05)
    cached = problem.select("matching_pursuit", 100, n_fresh=59, cache_size=100)
    assert best.path[-1] < cached.path[-1] < oracle.log_posterior(problem.kernel, rows, Z, 0.05)
