"""What fits into the time left, at a given pace."""

from functools import partial

import numpy as np
import pytest

from sparsegp.learning.basis.select import rows_for_selection
from sparsegp.learning.budget.cost_model import CostModel, largest, measure_cost_model
from sparsegp.learning.budget.policy import BREAK_EVEN_BASIS, MIN_BASIS
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_planner import TimePlan, settings_within_time
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import APPROXIMATIONS
from sparsegp.tables.rows import Rows
from tests.learning.clocks import Clock
from tests.plain import plain_regressor

PACE = CostModel(row=0.0, value=1e-8, product=1e-10, fixed=0.0)


def timetable(limit, n_rows=36_000, cost_model=PACE):
    return TimePlan(TimeBudget(limit, Clock()), cost_model, n_rows)


def settings(**options):
    return Settings(**{"rule": APPROXIMATIONS["vfe"], "selection": "log_posterior"} | options)


def plan(limit, **options):
    wanted = settings(max_basis=1500, **options)
    times = timetable(limit)
    choosing = partial(rows_for_selection, 12_000, wanted.selection)
    return wanted, settings_within_time(wanted, times, choosing, 1500, 4500, 3), times


def test_what_fits_stays_as_it_is():
    wanted, planned, times = plan(1000.0)
    assert planned is wanted
    assert times.budget.cuts == []


def test_less_time_is_a_smaller_basis_from_fewer_candidates_by_fewer_rows():
    sizes = []
    for limit in (0.3, 1.0, 3.0, 8.0):
        _, planned, times = plan(limit)
        m, pool = planned.max_basis, planned.cache_size
        assert pool == 3 * m
        assert planned.rows_to_select == rows_for_selection(12_000, planned.selection, pool)
        taken = times.to_select(planned, planned.rows_to_select, pool, m) + times.to_finish(m)
        assert 0.9 * limit < taken <= limit
        assert times.budget.cuts[0].startswith(f"selection: at most {m:,} of 1,500 basis")
        sizes.append(m)
    assert sizes == sorted(set(sizes))


def test_rows_for_selection():
    pools = (100, 2000, 6000, 20_000)
    sizes = {pool: rows_for_selection(50_000, "log_posterior", pool) for pool in pools}
    assert sizes == {100: 2_000, 2000: 6_000, 6000: 8_000, 20_000: 12_000}
    assert rows_for_selection(3_000, "marginal_likelihood", 6000) == 3_000
    assert rows_for_selection(50_000, "loo_error", 100) == 50_000


@pytest.mark.parametrize("selection", ["random", "loo_error", "information_gain"])
def test_other_selections_are_planned_for_too(selection):
    _, planned, _ = plan(1.0, selection=selection)
    assert MIN_BASIS < planned.max_basis < 1500
    if selection == "information_gain":  # its candidates are its rows: there are no fewer
        assert planned.rows_to_select == 12_000


def test_a_basis_that_moves_is_smaller():
    _, fixed, _ = plan(3.0)
    _, moved, _ = plan(3.0, refine_basis=True)
    assert moved.max_basis < fixed.max_basis


def test_no_time_at_all_is_the_smallest_basis():
    _, planned, times = plan(1e-9)
    assert planned.max_basis == MIN_BASIS
    assert times.has_time_for(MIN_BASIS)
    assert not times.has_time_for(MIN_BASIS + 1)
    assert times.rows_within(MIN_BASIS) == 1_000
    assert times.held_out_within(3_000, MIN_BASIS) == 200


def test_the_end_is_cut_to_what_is_left():
    times = timetable(1.0)
    m = times.basis_within(1500)
    assert times.to_finish(m) <= 1.0 < times.to_finish(m + 1)
    assert times.rows_within(m) == 36_000
    assert times.budget.cuts == [f"final pass: {m} of 1,500 basis vectors"]


def test_pace_is_what_was_measured():
    clock = Clock()
    budget = TimeBudget(100.0, clock)

    def takes(seconds):
        clock.now += seconds

    rows = Rows(np.zeros((5000, 1)), np.zeros((5000, 1)))
    true = CostModel(row=3e-7, value=BREAK_EVEN_BASIS * 1e-11, product=1e-11, fixed=2e-8)

    def sums(used, m):  # a pass has to be begun and ended, too
        return lambda: takes(true.of_rows(len(used), m) + 0.004)

    def whole(used, m):
        takes(true.of_pass(len(used), m))

    found = measure_cost_model(sums, whole, rows, 5000, budget)
    for n, m in ((36_000, 20), (36_000, 1500), (64, 500)):
        assert found.of_pass(n, m) == pytest.approx(true.of_pass(n, m), rel=1e-6)
    assert clock.now < 0.03 * 100.0


def test_a_hiccup_is_not_the_pace_of_the_machine():
    clock, hiccups = Clock(), iter([0.5] + [0.0] * 1000)
    rows = Rows(np.zeros((5000, 1)), np.zeros((5000, 1)))

    def work(used, m):
        clock.now += 1e-8 * len(used) * m + next(hiccups)

    cost_model = measure_cost_model(
        lambda used, m: partial(work, used, m), work, rows, 5000, TimeBudget(9, clock)
    )
    assert cost_model.of_pass(1000, 256) == pytest.approx(1e-8 * 1000 * 256, rel=1e-6)


def test_a_pace_measured_again_counts_if_it_is_clearly_slower():
    first = timetable(1.0)
    slightly, clearly = (timetable(1.0, cost_model=PACE.times(factor)) for factor in (1.3, 2.0))
    assert first.or_slower(slightly, 500) is first
    assert first.or_slower(clearly, 500) is clearly
    assert clearly.or_slower(first, 500) is clearly


def test_largest_never_goes_below_the_least():
    assert largest(10, float, 3.5) == 3
    assert largest(10, float, -1.0, least=4) == 4
    assert largest(3, float, -1.0, least=4) == 3
    assert largest(10, lambda m: np.nan, np.inf) == 10


def test_a_regressor_without_time_has_fifty_basis_vectors():
    X = np.random.default_rng(0).normal(size=(400, 2))
    model = plain_regressor(max_basis=200, random_state=0, time_limit=1e-9).fit(X, np.sin(X[:, 0]))
    assert model.n_basis_ == MIN_BASIS == 50
