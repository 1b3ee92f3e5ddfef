"""The noise of predictions by the errors of held-out rows: with neighbours, and of large tables.

Posterior and neighbours take one noise variance for all rows. The noise that is added to a
prediction may depend on the inputs all the same: it is learned from the leave-one-out errors of
half of the calibration rows, and taken if it predicts the errors of the other half clearly better.
"""

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise import policy
from sparsegp.learning.noise.calibrate import log_densities
from sparsegp.learning.noise.choose_noise import mean_and_error
from sparsegp.learning.noise.heteroscedastic import choose_log_noise, learn_log_noise_gp
from sparsegp.learning.noise.noise_models import (
    HeteroscedasticNoise,
    HomoscedasticNoise,
    NoiseModel,
    StudentTNoise,
    calibrate_noise,
)
from sparsegp.learning.settings import GAUSSIAN, HETEROSCEDASTIC, STUDENT_T, Settings
from sparsegp.model.leave_one_out.predictions import LeftOut
from sparsegp.tables.rows import Rows

__all__ = ["noise_of_errors"]

Indices = npt.NDArray[np.intp]


def noise_of_errors(
    left_out: LeftOut,
    rows: Rows,
    start: Parameters,
    settings: Settings,
    context: FitContext,
) -> NoiseModel:
    """Return the noise that was asked for, or the one that the errors of the rows speak for.

    ``start`` has the noise variance of the rows, and the kernel that a search would start from.
    """
    if settings.noise == STUDENT_T:
        return StudentTNoise()
    if settings.noise == GAUSSIAN or not settings.optimise:
        return HomoscedasticNoise()
    errors = _Errors(left_out, rows, start, context)
    if settings.noise == HETEROSCEDASTIC:
        return errors.learn(np.arange(len(rows)), policy.LONG_SEARCH)
    if len(rows) < policy.MIN_ROWS_FOR_NOISE_CHOICE or not _has_errors(left_out):
        return HomoscedasticNoise()
    if not context.budget.has(policy.SECONDS_OF_LOG_NOISE):
        context.budget.cut(Phase.NOISE_CHOICE, f"{HETEROSCEDASTIC} not tried")
        return HomoscedasticNoise()
    return errors.choose()


class _Errors:
    """Leave-one-out errors of rows, and the noise models that they are compared by."""

    def __init__(
        self, left_out: LeftOut, rows: Rows, start: Parameters, context: FitContext
    ) -> None:
        self._left_out, self._rows, self._context = left_out, rows, context
        self._kernel, self._variance = start.kernel, start.noise_variance

    def choose(self) -> NoiseModel:
        """Return a noise by the inputs if half of the rows predict it for the other half."""
        order = self._context.rng.permutation(len(self._rows))
        learning, judging = np.sort(order[::2]), np.sort(order[1::2])
        by_inputs = self.learn(learning, policy.SHORT_SEARCH)
        gains = self._densities(by_inputs, learning, judging)
        gains = gains - self._densities(HomoscedasticNoise(), learning, judging)
        count = to_numpy(self._left_out.count)[judging]
        gain, error = mean_and_error(gains, count)
        needed = max(policy.MIN_STANDARD_ERRORS * error, policy.MIN_GAIN_OF_LOG_NOISE)
        chosen = HETEROSCEDASTIC if gain > needed else GAUSSIAN
        self._context.history.note(
            Phase.NOISE_CHOICE,
            chosen=chosen,
            n_rows=len(judging),
            gain=gain,
            standard_error=error,
        )
        if chosen == GAUSSIAN:
            return HomoscedasticNoise()
        return self.learn(np.arange(len(self._rows)), policy.SHORT_SEARCH)

    def learn(
        self, positions: Indices, stages: tuple[tuple[int, int], ...]
    ) -> HeteroscedasticNoise:
        """Return a noise by the inputs, learned from the errors of these rows."""
        left_out, rows = self._left_out.take(positions), self._rows.take(positions)
        prior = choose_log_noise(
            left_out, rows, self._variance, self._kernel, self._context, stages
        )
        log_noise = learn_log_noise_gp(prior, left_out, rows, self._variance)
        return HeteroscedasticNoise(
            self._kernel, self._context, stages, prior=prior, log_noise=log_noise
        )

    def _densities(self, noise: NoiseModel, learning: Indices, judging: Indices) -> Vector:
        """Return the log densities of rows that judge, calibrated on those that learned: (n,)."""
        scales = calibrate_noise(
            noise,
            self._left_out.take(learning),
            self._rows.take(learning),
            self._variance,
            may_find_tails=True,
        )
        factor = None
        if noise.log_noise is not None:
            factor = to_numpy(noise.log_noise.factor(self._rows.take(judging).X))
        return log_densities(self._left_out.take(judging), self._variance, scales, factor)


def _has_errors(left_out: LeftOut) -> bool:
    return bool(np.any(to_numpy(left_out.error) != 0.0))
