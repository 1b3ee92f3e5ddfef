"""Brute force in single precision against differences in double precision."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.model.neighbours import brute_search
from sparsegp.model.neighbours.brute_search import BruteSearch


def by_differences(C, Q, k):
    difference = Q.astype(float)[:, None, :] - C.astype(float)[None]
    return np.argsort(np.sum(difference**2, axis=2), axis=1, kind="stable")[:, :k]


@given(
    seed=st.integers(0, 1000),
    n=st.integers(1, 400),
    n_columns=st.integers(1, 12),
    k=st.integers(1, 12),
    shift=st.sampled_from([0.0, 1e3]),
    levels=st.sampled_from([0, 3]),
)
def test_the_nearest_rows_in_order(seed, n, n_columns, k, shift, levels):
    rng, k = np.random.default_rng(seed), min(k, n)
    C, Q = rng.standard_normal((n, n_columns)), rng.standard_normal((9, n_columns))
    if levels:  # many rows are equally far
        C, Q = np.round(C * levels), np.round(Q * levels)
    C, Q = (np.asarray(part + shift, dtype=np.float32) for part in (C, Q))
    np.testing.assert_array_equal(BruteSearch(C).nearest(Q, k), by_differences(C, Q, k))


def test_rows_far_from_all_others():
    rng = np.random.default_rng(3)
    C, Q = (rng.standard_normal((n, 4)).astype(np.float32) for n in (300, 6))
    C[7], Q[2], Q[3] = 1e17, -1e17, 1e17
    found = BruteSearch(C).nearest(Q, 5)
    near = np.array([0, 1, 4, 5])
    np.testing.assert_array_equal(found[near], by_differences(C, Q, 5)[near])
    assert found[3, 0] == 7


def test_blocks_give_the_same_rows(monkeypatch):
    rng = np.random.default_rng(4)
    C, Q = (rng.standard_normal((n, 5)).astype(np.float32) for n in (500, 40))
    expected = BruteSearch(C).nearest(Q, 8)
    monkeypatch.setattr(brute_search, "DISTANCES_OF_BLOCK", 1600)
    np.testing.assert_array_equal(BruteSearch(C).nearest(Q, 8), expected)
    assert BruteSearch(C).nearest(Q[:0], 8).shape == (0, 8)
