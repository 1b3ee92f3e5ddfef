"""Active-set selection on hostile tables, its limits and its options."""

import numpy as np
import pytest

from benchmarks.datasets import data_folder, load
from sparsegp.kernels import RBF, Constant, Linear
from sparsegp.likelihoods import Probit
from sparsegp.selection.active_set import SELECTIONS, ActiveSet
from tests.oracles import two_classes as oracle
from tests.selection.active_sets import (
    every_selection,
    every_site,
    select,
    select_columns,
)


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
