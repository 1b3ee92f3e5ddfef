"""What the warm-up of a stream decides, and the task that decides it."""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from sparsegp.arrays import Array
from sparsegp.kernels.base import Kernel
from sparsegp.learning.context import FitContext
from sparsegp.learning.streams.lags import Lags
from sparsegp.likelihoods import Likelihood
from sparsegp.online.learn import Rule
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.columns import Columns
from sparsegp.tables.transforms.scaling import Scaling

__all__ = ["Inputs", "StreamConfig", "StreamSettings", "Task"]


@dataclass(frozen=True)
class StreamConfig:
    """What the first rows decide."""

    kernel: Kernel
    likelihood: Likelihood  # of the scaled targets, for the zero-mean function
    scaling_y: Scaling
    noise_variance: float
    calibrated: bool = False  # whether variances, or probabilities, follow the last rows
    largest_variance: float | None = None  # of functions, while hyperparameters are not learned

    def kept(self, variance: Array) -> Array:
        """Return the share of beliefs of this variance that stays if combined with N(0, C).

        C is the largest variance. Two values of a column that are close by chance put the next one
        hundreds of deviations away, where a linear kernel predicts anything: targets are then like
        those so far.
        """
        if self.largest_variance is None:
            return np.ones_like(variance)
        return self.largest_variance / (self.largest_variance + variance)


@dataclass(frozen=True)
class Inputs:
    """The transform of the columns, as the first rows decide."""

    transform: Scaling | Columns
    columns: tuple[str, ...]  # the kind of transform of each


class Task(Protocol):
    """What is learned: numbers or classes."""

    def set_up(
        self,
        rows: Rows,
        columns: tuple[str, ...],
        context: FitContext,
        previous: StreamConfig | None = None,
    ) -> tuple[Inputs, StreamConfig]:
        """Decide by rows, as given: (n, D) and (n, K); columns may be left open.

        A search may continue from the ``previous`` decision.
        """


@dataclass(frozen=True)
class StreamSettings:
    """Options, checked."""

    rule: Rule
    transform_inputs: str | tuple[str, ...]  # of all columns, or of each
    n_warmup: int
    seed: int
    forgetting: str | float | None = None  # a rate, or "auto"
    lags: Lags = field(default_factory=Lags)
    uses_last: bool = False  # whether the last target may be a part of the prediction
    relearns: bool = False  # whether hyperparameters are learned again if the model does not fit
