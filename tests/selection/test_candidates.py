"""The working set."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.selection.candidates import WorkingSet


def make(n: int, n_fresh: int, cache_size: int, **options) -> WorkingSet:
    return WorkingSet(n, n_fresh, cache_size, np.random.default_rng(0), **options)


def test_first_members() -> None:
    """All in order if there is room; else the pool first, cut or filled up by random ones."""
    assert make(5, 0, 9).members.tolist() == [0, 1, 2, 3, 4]
    assert make(20, 0, 2, pool=np.array([7, 3, 9])).members.tolist() == [7, 3]
    working = make(20, 2, 6, pool=np.array([7, 3]))
    assert working.members[:2].tolist() == [7, 3]
    assert len(set(working.members.tolist())) == 6


def test_the_worst_make_room_for_fresh_ones() -> None:
    working = make(30, 3, 6)
    before = working.members.copy()
    scores = np.array([5.0, np.inf, 1.0, 9.0, 2.0, 7.0])  # the one in place 1 was chosen
    places = working.renew(scores)
    assert places.tolist() == [1, 3, 5]
    assert np.array_equal(working.members[[0, 2, 4]], before[[0, 2, 4]])
    assert not set(working.members[places]) & set(before)


def test_a_fixed_pool_only_shrinks() -> None:
    working = make(30, 0, 4)
    assert len(working.renew(np.array([0.0, np.inf, 1.0, 2.0]))) == 0
    assert working.live.tolist() == [True, False, True, True]


def test_retired_candidates_never_return() -> None:
    working = make(12, 4, 4)
    useless = np.arange(12) % 2 == 0
    working.retire(useless)
    for _ in range(5):
        assert not useless[working.members[working.live]].any()
        working.renew(np.where(working.live, 1.0, np.inf))


@given(st.integers(1, 30), st.integers(0, 6), st.integers(1, 12), st.integers(0, 99))
def test_nobody_is_offered_twice_and_all_are_used(
    n: int, n_fresh: int, cache_size: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    working = WorkingSet(n, n_fresh, cache_size, rng)
    chosen: list[int] = []
    while working.live.any():
        members = working.members[working.live]
        assert len(set(members.tolist())) == len(members)
        assert not set(members.tolist()) & set(chosen)
        scores = np.where(working.live, rng.standard_normal(len(working.live)), np.inf)
        best = int(np.argmin(scores))
        chosen.append(int(working.members[best]))
        scores[best] = np.inf
        working.renew(scores)
    assert len(chosen) == (n if n_fresh else min(n, cache_size))
