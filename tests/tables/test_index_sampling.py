import tracemalloc

import numpy as np
import pytest

from sparsegp.tables.index_sampling import MOST_PERMUTED, ComplementIndex, draw


def test_a_draw_from_few_rows_is_the_begin_of_a_permutation():
    drawn = draw(1000, 7, np.random.default_rng(3))
    assert drawn.tolist() == np.random.default_rng(3).permutation(1000)[:7].tolist()
    assert sorted(draw(5, 9, np.random.default_rng(0))) == [0, 1, 2, 3, 4]


def test_a_draw_from_many_rows_is_of_different_numbers_and_takes_no_list_of_all():
    tracemalloc.start()
    drawn = draw(100 * MOST_PERMUTED, 10_000, np.random.default_rng(0))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(np.unique(drawn)) == 10_000
    assert drawn.min() >= 0
    assert 90 * MOST_PERMUTED < drawn.max() < 100 * MOST_PERMUTED
    assert most < 2_000_000


@pytest.mark.parametrize("n_left_out", [0, 1, 5, 40])
def test_all_but_some_are_the_others_in_order(n_left_out):
    left_out = np.random.default_rng(n_left_out).permutation(40)[:n_left_out]
    numbers = ComplementIndex(40, left_out)
    others = np.setdiff1d(np.arange(40), left_out)
    assert len(numbers) == len(others)
    assert np.asarray(numbers).tolist() == others.tolist()
    some = np.arange(len(others))[::-3]
    assert numbers[some].tolist() == others[some].tolist()
