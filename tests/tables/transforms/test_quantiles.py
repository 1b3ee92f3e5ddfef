import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsegp.tables.policy import MOST_KNOTS
from sparsegp.tables.transforms.quantiles import fit_logarithm, fit_quantiles
from tests.oracles.warped import TARGETS, scores_by_ranks

SEEDS = st.integers(0, 1000)


@given(st.sampled_from(TARGETS), st.integers(2, 120), SEEDS)
def test_scores_are_those_of_mid_ranks(make, n, seed):
    x = make(np.random.default_rng(seed), n)
    if np.ptp(x) == 0.0:
        return
    np.testing.assert_allclose(fit_quantiles(x, None).apply(x), scores_by_ranks(x), atol=1e-9)


@given(st.sampled_from(TARGETS), SEEDS)
def test_few_knots_are_enough(make, seed):
    x = make(np.random.default_rng(seed), 5_000)
    bent = fit_quantiles(x, None)
    assert len(bent.knots) <= MOST_KNOTS <= 200
    error = np.abs(bent.apply(x) - scores_by_ranks(x))
    assert np.mean(error) < 0.02 and np.max(error) < 0.5


@given(st.sampled_from(TARGETS), st.integers(2, 200), SEEDS)
def test_the_map_is_a_bijection_of_the_line(make, n, seed):
    x = make(np.random.default_rng(seed), n)
    if np.ptp(x) == 0.0:
        return
    bent = fit_quantiles(x, None)
    far = np.linspace(x.min() - 10 * np.ptp(x), x.max() + 10 * np.ptp(x), 2_001)
    scores = bent.apply(far)
    assert np.all(np.isfinite(scores)) and np.all(np.diff(scores) > 0.0)
    np.testing.assert_allclose(bent.invert(scores), far, rtol=1e-9, atol=1e-9 * np.ptp(x))


@given(st.sampled_from(TARGETS), SEEDS)
def test_ten_ranges_outside_are_at_most_ten_ranges_of_scores(make, seed):
    x = make(np.random.default_rng(seed), 300)
    bent, reach = fit_quantiles(x, None), 10 * np.ptp(x)
    low, high = bent.apply(np.array([x.min() - reach, x.max() + reach]))
    width = np.ptp(bent.scores)
    assert bent.scores[0] - 10.001 * width <= low < bent.scores[0]
    assert bent.scores[-1] < high <= bent.scores[-1] + 10.001 * width


def test_weights_equal_repeated_rows():
    x, times = np.array([1.0, 5.0, 2.0, 9.0, 2.0]), np.array([1, 4, 2, 3, 1])
    weighted = fit_quantiles(x, times.astype(float))
    written_out = fit_quantiles(np.repeat(x, times), None)
    np.testing.assert_allclose(weighted.scores, written_out.scores, rtol=1e-12)
    np.testing.assert_array_equal(weighted.knots, written_out.knots)


def test_a_value_of_most_rows_lands_in_the_middle_of_its_ranks():
    x = np.append(np.zeros(9_990), np.arange(1.0, 11.0))
    scores = fit_quantiles(x, None).apply(x)
    assert abs(scores[0]) < 0.01
    assert np.all((scores[-10:] > 3.0) & (scores[-10:] < 4.0))
    assert np.all(np.diff(scores[-10:]) > 0.0)


@pytest.mark.parametrize("weight", [1e-300, 1e-17])
def test_a_row_of_hardly_any_weight_is_not_infinitely_far(weight):
    bent = fit_quantiles(np.array([0.0, 1.0, 2.0]), np.array([1.0, 1.0, weight]))
    assert np.all(np.isfinite(bent.apply(np.array([-1.0, 0.5, 3.0]))))


@given(st.floats(0.1, 4.0), st.floats(-3.0, 3.0), SEEDS)
def test_a_logarithm_is_one_between_its_ends(spread, level, seed):
    x = np.exp(level + spread * np.random.default_rng(seed).standard_normal(500))
    offset, scale = x.mean(), x.std()
    bent = fit_logarithm(x, offset, scale, None)
    logs = np.log(x)
    expected = (logs - logs.mean()) / logs.std()
    np.testing.assert_allclose(bent.apply((x - offset) / scale), expected, atol=0.01)
    far = np.linspace(x.min() - 10 * np.ptp(x), x.max() + 10 * np.ptp(x), 501)  # also below zero
    scores = bent.apply((far - offset) / scale)
    assert np.all(np.isfinite(scores)) and np.all(np.diff(scores) > 0.0)
    np.testing.assert_allclose(bent.invert(scores) * scale + offset, far, atol=1e-9 * np.ptp(x))


def test_weights_of_a_logarithm_equal_repeated_rows():
    x, times = np.array([1.0, 5.0, 2.0, 90.0]), np.array([1, 4, 2, 3])
    weighted = fit_logarithm(x, 1.0, 2.0, times.astype(float))
    written_out = fit_logarithm(np.repeat(x, times), 1.0, 2.0, None)
    np.testing.assert_allclose(weighted.scores, written_out.scores, rtol=1e-12)
