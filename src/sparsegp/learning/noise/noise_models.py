"""Noise that differs from row to row: outliers, or a noise that is a function of the inputs.

Both are a fixed point around the Gaussian model: given the posterior, its errors tell the noise of
each row (``Rows.noise_factor``); given that, posterior, noise variance and hyperparameters follow
as always. A noise model is what is known of the noise in one iteration of that loop
(``conditioning.condition_reweighted``).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from sparsegp.arrays import to_numpy
from sparsegp.kernels.base import Kernel
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise import policy
from sparsegp.learning.noise.calibrate import Calibration, calibrate
from sparsegp.learning.noise.heteroscedastic import (
    LogNoise,
    choose_log_noise,
    learn_log_noise_gp,
)
from sparsegp.learning.settings import HETEROSCEDASTIC, STUDENT_T
from sparsegp.model.leave_one_out.predictions import LeftOut, leave_one_out
from sparsegp.model.noise.distribution import NORMAL, NoiseDistribution
from sparsegp.model.noise.log_noise_gp import LogNoiseGP
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.noise.student_t_em import expected_squares, factors, likeliest_df
from sparsegp.model.posterior import Posterior
from sparsegp.tables.rows import Rows

__all__ = [
    "HeteroscedasticNoise",
    "HomoscedasticNoise",
    "NoiseModel",
    "StudentTNoise",
    "calibrate_noise",
    "noise_model",
    "predictive_noise",
]

FIRST_TAILS = NoiseDistribution(policy.FIRST_DF)


class NoiseModel(Protocol):
    """What is known of the noise of rows and of predictions."""

    @property
    def log_noise(self) -> LogNoiseGP | None:
        """Factors on the noise by the inputs."""

    @property
    def tails(self) -> NoiseDistribution:
        """The shape of the noise."""

    @property
    def max_iterations(self) -> int:
        """How often it may be updated by the same rows."""

    def update(
        self, posterior: Posterior, rows: Rows, variance: float
    ) -> tuple["NoiseModel", Rows]:
        """Return the model given the errors of the rows, and the rows with their noise factors."""

    def reweight(self, posterior: Posterior, rows: Rows, variance: float) -> Rows:
        """Return rows that the posterior has not seen, with their noise factors."""


@dataclass(frozen=True)
class HomoscedasticNoise:
    """All rows have the same Gaussian noise: only its variance is learned."""

    log_noise: None = None
    tails: NoiseDistribution = NORMAL
    max_iterations: int = 0

    def update(self, posterior: Posterior, rows: Rows, variance: float) -> tuple[NoiseModel, Rows]:
        """Return both unchanged."""
        return self, rows

    def reweight(self, posterior: Posterior, rows: Rows, variance: float) -> Rows:
        """Return the rows unchanged."""
        return rows


@dataclass(frozen=True)
class StudentTNoise:
    """Student's t: a row with a large error is likely an outlier, and weighs less."""

    tails: NoiseDistribution = FIRST_TAILS
    log_noise: None = None
    max_iterations: int = policy.STUDENT_T_ITERATIONS

    def update(self, posterior: Posterior, rows: Rows, variance: float) -> tuple[NoiseModel, Rows]:
        """Return the likeliest degrees of freedom, and the rows with less weight on outliers."""
        n_outputs = rows.y.shape[1]
        square = expected_squares(posterior, rows, variance)  # (n,)
        df = likeliest_df(square, rows.weight, variance, n_outputs)
        reweighted = replace(rows, noise_factor=factors(square, variance, df, n_outputs))
        return StudentTNoise(NoiseDistribution(df)), reweighted

    def reweight(self, posterior: Posterior, rows: Rows, variance: float) -> Rows:
        """Return the rows with less weight on outliers."""
        square, df = expected_squares(posterior, rows, variance), self.tails.df or policy.FIRST_DF
        return replace(rows, noise_factor=factors(square, variance, df, rows.y.shape[1]))


@dataclass(frozen=True)
class HeteroscedasticNoise:
    """A variance that is a function of the inputs."""

    kernel: Kernel  # where the search for the kernel of that function starts
    context: FitContext  # its random numbers and its time
    stages: Sequence[tuple[int, int]] = policy.LONG_SEARCH  # of that search
    prior: LogNoise | None = None
    log_noise: LogNoiseGP | None = None
    tails: NoiseDistribution = NORMAL
    max_iterations: int = policy.HETEROSCEDASTIC_ITERATIONS

    def update(self, posterior: Posterior, rows: Rows, variance: float) -> tuple[NoiseModel, Rows]:
        """Return the log noise given the errors; the first time its kernel is learned too."""
        used = _evenly(rows, policy.ROWS_FOR_LOG_NOISE)
        left_out, used = leave_one_out(posterior, used, variance).to_host(), used.to_host()
        prior = self.prior
        if prior is None:
            prior = choose_log_noise(
                left_out, used, variance, self.kernel, self.context, self.stages
            )
        log_noise = learn_log_noise_gp(prior, left_out, used, variance)
        reweighted = replace(rows, noise_factor=log_noise.factor(rows.X))
        return replace(self, prior=prior, log_noise=log_noise), reweighted

    def reweight(self, posterior: Posterior, rows: Rows, variance: float) -> Rows:
        """Return the rows with the noise of their inputs."""
        if self.log_noise is None:
            return rows
        return replace(rows, noise_factor=self.log_noise.factor(rows.X))


def noise_model(
    kind: str,
    start: Parameters,
    context: FitContext,
    stages: Sequence[tuple[int, int]] = policy.LONG_SEARCH,
) -> NoiseModel:
    """Return the noise model of a name before any row was seen."""
    if kind == STUDENT_T:
        return StudentTNoise()
    if kind == HETEROSCEDASTIC:
        return HeteroscedasticNoise(start.kernel, context, stages)
    return HomoscedasticNoise()


def calibrate_noise(
    model: NoiseModel,
    left_out: LeftOut,
    rows: Rows,
    variance: float,
    around: float = 1.0,
    may_find_tails: bool = False,
    cost_of_tails: float = 0.0,
) -> Calibration:
    """Calibrate by leave-one-out errors of the rows."""
    factor = None if model.log_noise is None else to_numpy(model.log_noise.factor(rows.X))  # (n,)
    return calibrate(
        left_out,
        variance,
        around,
        factor=factor,
        tails=model.tails,
        may_find_tails=may_find_tails,
        cost_of_tails=cost_of_tails,
    )


def predictive_noise(model: NoiseModel, scales: Calibration, variance: float) -> Noise:
    """Return the noise of predictions."""
    tails = model.tails if scales.tails.df is None else scales.tails
    return Noise(scales.noise * variance, scales.level, model.log_noise, tails)


def _evenly(rows: Rows, size: int) -> Rows:
    """Return at most ``size`` rows, evenly distributed over the table."""
    if len(rows) <= size:
        return rows
    return rows.take((len(rows) / size * np.arange(size)).astype(np.intp))
