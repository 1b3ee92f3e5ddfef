"""What a classifier with a limit of time plans, at a clock that stands still."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.learning.budget.class_time_planner import (
    basis_to_select,
    left_to_optimise,
    rows_to_optimise,
)
from sparsegp.learning.budget.cost_model import CostModel
from sparsegp.learning.budget.policy import MIN_MOVED_INPUTS
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_planner import TimePlan


def timetable(limit: float, n_rows: int = 4_000, value: float = 5e-7) -> TimePlan:
    cost_model = CostModel(row=1e-7, value=value, product=value / 256, fixed=1e-9)
    return TimePlan(TimeBudget(limit, clock=lambda: 0.0), cost_model, n_rows)


@pytest.mark.parametrize("limit", [4.0, 8.0])
def test_fewer_basis_vectors_are_chosen_if_they_move(limit):
    moved, kept = (basis_to_select(timetable(limit), 320, most) for most in (320, 0))
    assert MIN_MOVED_INPUTS <= moved < kept


def test_too_few_to_move_are_not_worth_it():
    short = timetable(0.5)
    assert basis_to_select(short, 320, 320) == basis_to_select(short, 320, 0)
    assert basis_to_select(timetable(8.0), 320, MIN_MOVED_INPUTS - 1) == basis_to_select(
        timetable(8.0), 320, 0
    )


def test_without_a_limit_all_are_chosen():
    assert basis_to_select(TimePlan(TimeBudget(), n_rows=4_000), 320, 320) == 320


@given(st.floats(0.1, 100.0), st.integers(100, 10**6), st.integers(16, 320), st.booleans())
def test_rows_are_polished_in_the_time_that_is_left_for_them(limit, n_rows, m, moves):
    times = timetable(limit, n_rows)
    left = left_to_optimise(times, m, moves=moves).left()
    rest = times.budget.left() - times.to_finish(m)
    assert left >= min(rest, 0.5 * rest) - 1e-9  # the reserve takes no more than half of it
    if rows_to_optimise(times, n_rows, m, moves=moves):
        assert left > 0.0
