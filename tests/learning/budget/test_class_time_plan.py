"""What a classifier with a limit of time plans, at a clock that stands still."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.kernels import RBF
from sparsegp.learning.budget import class_time_plan as module
from sparsegp.learning.budget.class_time_plan import (
    basis_to_select,
    class_time_plan,
    left_to_optimise,
    rows_to_optimise,
)
from sparsegp.learning.budget.pass_cost import PassCost
from sparsegp.learning.budget.policy import FINAL_PASSES, TIMED_LABEL_COLUMNS
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_plan import TimePlan
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.model.sites.updates import SCHEMES
from sparsegp.tables.rows import Rows


def timetable(limit: float, n_rows: int = 4_000, unit: float = 2e-10) -> TimePlan:
    return TimePlan(
        TimeBudget(limit, clock=lambda: 0.0), PassCost(unit, 256), n_rows, FINAL_PASSES, 16
    )


@pytest.mark.parametrize("limit", [4.0, 8.0])
def test_fewer_basis_vectors_are_chosen_if_they_move(limit):
    moved, kept = (basis_to_select(timetable(limit), 320, moves=moves) for moves in (True, False))
    assert 16 < moved < kept < 320


def test_what_is_planned_fits():
    times = timetable(4.0)
    m = basis_to_select(times, 320, moves=True)
    assert rows_to_optimise(times, 4_000, m) >= min(50 * m, 4_000)
    assert times.to_finish(m) < 0.5 * times.budget.left()


def test_without_a_limit_all_are_chosen():
    assert basis_to_select(TimePlan(TimeBudget(), n_rows=4_000), 320, moves=True) == 320


@given(st.floats(0.1, 100.0), st.integers(100, 10**6), st.integers(16, 320))
def test_rows_are_optimised_in_the_time_that_is_left_for_them(limit, n_rows, m):
    times = timetable(limit, n_rows)
    left = left_to_optimise(times, m).left()
    assert left == pytest.approx(limit - times.to_finish(m))
    if rows_to_optimise(times, n_rows, m):
        assert left > 0.0


def test_many_classes_are_not_timed_one_by_one(monkeypatch):
    """A hundred columns of labels cost as much to time as a small budget has; a few tell."""
    clock, timed = [0.0], []

    def infer(rows, probits, *_, **__):
        assert rows.rows.y.shape[1] == len(probits)
        timed.append(len(probits))
        clock[0] += 1e-3 * len(probits) * len(rows.rows)

    monkeypatch.setattr(module, "infer_sites", infer)

    def plan(n_classes):
        clock[0] = 0.0
        X, rng = np.linspace(0.0, 1.0, 300)[:, None], np.random.default_rng(0)
        rows = Rows(X, np.sign(rng.normal(size=(300, n_classes))))
        parameters = ClassParameters(RBF(), 1.0, (0.0,) * n_classes)
        budget = TimeBudget(1e6, clock=lambda: clock[0])
        return class_time_plan(rows, parameters, SCHEMES["ep"], budget).cost

    few, many = plan(TIMED_LABEL_COLUMNS), plan(25 * TIMED_LABEL_COLUMNS)
    assert max(timed) == TIMED_LABEL_COLUMNS
    assert many.seconds(1000, 50) == pytest.approx(25 * few.seconds(1000, 50))
