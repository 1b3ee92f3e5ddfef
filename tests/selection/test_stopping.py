"""The automatic size."""

import numpy as np
import pytest

from sparsegp.selection import CRITERIA, HAS_TURNING_POINT
from sparsegp.selection.stopping import Path, patience
from tests.selection.problems import make_problem


def run(values: list[float], *, stop: bool = True, max_basis: int = 1000, **options) -> Path:
    path = Path(max_basis, stop=stop, **options)
    for index, value in enumerate(values):
        if path.ended:
            break
        path.add(index, value)
    return path


def test_a_small_rise_is_passed() -> None:
    values = [5.0, 3.0, 4.0, 4.5, 2.0] + [3.0] * 30
    path = run(values)
    assert len(path) == 5 + patience(15)
    assert path.selection().indices.tolist() == [0, 1, 2, 3, 4]
    assert path.selection().path.tolist() == values[:5]
    assert path.selection().full_path.tolist() == values[:15]


def test_large_bases_are_watched_longer() -> None:
    values = [-float(i) for i in range(300)] + [0.0] * 100
    path = run(values)
    assert len(path.selection().indices) == 300
    assert len(path) - 300 == patience(len(path)) > patience(0)


def test_a_full_basis_is_cut_back_too() -> None:
    assert len(run([3.0, 1.0, 2.0], max_basis=3).selection().indices) == 2


def test_without_the_rule_nothing_is_cut() -> None:
    path = run([1.0] + [2.0] * 40, stop=False)
    assert len(path.selection().indices) == 41
    assert np.array_equal(path.selection().path, path.selection().full_path)


def test_a_given_patience() -> None:
    values = [5.0, 3.0, 4.0, 4.5, 2.0] + [3.0] * 30
    assert run(values, patience=2).selection().full_path.tolist() == values[:4]
    assert len(run(values, patience=1)) == 3
    assert len(run(values, patience=3)) == 5 + 3
    assert len(run(values, patience=3).selection().indices) == 5


def test_observed_additions_may_stay() -> None:
    values = [5.0, 3.0, 4.0, 4.5, 2.0] + [3.0] * 30
    kept = run(values, patience=3, cut_back=False).selection()
    assert len(kept.indices) == 8
    assert kept.path.tolist() == kept.full_path.tolist() == values[:8]


def test_progress_is_told() -> None:
    told: list[tuple[int, float]] = []
    path = Path(2, stop=False, progress=lambda size, value: told.append((size, value)))
    path.add(7, 0.5)
    path.add(3, 0.25)
    assert told == [(1, 0.5), (2, 0.25)]


@pytest.mark.parametrize("n_fresh", [0, 5])
@pytest.mark.parametrize("criterion", sorted(HAS_TURNING_POINT))
def test_the_best_prefix_of_the_whole_curve(criterion: str, n_fresh: int) -> None:
    problem = make_problem(1, n=120, noise=1.0)
    options = {"n_fresh": n_fresh, "cache_size": 120 if not n_fresh else 20}
    whole = problem.select(criterion, 100, **options)
    cut = problem.select(criterion, 100, stop=True, **options)
    assert len(cut.indices) == np.argmin(cut.full_path) + 1 < len(cut.full_path) < 100
    assert np.array_equal(cut.indices, whole.indices[: len(cut.indices)])
    assert np.array_equal(cut.full_path, whole.path[: len(cut.full_path)])
    assert np.array_equal(cut.path, cut.full_path[: len(cut.indices)])


@pytest.mark.parametrize("criterion", sorted(set(CRITERIA) - HAS_TURNING_POINT))
def test_measures_without_a_turning_point_fill_the_basis(criterion: str) -> None:
    assert len(make_problem(1, n=60, noise=1.0).select(criterion, 25, stop=True).indices) == 25
