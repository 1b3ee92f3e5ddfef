"""The scales of the predictive variance are those of the highest density."""

import numpy as np
import pytest

from sparsegp.learning.calibrate import calibrate
from sparsegp.model.leave_one_out import LeftOut


def left_out_rows(noise_scale, residual_scale, n=20_000):
    """Rows whose errors have the variance τ·d + a·(h + σ²), σ² = 0.5."""
    rng = np.random.default_rng(0)
    d, h = rng.exponential(1.0, n), rng.exponential(0.2, n)
    std = np.sqrt(residual_scale * d + noise_scale * (h + 0.5))
    return LeftOut(rng.normal(size=(n, 1)) * std[:, None], d, h, np.ones(n))


@pytest.mark.parametrize(("a", "tau"), [(1.0, 1.0), (0.4, 0.1), (3.0, 2.0)])
def test_recovers_the_scales_of_generated_errors(a, tau):
    found = calibrate(left_out_rows(a, tau), 0.5)
    assert found.noise == pytest.approx(a, rel=0.1)
    assert found.residual == pytest.approx(tau, rel=0.15)


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
    weighted = LeftOut(rows.error, rows.residual, rows.weights, np.arange(200) % 2 + 1.0)
    repeat = np.repeat(np.arange(200), np.arange(200) % 2 + 1)
    repeated = LeftOut(
        rows.error[repeat], rows.residual[repeat], rows.weights[repeat], np.ones(len(repeat))
    )
    assert calibrate(weighted, 0.5).noise == pytest.approx(calibrate(repeated, 0.5).noise, rel=1e-4)
