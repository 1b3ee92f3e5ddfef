"""Orders of rows of which every beginning is spread over values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.tables.policy import MOST_STRATA_BITS
from sparsegp.tables.stratified_order import stratified_order


@given(
    values=st.lists(st.sampled_from([0.0, 1.0, 2.5, -3.0, 1e9]), max_size=80),
    seed=st.integers(0, 1000),
)
def test_each_position_comes_once(values: list[float], seed: int) -> None:
    order = stratified_order(np.array(values), np.random.default_rng(seed))
    assert sorted(order.tolist()) == list(range(len(values)))


@given(
    n=st.integers(64, 3000),
    k=st.integers(0, 6),
    seed=st.integers(0, 1000),
)
def test_a_beginning_has_one_of_each_part(n: int, k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.permutation(n).astype(float)  # their own ranks
    first = stratified_order(values, rng)[: 2**k]
    bits = min(MOST_STRATA_BITS, n.bit_length() - 1)
    cells = ((values[first].astype(int) << bits) // n) >> (bits - k)
    assert len(set(cells.tolist())) == 2**k


def test_a_rare_group_has_its_share_of_any_beginning() -> None:
    rng = np.random.default_rng(0)
    values = np.where(rng.random(4500) < 0.04, 0.0, rng.normal(90.0, 5.0, 4500))
    share = np.mean(values == 0.0)
    for seed in range(20):
        order = stratified_order(values, np.random.default_rng(seed))
        for n in (100, 125, 177, 250, 400):
            assert abs(np.count_nonzero(values[order[:n]] == 0.0) - share * n) < 2.5


@pytest.mark.parametrize("n", [100, 5000])
def test_every_row_is_as_likely_to_come_first(n: int) -> None:
    values = np.arange(float(n))
    first = np.array([stratified_order(values, np.random.default_rng(k))[:10] for k in range(400)])
    counts = np.bincount((first.ravel() * 10) // n, minlength=10)  # tenths of the rows
    assert np.all(np.abs(counts - 400) < 4 * np.sqrt(400))
    # and the order of rows in a cell is not that of their values
    assert len(np.unique(first)) > min(n, 2000) * 0.8
