"""What a classifier with a limit of time plans, at a clock that stands still."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.kernels import RBF
from sparsegp.learning.budget import class_time_planner
from sparsegp.learning.budget.class_time_planner import (
    basis_to_select,
    class_time_plan,
    left_to_optimise,
    rows_to_optimise,
)
from sparsegp.learning.budget.cost_model import CostModel
from sparsegp.learning.budget.policy import MIN_MOVED_INPUTS, TIMED_LABEL_COLUMNS
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_planner import TimePlan
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.model.sites.updates import SCHEMES
from sparsegp.tables.rows import Rows


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


def test_many_classes_are_not_timed_one_by_one(monkeypatch):
    """A hundred columns of labels cost as much to time as a small budget has; a few tell."""
    clock, timed = [0.0], []

    def infer(rows, probits, *_, **__):
        assert rows.rows.y.shape[1] == len(probits)
        timed.append(len(probits))
        clock[0] += 1e-3 * len(probits) * len(rows.rows)

    monkeypatch.setattr(class_time_planner, "infer_sites", infer)

    def plan(n_classes):
        clock[0] = 0.0
        X, rng = np.linspace(0.0, 1.0, 300)[:, None], np.random.default_rng(0)
        rows = Rows(X, np.sign(rng.normal(size=(300, n_classes))))
        parameters = ClassParameters(RBF(), 1.0, (0.0,) * n_classes)
        budget = TimeBudget(1e6, clock=lambda: clock[0])
        return class_time_plan(rows, parameters, SCHEMES["ep"], budget).cost_model

    few, many = plan(TIMED_LABEL_COLUMNS), plan(25 * TIMED_LABEL_COLUMNS)
    assert max(timed) == TIMED_LABEL_COLUMNS
    assert many.of_rows(1000, 50) == pytest.approx(25 * few.of_rows(1000, 50))
