"""Noise that differs from row to row: outliers, or a noise that changes with the inputs.

Both are a fixed point around the Gaussian model: given the posterior, its errors say how noisy each
row is (``Rows.noise_factor``); given that, posterior, noise variance and hyperparameters are
found as always. A noise model is what is known of the noise at one turn of that loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from sparsegp.arrays import to_numpy
from sparsegp.kernels.base import Kernel
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.calibrate import Calibration, calibrate
from sparsegp.learning.noise.heteroscedastic import (
    LONG_SEARCH,
    SHORT_SEARCH,
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
    "SHORT_SEARCH",
    "HeteroscedasticNoise",
    "HomoscedasticNoise",
    "NoiseModel",
    "StudentTNoise",
    "calibrate_noise",
    "noise_model",
    "noise_of",
]

# What outliers are like before any row was seen.
FIRST_DF = 4.0
FIRST_TAILS = NoiseDistribution(FIRST_DF)
# More rows than this hardly change what is known of a smooth function of the noise.
ROWS_FOR_SPREAD = 10_000


class NoiseModel(Protocol):
    """What is known of the noise of rows and of predictions."""

    @property
    def log_noise(self) -> LogNoiseGP | None:
        """Factors on the noise by the inputs."""

    @property
    def tails(self) -> NoiseDistribution:
        """The shape of the noise."""

    @property
    def most_turns(self) -> int:
        """How often it may look at the same rows."""

    def learn(self, posterior: Posterior, rows: Rows, variance: float) -> tuple["NoiseModel", Rows]:
        """Return what is known after a look at the rows, and the rows as noisy as they look."""

    def look(self, posterior: Posterior, rows: Rows, variance: float) -> Rows:
        """Return rows that the posterior has not seen as noisy as they look."""


@dataclass(frozen=True)
class HomoscedasticNoise:
    """All rows have the same Gaussian noise: there is nothing to learn but its variance."""

    log_noise: None = None
    tails: NoiseDistribution = NORMAL
    most_turns: int = 0

    def learn(self, posterior: Posterior, rows: Rows, variance: float) -> tuple[NoiseModel, Rows]:
        """Return everything as it is."""
        return self, rows

    def look(self, posterior: Posterior, rows: Rows, variance: float) -> Rows:
        """Return the rows as they are."""
        return rows


@dataclass(frozen=True)
class StudentTNoise:
    """Student's t: a row far off is likely to be an outlier, and weighs less."""

    tails: NoiseDistribution = FIRST_TAILS
    log_noise: None = None
    most_turns: int = 12

    def learn(self, posterior: Posterior, rows: Rows, variance: float) -> tuple[NoiseModel, Rows]:
        """Return the likeliest degrees of freedom, and the rows with outliers in their place."""
        n_outputs = rows.y.shape[1]
        square = expected_squares(posterior, rows, variance)  # (n,)
        df = likeliest_df(square, rows.weight, variance, n_outputs)
        looked = replace(rows, noise_factor=factors(square, variance, df, n_outputs))
        return StudentTNoise(NoiseDistribution(df)), looked

    def look(self, posterior: Posterior, rows: Rows, variance: float) -> Rows:
        """Return the rows with outliers in their place."""
        square, df = expected_squares(posterior, rows, variance), self.tails.df or FIRST_DF
        return replace(rows, noise_factor=factors(square, variance, df, rows.y.shape[1]))


@dataclass(frozen=True)
class HeteroscedasticNoise:
    """A variance that is a function of the inputs.

    It looks twice at the rows and no more: a row with a large error gets less to say, and its error
    grows.
    """

    kernel: Kernel  # where the search for the kernel of that function begins
    context: FitContext  # its random numbers and its time
    stages: Sequence[tuple[int, int]] = LONG_SEARCH  # of that search
    prior: LogNoise | None = None
    log_noise: LogNoiseGP | None = None
    tails: NoiseDistribution = NORMAL
    most_turns: int = 2

    def learn(self, posterior: Posterior, rows: Rows, variance: float) -> tuple[NoiseModel, Rows]:
        """Return how the noise changes; the first time also find how smoothly it does."""
        used = _evenly(rows, ROWS_FOR_SPREAD)
        left_out = leave_one_out(posterior, used, variance)
        prior = self.prior
        if prior is None:
            prior = choose_log_noise(
                left_out, used, variance, self.kernel, self.context, self.stages
            )
        log_noise = learn_log_noise_gp(prior, left_out, used, variance)
        looked = replace(rows, noise_factor=log_noise.factor(rows.X))
        return replace(self, prior=prior, log_noise=log_noise), looked

    def look(self, posterior: Posterior, rows: Rows, variance: float) -> Rows:
        """Return the rows as noisy as their inputs say."""
        return (
            rows
            if self.log_noise is None
            else replace(rows, noise_factor=self.log_noise.factor(rows.X))
        )


def noise_model(
    kind: str,
    start: Parameters,
    context: FitContext,
    stages: Sequence[tuple[int, int]] = LONG_SEARCH,
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
    any_tails: bool = False,
) -> Calibration:
    """Calibrate by the errors of rows that were left out."""
    factor = None if model.log_noise is None else to_numpy(model.log_noise.factor(rows.X))  # (n,)
    return calibrate(
        left_out, variance, around, factor=factor, tails=model.tails, any_tails=any_tails
    )


def noise_of(model: NoiseModel, scales: Calibration, variance: float) -> Noise:
    """Return the noise of predictions."""
    tails = model.tails if scales.tails.df is None else scales.tails
    return Noise(scales.noise * variance, scales.level, model.log_noise, tails)


def _evenly(rows: Rows, size: int) -> Rows:
    """Return at most so many of the rows, evenly distributed over the table."""
    if len(rows) <= size:
        return rows
    return rows.take((len(rows) / size * np.arange(size)).astype(np.intp))
