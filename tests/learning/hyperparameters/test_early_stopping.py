"""Whether a search goes on, by the pace of its last evaluations."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.learning.budget.time_budget import UNLIMITED, TimeBudget
from sparsegp.learning.hyperparameters.early_stopping import MinGainStopping, TargetStopping
from sparsegp.learning.hyperparameters.policy import IDLE_EVALUATIONS


def evaluations(goes_on, values):
    """Return how many evaluations a search makes that finds these values."""
    for n, value in enumerate(values, start=1):
        goes_on.lowest = min(goes_on.lowest, -value)
        if not goes_on():
            return n
    return len(values)


def hopeful(values, wanted=-np.inf, budget=UNLIMITED):
    return evaluations(TargetStopping(budget.iterations(), len(values), wanted), values)


def test_without_hope_a_search_ends_half_way():
    values = 10.0 * np.arange(20.0)  # 90 half way, 190 in the end
    assert hopeful(values, wanted=190.0) == 20
    assert hopeful(values, wanted=191.0) == 10


def test_hope_may_be_lost_later():
    values = np.concatenate((10.0 * np.arange(14.0), np.linspace(131.0, 133.0, 6)))
    assert hopeful(values, wanted=150.0) == 16


@given(st.lists(st.floats(0.5, 30.0), min_size=1, max_size=40), st.floats(1e-9, 50.0))
def test_who_slows_down_and_gets_there_is_not_given_up(gains, less):
    values = np.cumsum(sorted(gains, reverse=True))
    assert hopeful(values, wanted=values[-1] - less) == len(values)


@given(st.integers(0, 20), st.integers(IDLE_EVALUATIONS, 20))
def test_a_search_that_gains_nothing_ends(n_steps, n_idle):
    values = np.concatenate((np.arange(1.0 + n_steps), np.full(n_idle, float(n_steps))))
    assert hopeful(values) == n_steps + 1 + IDLE_EVALUATIONS


def test_a_failed_line_search_is_not_the_end():
    falls = -1e9 * np.ones(IDLE_EVALUATIONS - 1)
    assert hopeful(np.concatenate(([1.0, 2.0], falls, [3.0, 4.0]))) == IDLE_EVALUATIONS + 5 - 2


def test_a_search_goes_on_while_it_pays():
    values = np.concatenate((5.0 * np.arange(8.0), 35.0 + 0.1 * np.arange(1.0, 9.0)))
    assert evaluations(MinGainStopping(UNLIMITED.iterations(), 3, 1.0), values) == 11
    assert evaluations(MinGainStopping(UNLIMITED.iterations(), 14, 1.0), values) == 14


def test_without_time_nothing_goes_on():
    times = iter([0.0, 0.0, 4.0, 8.0])
    values = 10.0 * np.arange(9.0)
    assert hopeful(values, budget=TimeBudget(10.0, clock=lambda: next(times))) == 2
