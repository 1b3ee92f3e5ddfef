"""The scales of the predictive variance are those of the highest density."""

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy import optimize
from scipy.stats import norm
from scipy.stats import t as student_t

from sparsegp.learning.noise.calibrate import calibrate, common_scale, log_densities
from sparsegp.model.leave_one_out.predictions import LeftOut
from sparsegp.model.noise.predictive import MeanDependentNoise
from sparsegp.model.noise.student_t_em import FEWEST_DF, MOST_DF


def left_out_rows(noise_scale, residual_scale, n=20_000):
    """Rows whose errors have the variance τ·d + a·(h + σ²), σ² = 0.5."""
    rng = np.random.default_rng(0)
    d, h = rng.exponential(1.0, n), rng.exponential(0.2, n)
    std = np.sqrt(residual_scale * d + noise_scale * (h + 0.5))
    error = rng.normal(size=(n, 1)) * std[:, None]
    return LeftOut(error, rng.normal(size=(n, 1)), d, h, np.ones(n))


@pytest.mark.parametrize(("a", "tau"), [(1.0, 1.0), (0.4, 0.1), (3.0, 2.0)])
def test_recovers_the_scales_of_generated_errors(a, tau):
    found = calibrate(left_out_rows(a, tau), 0.5)
    assert found.noise == pytest.approx(a, rel=0.1)
    assert found.residual == pytest.approx(tau, rel=0.15)


def test_noise_and_function_of_an_exact_process_are_calibrated_apart():
    rng = np.random.default_rng(0)
    h = rng.exponential(1.0, 5_000)
    error = np.sqrt(0.3 * h + 2.0 * 0.5)[:, None] * rng.normal(size=(5_000, 1))
    rows = LeftOut(error, np.zeros_like(error), np.zeros_like(h), h, np.ones_like(h))
    found = calibrate(rows.of_exact_process(), 0.5)
    assert found.residual == pytest.approx(0.3, rel=0.2)
    assert found.noise == pytest.approx(2.0, rel=0.1)


def test_no_scales_on_a_grid_are_better():
    rows = left_out_rows(0.4, 0.3, n=500)
    found = calibrate(rows, 0.5)

    def log_density(a, tau):
        v = tau * rows.residual + a * (rows.weights + 0.5)
        return np.mean(-0.5 * np.log(2 * np.pi * v) - 0.5 * rows.error[:, 0] ** 2 / v)

    grid = np.geomspace(0.05, 5.0, 40)
    ours = log_density(found.noise, found.residual)
    assert ours >= max(log_density(a, t) for a in grid for t in grid) - 1e-9


def test_a_row_of_weight_two_counts_twice():
    rows = left_out_rows(0.4, 0.3, n=200)
    weighted = replace(rows, count=np.arange(200) % 2 + 1.0)
    repeat = np.repeat(np.arange(200), np.arange(200) % 2 + 1)
    repeated = LeftOut(*(getattr(rows, f.name)[repeat] for f in fields(rows)))
    assert calibrate(weighted, 0.5).noise == pytest.approx(calibrate(repeated, 0.5).noise, rel=1e-4)


def test_scales_far_from_one_are_found_from_a_common_one():
    rows = left_out_rows(0.4, 0.3, n=2_000)
    far = replace(rows, residual=1e-6 * rows.residual, weights=1e-6 * rows.weights)
    around = common_scale(far, 0.5e-6)
    load_rows, found = calibrate(rows, 0.5), calibrate(far, 0.5e-6, around)
    assert found.noise == pytest.approx(1e6 * load_rows.noise, rel=1e-2)
    assert found.residual == pytest.approx(1e6 * load_rows.residual, rel=1e-2)


def test_errors_of_zero_have_no_common_scale():
    rows = left_out_rows(0.4, 0.3, n=10)
    assert common_scale(replace(rows, error=0.0 * rows.error), 1.0) == 1


def test_a_noise_that_grows_with_the_level_is_found():
    rng = np.random.default_rng(1)
    n = 4_000
    mean, h, d = rng.normal(2.0, 3.0, (n, 1)), np.full(n, 0.01), np.full(n, 0.01)
    t = (mean[:, 0] - 2.0) / 3.0
    variance = 0.3 * np.exp(0.8 * t - 0.2 * (t**2 - 1.0))
    rows = LeftOut(rng.normal(size=(n, 1)) * np.sqrt(variance)[:, None], mean, d, h, np.ones(n))
    found = calibrate(rows, 0.3)
    assert found.level.slope == pytest.approx(0.8, abs=0.1)
    assert found.level.curvature == pytest.approx(-0.2, abs=0.1)
    ratio = found.noise * found.level.factor(mean[:, 0]) * 0.3 / variance
    assert 0.8 < np.median(ratio) < 1.2


@pytest.mark.parametrize("seed", range(5))
def test_an_even_noise_stays_even(seed):
    rng = np.random.default_rng(seed)
    rows = left_out_rows(1.0, 1.0, n=1_000)
    rows = replace(rows, mean=rng.normal(size=rows.mean.shape))
    level = calibrate(rows, 0.5).level
    assert level.slope == 0.0
    assert level.curvature == 0.0
    np.testing.assert_array_equal(level.factor(np.linspace(-9.0, 9.0, 5)), 1.0)


def test_several_outputs_have_one_noise_for_all_levels():
    rows = left_out_rows(1.0, 1.0, n=500)
    two = replace(rows, error=np.tile(rows.error, 2), mean=np.tile(rows.error, 2))
    assert calibrate(two, 0.5).level.slope == 0.0


def test_levels_beyond_those_seen_have_the_noise_of_the_ends():
    level = MeanDependentNoise(1.0, 0.5, 0.0, 1.0, -2.0, 2.0)
    ends = level.factor(np.array([-1e6, -2.0, 2.0, 1e6]))
    assert ends[0] == ends[1]
    assert ends[2] == ends[3]


def with_errors(u):
    """Return rows whose errors are u times what normal ones would have been."""
    rows = left_out_rows(0.4, 0.3, n=len(u))
    std = np.sqrt(0.3 * rows.residual + 0.4 * (rows.weights + 0.5))
    return replace(rows, error=(u * std)[:, None])


@pytest.mark.parametrize("df", [3.0, 6.0])
def test_heavy_tails_are_found_with_their_degrees_of_freedom(df):
    rows = with_errors(np.random.default_rng(1).standard_t(df, 5_000))
    found = calibrate(rows, 0.5, may_find_tails=True)
    assert found.tails.df == pytest.approx(df, rel=0.2)
    assert found.noise == pytest.approx(0.4, rel=0.15)
    assert calibrate(rows, 0.5).tails.df is None  # unless it may look for them


@pytest.mark.parametrize("seed", range(8))
def test_normal_errors_have_almost_normal_tails(seed):
    rows = with_errors(np.random.default_rng(seed).standard_normal(400))
    found, normal = calibrate(rows, 0.5, may_find_tails=True), calibrate(rows, 0.5)
    assert found.tails.df is None or found.tails.df > 8.0
    assert np.sum(log_densities(rows, 0.5, found)) >= np.sum(log_densities(rows, 0.5, normal)) - 0.1


def highest_density_at(df, rows, variance):
    """The log density of all t errors with the best scales, with the prior on log τ."""
    density = student_t(df) if np.isfinite(df) else norm

    def loss(log_scales):
        a, tau = np.exp(log_scales)
        std = np.sqrt(tau * rows.residual + a * (rows.weights + variance))
        of_rows = density.logpdf(rows.error[:, 0] / std) - np.log(std)
        return -np.sum(of_rows) + 0.5 * log_scales[1] ** 2

    return -optimize.minimize(loss, np.zeros(2), method="Nelder-Mead", tol=1e-10).fun


@pytest.mark.parametrize(("true_df", "n"), [(4.0, 300), (4.0, 40), (np.inf, 120), (np.inf, 12)])
@pytest.mark.parametrize("cost", [0.5, 1.0])
def test_tails_are_the_heaviest_that_the_rows_do_not_speak_against(true_df, n, cost):
    rng = np.random.default_rng(n)
    rows = with_errors(rng.standard_t(true_df, n) if np.isfinite(true_df) else rng.normal(size=n))
    rows = replace(rows, mean=np.zeros((n, 1)))  # no levels
    found = calibrate(rows, 0.5, may_find_tails=True, cost_of_tails=cost)
    grid = np.append(np.geomspace(FEWEST_DF, MOST_DF, 60), np.inf)
    densities = np.array([highest_density_at(df, rows, 0.5) for df in grid])
    allowed = densities >= densities.max() - cost
    first = int(np.flatnonzero(allowed)[0])
    assert grid[max(first - 1, 0)] * 0.99 <= found.tails.df <= grid[first] * 1.01


def test_without_errors_there_are_no_tails():
    rows = left_out_rows(0.4, 0.3, n=10)
    found = calibrate(replace(rows, error=0.0 * rows.error), 0.5, may_find_tails=True)
    assert found.tails.df is None


def test_means_that_hardly_differ_are_no_levels():
    rng = np.random.default_rng(0)
    n = 400
    y = rng.normal(size=n)
    mean = -y / (n - 1)  # of the others: it tells of the row's own target
    rows = LeftOut((y - mean)[:, None], mean[:, None], np.zeros(n), np.zeros(n), np.ones(n))
    found = calibrate(rows, 1.0, may_find_tails=True)
    assert found.level == MeanDependentNoise()
    assert found.noise == pytest.approx(1.0, rel=0.1)


def errors_of_two_kinds(n=4_000, n_outputs=1):
    """Rows of which most have hardly an error, and one in four has any up to one."""
    rng = np.random.default_rng(3)
    small = rng.random((n, n_outputs)) < 0.75
    error = np.where(small, 1e-3, 1.0) * rng.uniform(-1.0, 1.0, (n, n_outputs))
    none = np.zeros(n)
    return LeftOut(error, rng.normal(size=(n, n_outputs)), none, none, np.ones(n))


def covered(rows, found, variance):
    """The share of errors within 95 % intervals; d and h are zero."""
    mean = rows.mean[:, 0] if rows.mean.shape[1] == 1 else np.zeros(len(rows.mean))
    noise = variance * found.level.factor(mean)
    reach = found.tails.quantile(np.array([0.975]))[0] * np.sqrt(found.noise * noise)
    return float(np.mean(np.abs(rows.error) <= reach[:, None]))


@pytest.mark.parametrize("n_outputs", [1, 2])
def test_intervals_cover_enough_where_no_density_has_the_shape_of_the_errors(
    n_outputs, monkeypatch
):
    rows = errors_of_two_kinds(n_outputs=n_outputs)
    assert covered(rows, calibrate(rows, 0.1, may_find_tails=True), 0.1) == pytest.approx(
        0.95 - 2.0 * (0.95 * 0.05 / 4_000) ** 0.5, abs=0.002
    )
    monkeypatch.setattr("sparsegp.learning.noise.policy.COVERAGE_STANDARD_ERRORS", 100.0)
    assert covered(rows, calibrate(rows, 0.1, may_find_tails=True), 0.1) < 0.9


def test_rows_count_by_their_weights_in_what_is_covered():
    rows = errors_of_two_kinds(n=400)
    weight = np.arange(400) % 3 + 1
    repeated = LeftOut(*(np.repeat(getattr(rows, f.name), weight, axis=0) for f in fields(rows)))
    weighted = replace(rows, count=weight.astype(float))
    both = [calibrate(some, 0.1, may_find_tails=True).noise for some in (weighted, repeated)]
    assert both[0] == pytest.approx(both[1], rel=1e-2)


def test_intervals_that_cover_enough_stay_as_they_are(monkeypatch):
    rows = left_out_rows(0.4, 0.3, n=2_000)
    found = calibrate(rows, 0.5)
    monkeypatch.setattr("sparsegp.learning.noise.policy.COVERAGE_STANDARD_ERRORS", 1e6)
    assert calibrate(rows, 0.5) == found


def test_a_scale_that_the_rows_say_nothing_of_stays_at_the_common_one():
    """Every row is in the basis: what it leaves unexplained at these rows is rounding."""
    rng = np.random.default_rng(0)
    n = 400
    error = 0.1 * rng.standard_t(3.0, (n, 1))
    residual = 1e-14 * rng.uniform(size=n)
    left_out = LeftOut(error, np.zeros((n, 1)), residual, np.full(n, 1e-4), np.ones(n))
    around = common_scale(left_out, 0.01)
    found = calibrate(left_out, 0.01, around, may_find_tails=True)
    assert found.residual == pytest.approx(around, rel=1e-6)
