"""Sizes of a choice shrink together where time is short."""

from collections.abc import Callable

import pytest

from sparsegp.learning.budget.policy import ROWS_TO_TIME
from sparsegp.learning.budget.time_budget import UNLIMITED, TimeBudget
from sparsegp.learning.structure.policy import (
    MIN_EFFORT,
    MIN_SAMPLE,
    PLANNED_EVALUATIONS,
    PLANNED_SHORT_EVALUATIONS,
    TIME_EXPONENT,
)
from sparsegp.learning.structure.sample_sizes import sizes_within

SIZES = (500, 1000, 2000)


class Machine:
    """A clock that evaluations move on."""

    def __init__(self, seconds_of_500: float) -> None:
        self.now, self._seconds = 0.0, seconds_of_500

    def evaluation(self, n: int) -> Callable[[], None]:
        def evaluate() -> None:
            self.now += self._seconds * (n / 500) ** TIME_EXPONENT

        return evaluate

    def budget(self, limit: float) -> TimeBudget:
        return TimeBudget(limit, clock=lambda: self.now)


def test_without_a_limit_nobody_looks_at_the_clock() -> None:
    def refuse(n: int) -> Callable[[], object]:
        raise AssertionError(n)

    assert sizes_within(SIZES, refuse, UNLIMITED) == (SIZES, 1.0)


@pytest.mark.parametrize("seconds", [0.001, 0.01, 0.1])
def test_with_time_enough_the_sizes_stay(seconds: float) -> None:
    machine = Machine(seconds)
    budget = machine.budget(1.1 * PLANNED_EVALUATIONS * seconds)
    assert sizes_within(SIZES, machine.evaluation, budget) == (SIZES, 1.0)
    assert not budget.cuts


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_the_largest_sizes_that_fit_are_taken_in_the_same_proportion(share: float) -> None:
    machine = Machine(0.01)
    budget = machine.budget(share * PLANNED_SHORT_EVALUATIONS * 0.01)
    (few, more, most), effort = sizes_within(SIZES, machine.evaluation, budget)
    left = budget.left()

    def seconds(n: int) -> float:
        return PLANNED_SHORT_EVALUATIONS * 0.01 * (n / 500) ** TIME_EXPONENT

    assert seconds(few) <= left < seconds(few + 1)
    assert (more, most) == (2 * few, 4 * few)
    assert effort == MIN_EFFORT
    assert len(budget.cuts) == 1
    assert f"{few} rows instead of 500" in budget.cuts[0]


@pytest.mark.parametrize("share", [0.3, 0.9])
def test_searches_lengthen_when_all_rows_fit(share: float) -> None:
    machine = Machine(0.01)
    evaluations = PLANNED_SHORT_EVALUATIONS + share * (
        PLANNED_EVALUATIONS - PLANNED_SHORT_EVALUATIONS
    )
    budget = machine.budget(evaluations * 0.01 + 2 * 0.01 * (ROWS_TO_TIME / 500) ** TIME_EXPONENT)
    sizes, effort = sizes_within(SIZES, machine.evaluation, budget)
    assert sizes == SIZES
    assert effort == pytest.approx(MIN_EFFORT + share * (1.0 - MIN_EFFORT))
    [cut] = budget.cuts
    assert cut.endswith(f"transforms: searches of {100.0 * effort:.0f} % of their length")


def test_there_is_a_smallest_size_and_no_table_is_made_larger() -> None:
    machine = Machine(10.0)
    assert sizes_within(SIZES, machine.evaluation, machine.budget(1e-6))[0][0] == MIN_SAMPLE
    small = (MIN_SAMPLE, MIN_SAMPLE + 1, MIN_SAMPLE + 2)
    assert sizes_within(small, machine.evaluation, machine.budget(1e-6)) == (small, 1.0)
    assert MIN_SAMPLE < ROWS_TO_TIME
