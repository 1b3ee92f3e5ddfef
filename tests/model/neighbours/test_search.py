import numpy as np
import pytest

from sparsegp.kernels import RBF, Linear
from sparsegp.model.neighbours import search
from sparsegp.model.neighbours.search import NeighbourSearch
from tests.array_libraries import on_device


@pytest.mark.parametrize("rows_of_brute_force", [10, 1000])  # a tree, and brute force
@pytest.mark.parametrize("n_columns", [2, 12])
def test_nearest_rows_by_brute_force(n_columns, rows_of_brute_force, monkeypatch):
    monkeypatch.setattr(search, "MOST_ROWS_OF_BRUTE_FORCE", rows_of_brute_force)
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((200, n_columns)), rng.standard_normal((7, n_columns))
    kernel = RBF(tuple(np.linspace(0.5, 2.0, n_columns)))
    found = NeighbourSearch(kernel, X).nearest(new, 5)
    np.testing.assert_array_equal(found, np.argsort(-kernel(new, X), axis=1)[:, :5])


@pytest.mark.parametrize("n_columns", [2, 12])
def test_a_device_finds_the_rows_of_the_host(n_columns, monkeypatch):
    monkeypatch.setattr("sparsegp.model.neighbours.device_search.DISTANCES_ON_DEVICE", 900)
    rng = np.random.default_rng(1)
    X, new = rng.standard_normal((300, n_columns)), rng.standard_normal((20, n_columns))
    kernel = RBF(tuple(np.linspace(0.5, 2.0, n_columns)))
    expected = NeighbourSearch(kernel, X).nearest(new, 7)
    there = NeighbourSearch(kernel, on_device(X))
    np.testing.assert_array_equal(there.nearest(on_device(new), 7), expected)
    assert "_tree" not in vars(there)  # nothing was left to the host


def test_rows_equally_far_are_left_to_the_host():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 4, (200, 2)).astype(float)  # most rows have copies
    own = np.arange(200)
    here, there = NeighbourSearch(RBF(), X), NeighbourSearch(RBF(), on_device(X))
    np.testing.assert_array_equal(
        np.sort(there.nearest_others(on_device(X), own, 5)), np.sort(here.nearest_others(X, own, 5))
    )
    assert there.nearest(on_device(X), 300).shape == (200, 200)


def test_of_many_rows_a_device_takes_any_of_those_equally_far(monkeypatch):
    monkeypatch.setattr(search, "MOST_ROWS_OF_TIES_ON_HOST", 100)
    rng = np.random.default_rng(2)
    X, own = rng.integers(0, 4, (200, 2)).astype(float), np.arange(200)
    here, there = NeighbourSearch(RBF(), X), NeighbourSearch(RBF(), on_device(X))

    def distances(found):
        return np.sort(np.sum((X[found] - X[:, None]) ** 2, axis=2), axis=1)

    found = there.nearest_others(on_device(X), own, 5)
    np.testing.assert_array_equal(distances(found), distances(here.nearest_others(X, own, 5)))
    assert not np.any(found == own[:, None])
    assert "_tree" not in vars(there)


def test_a_row_is_never_its_own_neighbour():
    X = np.repeat(np.arange(6.0), 4)[:, None]  # four copies of each row
    own = np.arange(24)
    found = NeighbourSearch(RBF(), X).nearest_others(X, own, 3)
    assert found.shape == (24, 3)
    assert not np.any(found == own[:, None])
    np.testing.assert_array_equal(X[found][:, :, 0], np.tile(X, 3))


def test_fewer_rows_than_neighbours():
    X = np.arange(3.0)[:, None]
    search = NeighbourSearch(RBF(), X)
    assert search.nearest(X, 10).shape == (3, 3)
    assert search.nearest_others(X, np.arange(3), 10).shape == (3, 2)


def test_a_kernel_without_a_metric_takes_any_rows():
    X = np.arange(5.0)[:, None]
    assert NeighbourSearch(Linear(), X).nearest(X, 2).shape == (5, 2)
