"""The seconds of a pass, by one that was timed."""

import numpy as np
import pytest

from sparsegp.learning.budget.pass_cost import PassCost, largest, time_exact_evidence, time_pass
from sparsegp.learning.budget.policy import (
    BREAK_EVEN_BASIS,
    ROWS_OF_FACTORISATION,
    TIMED_BASIS,
    TIMED_ROWS,
)
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.tables.rows import Rows
from tests.learning.clocks import Clock

ROWS = Rows(np.zeros((5000, 1)), np.zeros((5000, 1)))


def naive_work(n: int, m: int, even: int) -> float:
    """Products, values, and both of the rows that factorisations are worth."""
    rows = n + ROWS_OF_FACTORISATION * m
    return rows * m * m + rows * m * even


def timed(rows: Rows, most: int, even: int = BREAK_EVEN_BASIS) -> tuple[PassCost, list]:
    clock, sizes = Clock(), []

    def work(used: Rows, m: int) -> None:
        sizes.append((len(used), m))
        clock.now += 1e-11 * naive_work(len(used), m, even)

    return time_pass(work, rows, most, TimeBudget(100.0, clock), even), sizes


@pytest.mark.parametrize("even", [BREAK_EVEN_BASIS, 256])
def test_a_pass_tells_the_seconds_of_others(even):
    cost, sizes = timed(ROWS, 5000, even)
    assert sizes == 2 * [(TIMED_ROWS, TIMED_BASIS)]
    for n, m in ((36_000, 20), (36_000, 1500), (64, 500)):
        assert cost.seconds(n, m) == pytest.approx(1e-11 * naive_work(n, m, even))


@pytest.mark.parametrize("hiccups", [(0.5, 0.0), (0.0, 0.5)])
def test_a_hiccup_is_not_the_pace_of_the_machine(hiccups):
    clock, more = Clock(), iter(hiccups)

    def work(used: Rows, m: int) -> None:
        clock.now += 0.1 + next(more)

    cost = time_pass(work, ROWS, 5000, TimeBudget(9.0, clock))
    assert cost.seconds(TIMED_ROWS, TIMED_BASIS) == pytest.approx(0.1)


def test_a_small_table_is_timed_as_it_is():
    _, sizes = timed(ROWS[:60], 20)
    assert sizes == 2 * [(60, 20)]


def test_without_a_timed_pass_nothing_takes_time():
    assert PassCost().seconds(10**6, 1000) == 0.0


def test_an_exact_evidence_is_timed_twice():
    clock, evaluated = Clock(), []

    def evaluate():
        evaluated.append(1)
        clock.now += 0.5 if len(evaluated) > 1 else 2.0

    seconds = time_exact_evidence(evaluate, 250, TimeBudget(9.0, clock), exponent=2.0)
    assert (seconds(250), seconds(500)) == (0.5, 2.0)
    assert len(evaluated) == 2


def test_largest_never_goes_below_the_least():
    assert largest(10, float, 3.5) == 3
    assert largest(10, float, -1.0, least=4) == 4
    assert largest(3, float, -1.0, least=4) == 3
    assert largest(10, lambda m: np.nan, np.inf) == 10
