"""Sums of parts are, to the last bit, NumPy's sums of the whole."""

import numpy as np
import pytest

from sparsegp.data.summation import ColumnSum


@pytest.mark.parametrize("n", [1, 7, 128, 129, 1000, 4097, 100_003])
@pytest.mark.parametrize("n_columns", [1, 2, 7])
def test_any_parts_give_the_same_bits(n, n_columns):
    rng = np.random.default_rng(n)
    A = rng.normal(size=(n, n_columns)) ** 5
    for n_cuts in (0, 1, 16, 40):
        total = ColumnSum(n)
        for part in np.split(A, np.sort(rng.integers(0, n + 1, n_cuts))):
            total = total.plus(part)
        assert np.array_equal(total.value, np.sum(A, axis=0))


def test_a_sum_is_never_changed():
    """A task that is done again after a failure must find what it found the first time."""
    A = np.random.default_rng(0).normal(size=(1000, 1))
    begun = ColumnSum(1000).plus(A[:333])
    first, second = begun.plus(A[333:]).value, begun.plus(A[333:]).value
    assert np.array_equal(first, second)
