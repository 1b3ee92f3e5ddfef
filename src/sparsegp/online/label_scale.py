"""Running calibration of the probabilities of a stream of labels.

Functions that are learned row by row, one class against the rest, on few basis vectors, may promise
too little or too much. So they are multiplied by a factor g, which follows the log probabilities of
labels before they are learned:

    log g ← log g + s/F,    s = ∂ log p(label | g)/∂ log g,    F ← F + s² − (F − F₀)/H,

steepest ascent in units of the Fisher information of about H rows. A factor on functions is the
inverse of one on the standard deviations of functions and noise. The most probable label of two
classes, or of several with equal variances, does not depend on it.
"""

from dataclasses import dataclass
from math import exp, isfinite, log

import numpy as np

from sparsegp.arrays import Array
from sparsegp.likelihoods import Probit
from sparsegp.model.classes import label_log_probabilities
from sparsegp.online.policy import (
    FIRST_INFORMATION,
    LABEL_HORIZON,
    LARGEST_LABEL_STEP,
    LARGEST_LOG_LABEL_SCALE,
)

__all__ = ["LabelScale"]

_STEP = 0.05  # of log g, for the central difference


@dataclass(frozen=True)
class LabelScale:
    """A factor on the latent functions of all classes."""

    value: float = 1.0
    information: float = FIRST_INFORMATION

    def after(self, probit: Probit, labels: Array, mean: Array, variance: Array) -> "LabelScale":
        """Return the scale after rows with these labels ±1, and beliefs before: (n, K) each.

        >>> right = np.ones((2000, 1))  # predicted with the probability 0.84, and always right
        >>> bool(LabelScale().after(Probit(1.0), right, right, 0.0 * right).value > 2.0)
        True
        """
        scale = self
        for row in range(len(labels)):
            one = slice(row, row + 1)
            scale = scale._after_row(probit, labels[one], mean[one], variance[one])
        return scale

    def _after_row(
        self, probit: Probit, labels: Array, mean: Array, variance: Array
    ) -> "LabelScale":
        factors = self.value * np.exp(np.array([[-_STEP], [_STEP]]))
        both = np.repeat(labels, 2, axis=0), factors * mean, np.repeat(variance, 2, axis=0)
        low, high = label_log_probabilities([probit] * labels.shape[1], *both).tolist()
        slope = (high - low) / (2.0 * _STEP)
        if not isfinite(slope):
            return self
        F = self.information + slope**2 - (self.information - FIRST_INFORMATION) / LABEL_HORIZON
        step = min(max(slope / F, -LARGEST_LABEL_STEP), LARGEST_LABEL_STEP)
        log_value = log(self.value) + step
        farthest = LARGEST_LOG_LABEL_SCALE
        return LabelScale(exp(min(max(log_value, -farthest), farthest)), F)
