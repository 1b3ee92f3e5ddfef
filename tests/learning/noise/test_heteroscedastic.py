"""A noise that changes with the inputs is found from errors."""

from dataclasses import replace

import numpy as np
import pytest

from sparsegp.kernels import RBF
from sparsegp.learning.context import FitContext
from sparsegp.learning.noise.calibrate import calibrate
from sparsegp.learning.noise.heteroscedastic import choose_log_noise, learn_log_noise_gp
from sparsegp.model.leave_one_out.predictions import LeftOut
from sparsegp.model.noise.distribution import NoiseDistribution
from sparsegp.tables.rows import Rows


def errors_of(log_noise, n=1500, known=0.0, n_outputs=1):
    """Errors of rows with the variance known + 0.5 exp(log_noise(x))."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (n, 2))
    std = np.sqrt(known + 0.5 * np.exp(log_noise(X)))
    error = std[:, None] * rng.standard_normal((n, n_outputs))
    zeros = np.zeros(n)
    left_out = LeftOut(error, np.zeros_like(error), zeros, zeros + known, np.ones(n))
    return Rows(X, error), left_out


def learned(rows, left_out):
    context = FitContext(np.random.default_rng(1))
    prior = choose_log_noise(left_out, rows, 0.5, 1.0 * RBF((1.0, 1.0)), context)
    return learn_log_noise_gp(prior, left_out, rows, 0.5)


@pytest.mark.parametrize(("known", "n_outputs"), [(0.0, 1), (0.2, 1), (0.0, 3)])
def test_it_recovers_the_function(known, n_outputs):
    def log_noise(X):
        return 1.5 * np.sin(2.0 * X[:, 0])

    rows, left_out = errors_of(log_noise, known=known, n_outputs=n_outputs)
    g = np.log(learned(rows, left_out).factor(rows.X))
    wanted = log_noise(rows.X)
    off = (g - g.mean()) - (wanted - wanted.mean())  # its level is that of the noise variance
    assert np.sqrt(np.mean(off**2)) < 0.25 * np.std(wanted)


def test_it_finds_next_to_nothing_where_there_is_nothing():
    rows, left_out = errors_of(lambda X: 0.0 * X[:, 0])
    assert np.std(np.log(learned(rows, left_out).factor(rows.X))) < 0.1


def test_rounding_of_the_errors_does_not_move_the_kernel():
    rows, left_out = errors_of(lambda X: np.sin(2.0 * X[:, 0]), n=300)
    wobble = 1.0 + 1e-8 * np.random.default_rng(2).standard_normal(left_out.error.shape)
    moved = replace(left_out, error=left_out.error * wobble)
    start = 1.0 * RBF((1.0, 1.0))
    found = [
        choose_log_noise(each, rows, 0.5, start, FitContext(np.random.default_rng(1)), ((300, 10),))
        for each in (left_out, moved)
    ]
    assert found[0].kernel == found[1].kernel


def student_rows(df, n=4000):
    rng = np.random.default_rng(0)
    d, h = rng.exponential(0.3, n), rng.exponential(0.2, n)
    factor = np.exp(rng.standard_normal(n))
    scale = np.sqrt(0.5 * d + 0.8 * (h + 0.5 * factor))
    error = scale[:, None] * rng.standard_t(df, (n, 1))
    return LeftOut(error, rng.standard_normal((n, 1)), d, h, np.ones(n)), factor


def test_calibration_finds_the_tails_together_with_the_scales():
    left_out, factor = student_rows(4.0)
    found = calibrate(left_out, 0.5, factor=factor, tails=NoiseDistribution(10.0))
    assert found.tails.df == pytest.approx(4.0, rel=0.2)
    assert found.noise == pytest.approx(0.8, rel=0.2)
