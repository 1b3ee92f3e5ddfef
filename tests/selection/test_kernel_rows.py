"""The cache of kernel rows: what it returns, what it computes, what it holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.model.approximation import DTC, FITC
from sparsegp.selection.kernel_rows import KernelRows
from tests.selection.problems import GUIDED, make_problem

N = 12


@given(st.lists(st.lists(st.integers(0, N - 1), min_size=1, unique=True)), st.integers(3, 15))
def test_rows_are_those_computed_and_the_last_are_not_computed_again(
    draws: list[list[int]], capacity: int
) -> None:
    K = np.random.default_rng(0).standard_normal((N, 4))
    cache, computed = KernelRows(N, 4, max_bytes=8 * 4 * capacity), list[int]()

    def compute(at: np.ndarray) -> np.ndarray:
        computed.extend(at.tolist())
        return K[at]

    for draw in draws:
        last, n_before = list(dict.fromkeys(computed[::-1]))[:capacity], len(computed)
        recent = [] if any(len(d) > capacity for d in draws) else last
        np.testing.assert_array_equal(cache.take(np.array(draw), compute), K[draw])
        assert not set(recent) & set(computed[n_before:])


def test_a_cache_of_few_rows_is_none() -> None:
    cache, calls = KernelRows(100, 4, max_bytes=8 * 4 * 10), []
    for _ in range(2):
        cache.take(np.arange(3), lambda at: calls.append(at) or np.zeros((3, 4)))
    assert len(calls) == 2


@pytest.mark.parametrize("rule", [DTC, FITC])
@pytest.mark.parametrize("criterion", GUIDED)
def test_it_changes_no_choice_and_saves_kernel_values(
    criterion: str, rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem, counts = make_problem(2, n=90), []
    kernel = type(problem.kernel)
    evaluate = kernel.__call__

    def counted(self, X, Z):
        counts[-1] += len(X) * len(Z)
        return evaluate(self, X, Z)

    monkeypatch.setattr(kernel, "__call__", counted)
    found = []
    for size in (0, 8 * 90 * 40, 8 * 90 * 90):
        counts.append(0)
        options = {"n_fresh": 10, "cache_size": 15, "rule": rule, "cache_bytes": size}
        found.append(problem.select(criterion, 30, **options))
    assert all(np.array_equal(found[0].indices, other.indices) for other in found[1:])
    np.testing.assert_allclose(found[0].path, found[2].path, rtol=1e-9)
    if criterion != "information_gain":
        assert counts[0] > counts[1] > counts[2] >= 30 * 90
    else:
        assert counts[0] == counts[2]
