"""The first of each set of equal rows."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from sparsegp.arrays import first_of_equal_rows


@pytest.mark.parametrize("values", [2, 5, 1000])
def test_as_by_comparing_all_rows(values):
    X = np.random.default_rng(0).integers(0, values, (60, 2)).astype(float)
    first = [i for i in range(60) if not any(np.array_equal(X[i], X[j]) for j in range(i))]
    assert_array_equal(first_of_equal_rows(X), first)


def test_rows_with_the_same_sum_and_rows_whose_sum_overflows():
    X = np.array([[1e308, 1e308], [1e308, -1e308], [1e308, 1e308], [0.0, 1.0], [-0.0, 1.0]])
    assert_array_equal(first_of_equal_rows(X), [0, 1, 3])
