"""The whole fit of a sparse regression, given transformed rows.

1. First hyperparameters: with neighbours from conditional densities, together with their number
   (``neighbours.local_fit``); else from exact subsets, and the noise of each row if rows differ
   (``hyperparameters.initialise``).
2. A plan: which phases follow, and the sizes that the time budget allows
   (``budget.regression_plan``).
3. Calibration rows, held out of basis selection (``noise.calibration_rows``).
4. A basis (active set, inducing points) is selected, alternating with a short optimisation of the
   hyperparameters at that basis (``basis.selection_rows``, ``basis.adapt``).
5. If asked for, inducing inputs are optimised and leave the data (``basis.refine``).
6. The posterior given all rows: one pass, or a few that reweight the rows (``conditioning``).
7. Error bars are calibrated on the held-out rows (``noise.calibration_rows``), those of
   predictions that neighbours correct and those of the basis alone.
8. The mean of a warped target is mixed of two predictions (``target_mean``).

A row may be seen by up to eight models before the posterior. Each exists because the next one needs
its answer: (1) small exact models choose transforms and kernel; (2) exact models on nested subsets
find first hyperparameters; (3) three small sparse models compare kinds of noise, and (4) with
outliers a preliminary model finds the weight of each row; (5) a selection looks at the row as a
candidate, (6) an adaptation fits hyperparameters at a few hundred basis vectors, (7) the larger
basis is selected again, and (8) a refinement moves inducing inputs. A default fit of a large table
has 1, the conditional densities in place of 2, and 5; the rest are for tables that neighbours say
little of, for noise other than Gaussian, or on request.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.basis.candidates import Candidates
from sparsegp.learning.basis.refine import refine_inputs
from sparsegp.learning.basis.select import SelectedBasis
from sparsegp.learning.basis.selection_rows import select_by_seen_rows
from sparsegp.learning.budget.pass_cost import largest
from sparsegp.learning.budget.policy import MIN_CALIBRATION_ROWS
from sparsegp.learning.budget.regression_plan import (
    RegressionPlan,
    fit_final_pass,
    plan_regression,
)
from sparsegp.learning.conditioning import ConditionedModel, condition_reweighted
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.initialise import Initialisation, initialise, note_noise
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours.exact_process import learn_exact_process
from sparsegp.learning.neighbours.local_fit import LocalStart, start_with_neighbours
from sparsegp.learning.noise.calibrate import Calibration
from sparsegp.learning.noise.calibration_rows import (
    Calibrated,
    HeldOut,
    calibrate_on,
    hold_out,
)
from sparsegp.learning.noise.noise_models import (
    HomoscedasticNoise,
    NoiseModel,
    predictive_noise,
)
from sparsegp.learning.noise.policy import MAX_NEIGHBOURS_TO_CALIBRATE
from sparsegp.learning.precision import condition_in_precision
from sparsegp.learning.settings import Settings
from sparsegp.learning.target_mean import TargetMeans
from sparsegp.model.approximation import FITC
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.posterior import Posterior
from sparsegp.model.target_mean import TargetMean
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.transforms.warps import Warps

__all__ = ["BasisAlone", "RegressionFit", "fit_regression"]


@dataclass(frozen=True)
class BasisAlone:
    """How the basis predicts without its neighbours, which a compact file leaves out."""

    calibration: Calibration
    noise: Noise
    target_mean: TargetMean | None = None


@dataclass(frozen=True)
class RegressionFit:
    """A fitted model and its history."""

    parameters: Parameters
    chosen: npt.NDArray[np.intp]  # positions among the candidates, in the order of selection
    path: Vector  # the criterion after each basis vector; may be longer than the basis
    posterior: Posterior | NeighbourPosterior
    evidences: Vector  # (m,), log evidence of every prefix of the basis
    calibration: Calibration
    noise: Noise  # of predictions
    rows: AnyRows  # all, or if they differ in noise those of the final pass, with their noise
    history: list[dict[str, Any]]
    basis_alone: BasisAlone | None = None  # if there are neighbours
    target_mean: TargetMean | None = None  # if the target is warped


def fit_regression(
    rows: AnyRows,
    start: Parameters,
    settings: Settings,
    context: FitContext,
    *,
    candidates: Array | None = None,
    warm_start: Parameters | None = None,
    template: Kernel | None = None,
    targets: Warps | None = None,
) -> RegressionFit:
    """Fit a sparse regression.

    Parameters
    ----------
    rows : AnyRows
        Transformed inputs and targets.
    start : Parameters
    settings : Settings
    context : FitContext
    candidates : Array (N, D), optional
        The inputs that the basis is selected from, transformed; None: those of the rows.
    warm_start : Parameters, optional
        Hyperparameters that the choice of the kernel has found.
    template : Kernel, optional
        The kernel with its placeholder, if it was left open.
    targets : Warps, optional
        The warps of the targets, if they are warped.
    """
    local = start_with_neighbours(
        rows, start, settings, context, warm_start=warm_start, template=template
    )
    if local is None:
        begun = initialise(rows, start, settings, context, warm_start)
        begun = learn_exact_process(begun, start, template, settings, context)
    else:
        own = settings.rule  # neighbours explain what FITC's noise stands for
        settings = replace(settings, rule=FITC, refine_basis=False, selection_rule=own)
        begun = Initialisation(local.parameters, local.rows, HomoscedasticNoise())
    pool = Candidates.of(begun.rows, candidates)
    budget = context.budget
    if local is not None:
        budget = budget.without(max(local.reserve(budget.left()), 0.0))
    plan = plan_regression(begun, pool, settings, budget, adapts=local is None)
    held_out = _hold_out(plan, begun.rows, context)
    selected = select_by_seen_rows(
        begun.rows,
        held_out.seen,
        pool,
        begun.parameters,
        plan.settings,
        context,
        learn=plan.learns,
        times=plan.times,
    )
    if plan.refines:  # in the time that is left before the final pass
        left = plan.times.budget.without(plan.times.to_finish(len(selected)))
        own_time = context.with_budget(left)
        selected = refine_inputs(
            begun.rows, selected, plan.settings.rule, own_time, plan.settings.objective
        )
    selected, used, held_out = fit_final_pass(plan, selected, begun.rows, held_out)
    fitted = _condition(selected, used, begun.noise, plan, context)
    predicts = _predictions(fitted, held_out, plan, context, start.kernel, local, targets)
    context.history.note_time_limit(context.budget)
    return RegressionFit(
        fitted.parameters,
        selected.indices,
        selected.path if len(selected.path) else -fitted.evidences,
        predicts.posterior,
        fitted.evidences,
        predicts.calibration,
        predicts.noise,
        fitted.rows if plan.n_iterations else rows,
        context.history.entries,
        predicts.alone,
        predicts.target_mean,
    )


@dataclass(frozen=True)
class _Predictions:
    """How a conditioned model predicts."""

    posterior: Posterior | NeighbourPosterior
    calibration: Calibration
    noise: Noise
    alone: BasisAlone | None
    target_mean: TargetMean | None


def _predictions(
    fitted: ConditionedModel,
    held_out: HeldOut,
    plan: RegressionPlan,
    context: FitContext,
    kernel: Kernel,
    local: LocalStart | None,
    targets: Warps | None,
) -> _Predictions:
    """Add neighbours, calibrate, and mix the mean of a warped target."""
    neighbours = None if local is None else _with_neighbours(fitted, local.chosen.k)
    calibrated = _calibrate(fitted, held_out, plan, context, kernel, neighbours, local)
    means = _target_means(fitted, targets, calibrated, context)
    scaled = calibrated.scales.applied_to(fitted.posterior)
    posterior: Posterior | NeighbourPosterior = scaled
    alone = None
    if neighbours is not None:
        on_basis = _calibrate(fitted, held_out, plan, context.quiet(), kernel)
        alone = _alone(fitted, on_basis, means)
        posterior = replace(neighbours, posterior=scaled)
    noise = _noise(fitted, calibrated)
    mean = None if means is None else means.judged(posterior, calibrated, noise).mean
    return _Predictions(posterior, calibrated.scales, noise, alone, mean)


def _hold_out(plan: RegressionPlan, rows: AnyRows, context: FitContext) -> HeldOut:
    """Hold out the rows that calibrate."""
    if plan.calibrates:
        return hold_out(len(rows), context.rng, exact=plan.exact)
    return HeldOut.none(len(rows))


def _condition(
    selected: SelectedBasis,
    rows: AnyRows,
    noise: NoiseModel,
    plan: RegressionPlan,
    context: FitContext,
) -> ConditionedModel:
    """Condition on all rows, and on their noise if they differ in it."""
    value = float(selected.path[-1]) if len(selected.path) else np.nan
    context.listener(Progress(Phase.FINAL_PASS.label(), 1, 1, value))
    found = condition_reweighted(
        rows,
        selected.Z,
        selected.parameters,
        plan.settings.rule,
        plan.objective,
        noise,
        plan.n_iterations,
        context.budget,
        partial(condition_in_precision, precision=plan.settings.precision, rule=plan.settings.rule),
    )
    jitter, evidence = found.posterior.basis.jitter, float(found.evidences[-1])
    precision = {"precision": found.precision} if found.precision else {}
    context.history.note(Phase.FINAL_PASS, log_evidence=evidence, jitter=jitter, **precision)
    if plan.n_iterations:
        note_noise(context.history, Phase.NOISE, found)
    return found


def _with_neighbours(fitted: ConditionedModel, k: int) -> NeighbourPosterior:
    variance = fitted.parameters.noise_variance
    return NeighbourPosterior(fitted.posterior, fitted.rows.load(), variance, k)


def _noise(fitted: ConditionedModel, calibrated: Calibrated) -> Noise:
    variance = fitted.parameters.noise_variance
    return predictive_noise(calibrated.noise, calibrated.scales, variance)


def _alone(
    fitted: ConditionedModel, calibrated: Calibrated, means: TargetMeans | None
) -> BasisAlone:
    """Return how the basis predicts without its neighbours."""
    noise = _noise(fitted, calibrated)
    posterior = calibrated.scales.applied_to(fitted.posterior)
    own = None if means is None else means.judged(posterior, calibrated, noise).mean
    return BasisAlone(calibrated.scales, noise, own)


def _target_means(
    fitted: ConditionedModel, targets: Warps | None, calibrated: Calibrated, context: FitContext
) -> TargetMeans | None:
    """Return the linear predictions of a warped target, where rows are at hand to judge them."""
    if targets is None or fitted.rows.is_out_of_core or not len(calibrated.positions):
        return None
    if not context.budget.has(context.history.seconds_of(Phase.FINAL_PASS)):
        context.budget.cut(Phase.TARGET_MEAN, "left out")
        return None
    return TargetMeans.learned(fitted, targets)


def _calibrate(
    fitted: ConditionedModel,
    held_out: HeldOut,
    plan: RegressionPlan,
    context: FitContext,
    kernel: Kernel,
    neighbours: NeighbourPosterior | None = None,
    local: LocalStart | None = None,
) -> Calibrated:
    """Calibrate on as many of the held-out rows as there is time for."""
    if not plan.calibrates:
        return Calibrated(fitted.noise)
    n = plan.times.held_out_within(len(held_out), fitted.posterior.Z.shape[0])
    if local is not None:  # neighbours make a prediction several times as expensive
        n = min(n, MAX_NEIGHBOURS_TO_CALIBRATE // local.chosen.k)
        each = local.chosen.seconds
        n = largest(n, lambda rows: rows * each, context.budget.left(), MIN_CALIBRATION_ROWS)
    used = held_out.at_most(n)
    return calibrate_on(
        used,
        fitted,
        plan.settings,
        context,
        exact=plan.exact,
        kernel=kernel,
        neighbours=neighbours,
        noise_is_open=plan.noise_is_open,
    )
