"""Which rows select the basis: the choices and their values against brute force."""

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.basis import policy
from sparsegp.learning.basis import select as module
from sparsegp.learning.basis.select import rows_for_selection
from sparsegp.selection import CRITERIA
from sparsegp.tables.rows import Rows
from tests.oracles import selection as oracle
from tests.plain import plain_regressor

IN_SUMS = ("log_posterior", "matching_pursuit", "marginal_likelihood")
GIVEN = {"optimizer": None, "calibrate": False, "transform_X": "none", "transform_y": "none"}
KERNEL, NOISE, SIZE = RBF([0.8, 0.8]), 0.05, 5


@pytest.fixture
def few_rows_are_enough(monkeypatch):
    """A cap of 20 rows for a fixed pool, so that small tables have one."""
    monkeypatch.setattr(policy, "MIN_ROWS_FOR_SELECTION", 20)
    monkeypatch.setattr(policy, "ROWS_PER_CANDIDATE", 0)


def table(n=70):
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + rng.normal(scale=0.2, size=n)


def fitted(X, y, **options):
    settings = GIVEN | {"max_basis": SIZE, "stop": None, "random_state": 0} | options
    return plain_regressor(KERNEL, noise_variance=NOISE, **settings).fit(X, y)


def brute_force(criterion, X, y):
    """Choose the best of all rows by all rows, one at a time."""
    problem = criterion, KERNEL, Rows(X, y[:, None]), X
    chosen = []
    while len(chosen) < SIZE:
        others = np.setdiff1d(np.arange(len(X)), chosen)
        scores = [oracle.score(*problem, chosen, int(j), NOISE) for j in others]
        chosen.append(int(others[np.argmin(scores)]))
    return chosen, [oracle.path_value(*problem, chosen[: m + 1], NOISE) for m in range(SIZE)]


@pytest.mark.usefixtures("few_rows_are_enough")
@pytest.mark.parametrize("criterion", IN_SUMS)
def test_all_rows_choose_when_asked(criterion):
    X, y = table()
    chosen, path = brute_force(criterion, X, y)
    asked = fitted(X, y, selection=criterion, n_rows_selection="all")
    fresh = fitted(X, y, selection=criterion, n_candidates=70)
    for model in (asked, fresh):
        assert model.basis_indices_.tolist() == chosen
        np.testing.assert_allclose(model.selection_path_, path, rtol=1e-8)


@pytest.mark.usefixtures("few_rows_are_enough")
@pytest.mark.parametrize("criterion", [*IN_SUMS, "loo_density"])
def test_a_number_of_rows(criterion):
    """The value on the path tells how many rows chose: the evidence is a sum over them."""
    X, y = table()
    values = {
        asked: fitted(X, y, selection=criterion, n_rows_selection=asked).selection_path_[-1]
        for asked in ("auto", "all", 20, 50, 1000)
    }
    assert values["all"] == values[1000]
    assert len({values[20], values[50], values["all"]}) == 3
    assert values["auto"] == (values["all"] if criterion == "loo_density" else values[20])


@pytest.mark.parametrize("criterion", sorted(set(CRITERIA) - {"random"}))
def test_with_fresh_candidates_the_rows_asked_for_reach_every_criterion(criterion, monkeypatch):
    monkeypatch.setattr(policy, "ROWS_FOR_SELECTION", 30)
    monkeypatch.setattr(policy, "MIN_ROWS_FOR_SELECTION", 20)
    seen, select = [], module.select_basis

    def watched(selection, kernel, rows, *others, **options):
        seen.append(len(rows))
        return select(selection, kernel, rows, *others, **options)

    monkeypatch.setattr(module, "select_basis", watched)
    asked = ("auto", "all") if criterion == "information_gain" else ("auto", "all", 50)
    for n_rows in asked:
        fitted(*table(), selection=criterion, n_candidates=10, n_rows_selection=n_rows)
    assert seen == [70, 70, 50][: len(asked)]


def test_number_of_rows():
    assert rows_for_selection(50_000, "log_posterior", 100) == 2_000
    for asked in ({"n_fresh": 59}, {"asked": "all"}):
        assert rows_for_selection(50_000, "log_posterior", 100, **asked) == 50_000
    for criterion in ("matching_pursuit", "loo_error"):
        assert rows_for_selection(50_000, criterion, 100, n_fresh=59, asked=300) == 300
    assert rows_for_selection(100, "log_posterior", 100, asked=300) == 100


def test_out_of_core_rows_are_as_many_as_fit(tmp_path):
    X, y = table(3000)
    rows = np.memmap(tmp_path / "X", dtype=float, mode="w+", shape=X.shape)
    rows[:] = X
    settings = {"n_rows_selection": "all", "max_basis": 5, "cache_size": 10, "n_neighbors": 0}
    whole = fitted(rows, y, **settings)
    assert whole.basis_indices_.tolist() == fitted(X, y, **settings).basis_indices_.tolist()


@pytest.mark.parametrize("bad", [0, -1, 2.5, True, "some", None])
def test_what_is_refused(bad):
    with pytest.raises(ValueError, match="n_rows_selection must be"):
        fitted(*table(20), n_rows_selection=bad)


def test_the_information_gain_compares_all_rows():
    with pytest.raises(ValueError, match=r"information_gain.*n_rows_selection"):
        fitted(*table(20), selection="information_gain", n_rows_selection=10)
