"""How a conditioned regression predicts: with neighbours, calibrated, in the units of the target.

1. The rows that calibrate are predicted without themselves, once for all that follows.
2. Their errors scale the variances, and choose the noise of predictions where it is still open
   (``noise.calibration_rows``).
3. The mean of a warped target is mixed of two predictions (``target_mean``).

With neighbours the predictions that they correct are calibrated, and those of the basis alone for a
file without the training rows.
"""

from dataclasses import dataclass, replace

from sparsegp.kernels.base import Kernel
from sparsegp.learning.budget.pass_cost import largest
from sparsegp.learning.budget.policy import MIN_CALIBRATION_ROWS
from sparsegp.learning.budget.regression_plan import RegressionPlan
from sparsegp.learning.conditioning import ConditionedModel
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.neighbours.local_fit import LocalStart
from sparsegp.learning.noise.calibrate import Calibration
from sparsegp.learning.noise.calibration_rows import (
    Calibrated,
    HeldOut,
    calibrate_on,
    rows_to_calibrate,
)
from sparsegp.learning.noise.noise_models import predictive_noise
from sparsegp.learning.noise.policy import MAX_NEIGHBOURS_TO_CALIBRATE, MIN_ROWS_TO_SCALE_APART
from sparsegp.learning.target_mean import TargetMeans
from sparsegp.model.leave_one_out.predictions import LeftOut, leave_one_out
from sparsegp.model.neighbours.leave_one_out import leave_one_out_of_neighbours
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.posterior import Posterior
from sparsegp.model.target_mean import TargetMean
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.warps import Warps

__all__ = ["BasisAlone", "Predictions", "calibrated_predictions"]


@dataclass(frozen=True)
class BasisAlone:
    """How the basis predicts without its neighbours, which a compact file leaves out."""

    calibration: Calibration
    noise: Noise
    target_mean: TargetMean | None = None


@dataclass(frozen=True)
class Predictions:
    """How a conditioned model predicts."""

    posterior: Posterior | NeighbourPosterior
    calibration: Calibration
    noise: Noise
    target_mean: TargetMean | None = None  # if the target is warped
    alone: BasisAlone | None = None  # if there are neighbours


def calibrated_predictions(
    fitted: ConditionedModel,
    held_out: HeldOut,
    plan: RegressionPlan,
    context: FitContext,
    *,
    kernel: Kernel,
    local: LocalStart | None = None,
    targets: Warps | None = None,
) -> Predictions:
    """Add neighbours, calibrate, and mix the mean of a warped target.

    Parameters
    ----------
    fitted : ConditionedModel
    held_out : HeldOut
    plan : RegressionPlan
    context : FitContext
    kernel : Kernel
        Where the search for a noise by the inputs starts.
    local : LocalStart, optional
        How many neighbours there are, and among which rows.
    targets : Warps, optional
        The warps of the targets, if they are warped.
    """
    used = _rows_to_calibrate(fitted, held_out, plan, context, local)
    means = _target_means(fitted, targets, used, context)
    some = None if used is None else fitted.rows.take(used.positions)  # fetched once
    calibration = _Calibration(fitted, used, some, means, plan, kernel)
    if local is None:
        return calibration.of(fitted.posterior, context, noise_is_open=plan.noise_is_open)
    kept = fitted.rows.load() if local.kept.positions is None else local.kept.rows
    variance = fitted.parameters.noise_variance
    corrected = NeighbourPosterior(fitted.posterior, kept, variance, local.chosen.k)
    found = calibration.of(corrected, context, noise_is_open=True)
    # a noise that depends on the inputs is left to the neighbours
    alone = calibration.of(fitted.posterior, context.quiet(), noise_is_open=plan.noise_is_open)
    return replace(found, alone=BasisAlone(alone.calibration, alone.noise, alone.target_mean))


@dataclass(frozen=True)
class _Calibration:
    """The calibration of a conditioned model."""

    fitted: ConditionedModel
    used: HeldOut | None  # the rows that calibrate, if any
    some: Rows | None  # the same
    means: TargetMeans | None
    plan: RegressionPlan
    kernel: Kernel

    def of(
        self,
        posterior: Posterior | NeighbourPosterior,
        context: FitContext,
        *,
        noise_is_open: bool,
    ) -> Predictions:
        """Calibrate the predictions of a posterior, with neighbours or without."""
        calibrated, left_out = Calibrated(self.fitted.noise), None
        if self.used is not None and self.some is not None:
            left_out = self._left_out(posterior, self.used, self.some)
            left_out = left_out.of_exact_process() if self._scales_apart(posterior) else left_out
            calibrated = calibrate_on(
                self.used.positions,
                self.some,
                left_out.of_outputs(slice(self.fitted.rows.n_outputs)),
                self.fitted,
                self.plan.settings,
                context,
                kernel=self.kernel,
                noise_is_open=noise_is_open,
                mean_is_open=self.means is None and isinstance(posterior, Posterior),
            )
        variance = self.fitted.parameters.noise_variance
        noise = predictive_noise(calibrated.noise, calibrated.scales, variance)
        mean = None
        if self.means is not None and left_out is not None:
            mean = self.means.judged(left_out, calibrated, noise)
        scaled = _scaled(posterior, calibrated.scales)
        if isinstance(scaled, Posterior) and self._scales_apart(posterior):
            scaled = replace(scaled, weight_scale=scaled.residual_scale)
        return Predictions(scaled, calibrated.scales, noise, mean)

    def _scales_apart(self, posterior: Posterior | NeighbourPosterior) -> bool:
        """Tell whether the variance of f, all of it that of the weights, has its own scale."""
        exact = self.plan.exact and isinstance(posterior, Posterior)
        n_rows = 0 if self.used is None else len(self.used.positions)
        return exact and n_rows >= MIN_ROWS_TO_SCALE_APART

    def _left_out(
        self, posterior: Posterior | NeighbourPosterior, used: HeldOut, some: Rows
    ) -> LeftOut:
        """Predict rows without themselves; with ``means`` the targets themselves, too."""
        if self.means is not None:  # all rows are in memory, and kept
            return self.means.left_out(posterior, some, used.positions)
        if isinstance(posterior, NeighbourPosterior):
            among = used.positions if used.among_kept is None else used.among_kept
            return leave_one_out_of_neighbours(posterior, among)
        return leave_one_out(posterior, some, self.fitted.parameters.noise_variance)


def _scaled(
    posterior: Posterior | NeighbourPosterior, scales: Calibration
) -> Posterior | NeighbourPosterior:
    if isinstance(posterior, NeighbourPosterior):
        search = posterior.search  # prepared already
        posterior = replace(posterior, posterior=scales.applied_to(posterior.posterior))
        posterior.__dict__["search"] = search
        return posterior
    return scales.applied_to(posterior)


def _rows_to_calibrate(
    fitted: ConditionedModel,
    held_out: HeldOut,
    plan: RegressionPlan,
    context: FitContext,
    local: LocalStart | None,
) -> HeldOut | None:
    """Return as many of the calibration rows as there is time for; None: nothing is calibrated."""
    if not plan.calibrates:
        return None
    n = plan.times.held_out_within(len(held_out), fitted.posterior.Z.shape[0])
    if local is not None:  # neighbours make a prediction several times as expensive
        n = min(n, MAX_NEIGHBOURS_TO_CALIBRATE // local.chosen.k)
        each = local.chosen.seconds
        n = largest(n, lambda rows: rows * each, context.budget.left(), MIN_CALIBRATION_ROWS)
    used, objective = held_out.at_most(n), plan.settings.objective
    return rows_to_calibrate(used, len(fitted.rows), objective, exact=plan.exact)


def _target_means(
    fitted: ConditionedModel,
    targets: Warps | None,
    used: HeldOut | None,
    context: FitContext,
) -> TargetMeans | None:
    """Return the linear predictions of a warped target, where rows are at hand to judge them."""
    if targets is None or fitted.rows.is_out_of_core or used is None or not len(used):
        return None
    if not context.budget.has(context.history.seconds_of(Phase.FINAL_PASS)):
        context.budget.cut(Phase.TARGET_MEAN, "left out")
        return None
    return TargetMeans.learned(fitted, targets)
