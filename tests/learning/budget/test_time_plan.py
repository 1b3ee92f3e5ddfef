"""What fits into the time left, at a given cost of a pass."""

from functools import partial

import numpy as np
import pytest

from sparsegp.learning.basis.select import rows_for_selection
from sparsegp.learning.budget.pass_cost import PassCost
from sparsegp.learning.budget.policy import MIN_BASIS
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_plan import TimePlan, settings_within_time
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import APPROXIMATIONS
from tests.learning.clocks import Clock
from tests.plain import plain_regressor

COST = PassCost(1e-11)


def timetable(limit, n_rows=36_000):
    return TimePlan(TimeBudget(limit, Clock()), COST, n_rows)


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
    for limit in (0.1, 0.3, 0.6, 1.2):
        _, planned, times = plan(limit)
        m, pool = planned.max_basis, planned.cache_size
        assert pool == 3 * m
        assert planned.rows_to_select == rows_for_selection(12_000, planned.selection, pool)
        taken = times.to_select(planned, planned.rows_to_select, pool) + times.to_finish(m)
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
def test_a_selection_that_can_end_early_is_planned_by_the_end_alone(selection):
    _, planned, times = plan(1.0, selection=selection)
    m = planned.max_basis
    assert MIN_BASIS < m < 1500
    assert times.to_finish(m) <= 1.0 < times.to_finish(m + 1)
    assert (planned.cache_size, planned.rows_to_select) == (None, None)


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
    assert times.budget.cuts == [f"final pass: {m:,} of 1,500 basis vectors"]


def test_a_regressor_without_time_has_fifty_basis_vectors():
    X = np.random.default_rng(0).normal(size=(400, 2))
    model = plain_regressor(max_basis=200, random_state=0, time_limit=1e-9).fit(X, np.sin(X[:, 0]))
    assert model.n_basis_ == MIN_BASIS == 50
