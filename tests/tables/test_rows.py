import numpy as np
import pytest

from sparsegp.tables.rows import Rows, block_size


def table(n=7, weighted=True):
    X = np.arange(2.0 * n).reshape(n, 2)
    return Rows(X, X[:, :1] ** 2, np.arange(1.0, n + 1) if weighted else None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_blocks_put_together_are_the_table(size, weighted):
    rows = table(weighted=weighted)
    blocks = list(rows.blocks(size))
    assert max(map(len, blocks)) <= size
    np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), rows.X)
    np.testing.assert_array_equal(np.concatenate([block.y for block in blocks]), rows.y)
    if weighted:
        weights = np.concatenate([block.weight for block in blocks])
        np.testing.assert_array_equal(weights, rows.weight)
    else:
        assert all(block.weight is None for block in blocks)


def test_total_weight_counts_rows_where_there_are_no_weights():
    assert table(7, weighted=False).total_weight == 7.0
    assert table(7).total_weight == 28.0


def test_take_keeps_rows_together():
    taken = table().take([5, 0, 5])
    np.testing.assert_array_equal(taken.X[:, 0], [10.0, 0.0, 10.0])
    np.testing.assert_array_equal(taken.y[:, 0], taken.X[:, 0] ** 2)
    np.testing.assert_array_equal(taken.weight, [6.0, 1.0, 6.0])


@pytest.mark.parametrize("width", [1, 100, 1_000, 10_000, 10**6])
def test_a_block_is_bounded_and_never_tiny(width):
    size = block_size(width)
    assert size >= 256
    assert size == 256 or 8 * size * width <= 8 * 2**20
