"""The rows that calibrate: held out of basis selection, part of the posterior.

A basis that was selected by the target of a row fits that row better than a new one, and leaving
the row out of the posterior does not undo the selection. Rows held out of the selection are as
good as new ones by their leave-one-out predictions, and cost no data: the posterior includes them.
"""

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from sparsegp.kernels.base import Kernel
from sparsegp.learning.conditioning import ConditionedModel
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.objectives import SCALE_FREE
from sparsegp.learning.noise import policy
from sparsegp.learning.noise.calibrate import Calibration, common_scale
from sparsegp.learning.noise.noise_models import NoiseModel, calibrate_noise
from sparsegp.learning.noise.noise_of_errors import noise_of_errors
from sparsegp.learning.noise.overfitted_mean import mean_scale
from sparsegp.learning.settings import Settings
from sparsegp.model.leave_one_out.predictions import LeftOut
from sparsegp.tables.index_sampling import ComplementIndex, draw
from sparsegp.tables.rows import Rows

__all__ = ["Calibrated", "HeldOut", "calibrate_on", "hold_out", "rows_to_calibrate"]

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class HeldOut:
    """The rows of a table in two parts."""

    seen: ComplementIndex  # positions of the rows that select the basis
    positions: Indices  # of the rows that calibrate, in order
    among_kept: Indices | None = None  # the same among the rows that a model keeps; None: all

    def __len__(self) -> int:
        return len(self.positions)

    def at_most(self, n: int) -> "HeldOut":
        """Return the same with n calibration rows at most, evenly distributed over the table."""
        if n >= len(self):
            return self
        some = (len(self) / n * np.arange(n)).astype(np.intp)
        among = None if self.among_kept is None else self.among_kept[some]
        return HeldOut(self.seen, self.positions[some], among)

    @classmethod
    def seen_too(cls, n: int, size: int, rng: np.random.Generator) -> "HeldOut":
        """Return all n rows as seen, and this number of them to calibrate on."""
        return cls(cls.none(n).seen, np.sort(draw(n, size, rng)))

    @classmethod
    def none(cls, n: int) -> "HeldOut":
        """Return all n rows as seen."""
        nothing = np.empty(0, dtype=np.intp)
        return cls(ComplementIndex(n, nothing), nothing)


@dataclass(frozen=True)
class Calibrated:
    """The noise of predictions, its scales, and the positions of the rows that calibrated."""

    noise: NoiseModel
    scales: Calibration = field(default_factory=Calibration)
    positions: Indices = field(default_factory=lambda: np.empty(0, dtype=np.intp))


def hold_out(
    n: int, rng: np.random.Generator, *, exact: bool = False, kept: Indices | None = None
) -> HeldOut:
    """Hold out some of n rows at random; none if they would be too few.

    An exact model selects nothing: all rows are as good as held out, and of many some calibrate.
    Where a model keeps the rows at positions ``kept`` (in order) alone, some of these calibrate.
    """
    if exact:
        most = policy.MAX_HELD_OUT
        return HeldOut.seen_too(n, most, rng) if n > most else HeldOut.none(n)
    size = min(policy.MAX_HELD_OUT, int(policy.SHARE_HELD_OUT * n))
    if size < policy.MIN_HELD_OUT:
        return HeldOut.none(n)
    if kept is None:
        positions = np.sort(draw(n, size, rng))
        return HeldOut(ComplementIndex(n, positions), positions)
    among = np.sort(draw(len(kept), size, rng))
    return HeldOut(ComplementIndex(n, kept[among]), kept[among], among)


def rows_to_calibrate(
    held_out: HeldOut, n: int, objective: str | None, *, exact: bool
) -> HeldOut | None:
    """Return which of n rows calibrate: held-out ones; if these are too few, all or none (None).

    An exact model has selected no basis: all rows are as good as held out. Objectives that do not
    determine the size of variances need some calibration in any case.
    """
    if len(held_out) >= policy.MIN_HELD_OUT:
        return held_out
    all_serve = objective in SCALE_FREE or (exact and n >= policy.MIN_LEFT_OUT)
    return HeldOut(held_out.seen, np.arange(n)) if all_serve else None


def calibrate_on(
    positions: Indices,
    used: Rows,
    left_out: LeftOut,
    fitted: ConditionedModel,
    settings: Settings,
    context: FitContext,
    *,
    kernel: Kernel,
    noise_is_open: bool = False,
    mean_is_open: bool = False,
) -> Calibrated:
    """Calibrate the predictions of the rows at these positions, each left out of the model.

    ``used`` are the rows themselves.

    If the noise is open, the errors choose the noise of predictions, in a search that starts at
    ``kernel``. If the mean is, it is scaled where it follows the noise.
    """
    variance, noise = fitted.parameters.noise_variance, fitted.noise
    # the location of Student's t is not the mean of a skewed target, and should not follow it
    scale = mean_scale(left_out) if mean_is_open and noise.tails.df is None else 1.0
    if scale < 1.0:
        left_out = left_out.with_mean_scaled(scale)
    if noise_is_open:
        left_out, used = left_out.to_host(), used.to_host()
        start = replace(fitted.parameters, kernel=kernel)
        noise = noise_of_errors(left_out, used, start, settings, context)
    around = common_scale(left_out, variance) if settings.objective in SCALE_FREE else 1.0
    found = calibrate_noise(
        noise,
        left_out,
        used,
        variance,
        around,
        settings.may_find_tails,
        policy.COST_OF_HEAVY_TAILS,
    )
    found = replace(found, mean=scale)
    tails = {} if found.tails.df is None else {"degrees_of_freedom": found.tails.df}
    context.history.note(
        Phase.CALIBRATION,
        noise=found.noise,
        residual=found.residual,
        slope=found.level.slope,
        curvature=found.level.curvature,
        **({"mean": scale} if scale < 1.0 else {}),
        **tails,
    )
    return Calibrated(noise, found, positions)
