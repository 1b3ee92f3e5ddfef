"""Sums do not depend on parts and order, and have all their digits."""

from functools import reduce
from math import fsum
from operator import add

import numpy as np
import pytest

from sparsegp.tables.transforms.summation import ColumnSum, column_sums


@pytest.mark.parametrize("n", [1, 7, 128, 129, 1000, 4097, 100_003])
@pytest.mark.parametrize("n_columns", [1, 2, 7])
def test_any_parts_in_any_order_give_the_same_bits(n, n_columns):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n_columns)) ** 5
    whole = column_sums(A)
    for n_cuts in (1, 16, 40):
        parts = np.split(A, np.sort(rng.integers(0, n + 1, n_cuts)))
        rng.shuffle(parts)
        assert np.array_equal(reduce(add, map(ColumnSum.of, parts)).value, whole)


@pytest.mark.parametrize("offset", [0.0, 1e8, -1e300])
def test_a_sum_is_the_exact_one_rounded(offset):
    A = np.random.default_rng(0).normal(size=(3001, 3)) + offset
    A[::2] *= -1.0
    assert np.array_equal(column_sums(A), [fsum(column) for column in A.T])


def test_nothing_adds_up_to_zero():
    assert np.array_equal(column_sums(np.empty((0, 2))), [0.0, 0.0])
