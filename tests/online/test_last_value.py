"""The last target as a part of the next prediction."""

import numpy as np
import pytest

from sparsegp.online import running_tails
from sparsegp.online.last_value import LastValue
from sparsegp.online.policy import LAST_VALUE_HORIZON, LAST_VALUE_LEAD
from sparsegp.online.running_tails import RunningTails


def taken(Y, mean, variance, cuts=None, unit=1.0):
    """Return it after rows with these predictions, (n,) each, in calls that end at ``cuts``."""
    found, n = LastValue.initial(1), len(Y)
    for rows in np.split(np.arange(n), np.arange(1, n) if cuts is None else cuts):
        q, r = (Y - mean) / variance, -1.0 / variance
        each = (a[rows, None] for a in (unit * Y, q, r))
        found = found.after(*each, np.array([unit]))
    return found


def predictions(n=300, seed=0):
    rng = np.random.default_rng(seed)
    Y = np.cumsum(rng.standard_normal(n))
    return Y, 0.5 * Y + rng.standard_normal(n), rng.uniform(0.5, 2.0, n)


NORMAL_ALONE = ((200.0, 0.0),)


def test_the_share_is_that_of_least_squares(monkeypatch):
    monkeypatch.setattr(running_tails, "TAIL_CANDIDATES", NORMAL_ALONE)
    Y, mean, variance = predictions()
    age = np.arange(len(Y) - 2, -1, -1)
    weight = (1.0 - 1.0 / LAST_VALUE_HORIZON) ** age
    variance = np.ones(len(Y))
    error, off = (Y - mean)[1:], Y[:-1] - mean[1:]
    expected = np.sum(weight * error * off) / np.sum(weight * off**2)
    found = taken(Y, mean, variance)
    assert found.used.all()
    assert found.share[0] == pytest.approx(expected, rel=1e-9)


def test_wild_rows_hardly_move_the_share():
    rng = np.random.default_rng(0)
    Y = np.cumsum(rng.standard_t(3, 1500))
    mean = 0.3 * Y
    wild = Y.copy()
    wild[700::100] += 30.0 * rng.standard_normal(8)
    plain, moved = (taken(y, mean, np.ones(1500)).share[0] for y in (Y, wild))
    assert abs(plain - moved) < 0.02


def test_units_of_the_target_do_not_matter():
    Y, mean, variance = predictions()
    one, other = taken(Y, mean, variance), taken(Y, mean, variance, unit=1e200)
    np.testing.assert_allclose(other.sums, one.sums, rtol=1e-9)


def test_rows_of_a_call_were_predicted_from_the_target_before_it(monkeypatch):
    monkeypatch.setattr(running_tails, "TAIL_CANDIDATES", NORMAL_ALONE)
    Y, mean, variance = predictions()
    cuts = np.arange(10, 300, 10)
    before = np.repeat(Y[cuts - 1], 10)  # of the rows after the first call
    error, off = (Y - mean)[10:], before - mean[10:]
    weight = (1.0 - 1.0 / LAST_VALUE_HORIZON) ** np.arange(289, -1, -1)
    variance = np.ones(len(Y))
    found = taken(Y, mean, variance, cuts)
    expected = np.sum(weight * error * off) / np.sum(weight * off**2)
    assert found.sums[0, 0] / found.sums[0, 1] == pytest.approx(expected, rel=1e-9)


def test_rows_in_random_order_are_predicted_without_it():
    rng = np.random.default_rng(0)
    for _ in range(20):
        mean = rng.standard_normal(1500)
        found = taken(mean + rng.standard_normal(1500), mean, np.ones(1500))
        assert found.share[0] == 0.0
        assert found.sums[0, 2] < LAST_VALUE_LEAD


def test_its_scale_is_the_mean_square_of_its_errors():
    rng = np.random.default_rng(0)
    Y = np.cumsum(0.1 * rng.standard_normal(3000))
    found = taken(Y, np.zeros(3000), np.ones(3000))
    assert found.share[0] > 0.95
    tails = found.chosen(RunningTails.initial(1))
    assert tails.factors[0] == pytest.approx(0.01, rel=0.5)


def test_what_is_forgotten_is_not_used():
    found = taken(*predictions())
    assert found.used.all()
    assert not found.forgotten(1.0).used.any()
    assert found.forgotten(0.0).share == found.share


def test_an_impossible_row_changes_nothing():
    Y, mean, variance = predictions()
    before = taken(Y, mean, variance)
    after = before.after(
        np.full((1, 1), 1e305), np.full((1, 1), 1e305), -np.ones((1, 1)), np.ones(1)
    )
    np.testing.assert_array_equal(after.sums, before.sums)
