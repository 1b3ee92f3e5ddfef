import numpy as np

from sparsegp.learning.hyperparameters import policy
from sparsegp.learning.hyperparameters.search_rows import rows_of_search, rows_of_subsets
from sparsegp.tables.rows import Rows
from tests.array_libraries import on_device


def test_cheap_searches_run_on_the_host():
    rows = Rows(on_device(np.zeros((20, 2))), on_device(np.ones((20, 1))), on_device(np.ones(20)))
    assert rows_of_search(rows, 10).on_host
    assert rows_of_search(rows, 10).weight.sum() == 20.0
    assert not rows_of_search(rows, int((policy.MAX_GRAM_ON_HOST / 20) ** 0.5) + 1).on_host
    many = policy.MAX_ROWS_ON_HOST + 1
    assert rows_of_subsets(rows, 20, short=False).on_host
    assert rows_of_subsets(rows, many, short=True).on_host
    assert not rows_of_subsets(rows, many, short=False).on_host


def test_rows_of_the_host_stay_as_they_are():
    rows = Rows(np.zeros((20, 2)), np.ones((20, 1)))
    assert rows_of_search(rows, 10) is rows
    assert rows.to_host() is rows
