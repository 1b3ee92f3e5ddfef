import numpy as np
import pytest

from sparsegp.kernels import RBF, Linear
from sparsegp.model.neighbours.search import NeighbourSearch


@pytest.mark.parametrize("n_columns", [2, 12])  # a tree, and brute force
def test_nearest_rows_by_brute_force(n_columns):
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((200, n_columns)), rng.standard_normal((7, n_columns))
    kernel = RBF(tuple(np.linspace(0.5, 2.0, n_columns)))
    found = NeighbourSearch(kernel, X).nearest(new, 5)
    np.testing.assert_array_equal(found, np.argsort(-kernel(new, X), axis=1)[:, :5])


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
