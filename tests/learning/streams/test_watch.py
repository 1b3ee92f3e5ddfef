"""When a rival is set up, and which of both goes on."""

import numpy as np

from sparsegp.learning.streams import policy
from sparsegp.learning.streams.watch import Recent, Watch


def densities(mean, n, seed=0):
    return mean + np.random.default_rng(seed).standard_normal(n)


def test_only_a_lasting_loss_is_a_misfit():
    watch = Watch().after(densities(-1.0, 2000))
    assert not watch.misfit
    assert not watch.after(densities(-2.0, 100)).misfit
    assert watch.after(densities(-2.0, 500)).misfit
    assert not watch.after(densities(-2.0, 300)).after(densities(-1.0, 400)).misfit


def test_one_outlier_is_no_misfit():
    watch = Watch().after(densities(-1.0, 500)).after(np.array([-1e9]))
    assert not watch.after(densities(-1.0, 300)).misfit


def test_calls_of_any_size_agree():
    values = densities(-1.0, 700)
    cut = Watch()
    for part in np.array_split(values, 23):
        cut = cut.after(part)
    assert cut == Watch().after(values)


def test_a_rival_wins_by_densities_and_loses_by_them_or_in_the_end():
    equal = np.zeros(policy.SHORTEST_TRIAL)
    assert Watch().compared(equal, equal + 0.2).rival_wins
    assert not Watch().compared(equal[:20], equal[:20] + 9.0).rival_wins  # too soon
    assert Watch().compared(equal, equal - 0.2).rival_loses
    undecided = Watch().compared(equal, equal)
    assert not undecided.rival_wins and not undecided.rival_loses
    assert undecided.compared(np.zeros(500), np.zeros(500)).rival_loses


def test_a_rival_from_before_a_misfit_is_replaced():
    watch = Watch().after(densities(-1.0, 900)).compared(np.zeros(400), np.zeros(400))
    assert not watch.misfit
    watch = watch.after(densities(-2.0, 500))
    assert watch.compared(np.zeros(500), np.zeros(500)).misfit
    fresh = Watch(below=400, trial=100)
    assert not fresh.misfit


def test_lost_trials_become_rarer():
    watch = Watch().after(densities(-1.0, 900)).after(densities(-2.0, 500)).without_rival()
    assert (watch.pause, watch.next_pause) == (policy.FIRST_PAUSE, 2 * policy.FIRST_PAUSE)
    assert watch.after(densities(-1.0, 300)).pause == policy.FIRST_PAUSE - 300


def test_recent_rows_are_the_last_ones():
    X, Y = np.arange(3000.0).reshape(1500, 2), np.arange(1500.0)[:, None]
    recent = Recent.none(2, 1)
    for rows in np.split(np.arange(1500), [1, 2, 300, 301, 900]):
        recent = recent.after(X[rows], Y[rows], None)
    kept = policy.RECENT_ROWS
    assert len(recent) == kept
    found = recent.last(kept)
    np.testing.assert_array_equal(found[0], X[-kept:])
    np.testing.assert_array_equal(found[1], Y[-kept:])
    np.testing.assert_array_equal(found[2], np.ones(kept))
    assert len(recent.table) == 2 * kept  # bounded
    assert recent.last(10)[0].shape == (10, 2)


def test_columns_that_have_moved():
    X = np.zeros((50, 3))
    X[40:, 1] = 5.0
    recent = Recent.none(3, 1).after(X, np.zeros((50, 1)), None)
    assert recent.moved(np.array([0.0, 0.0, np.nan])) == 10
    assert recent.moved(np.array([0.0, np.nan, 0.0])) == 0
