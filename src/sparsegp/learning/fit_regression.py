"""The whole fit of a sparse regression, given transformed rows.

1. First hyperparameters: with neighbours from conditional densities, together with their number
   (``neighbours.local_fit``); else from exact subsets, and the noise of each row if rows differ
   (``hyperparameters.initialise``).
2. The number of basis vectors, if it is open, by held-out rows (``neighbours.choose_size``), and a
   plan: which phases follow, and the sizes that the time budget allows
   (``budget.regression_plan``).
3. Calibration rows, held out of basis selection (``noise.calibration_rows``).
4. A basis (active set, inducing points) is selected, alternating with a short optimisation of the
   hyperparameters at that basis (``basis.selection_rows``, ``basis.adapt``).
5. If asked for, inducing inputs are optimised and leave the data (``basis.refine``).
6. The posterior given all rows: one pass, or a few that reweight the rows (``conditioning``).
7. Error bars are calibrated on the held-out rows, those of predictions that neighbours correct and
   those of the basis alone, and the mean of a warped target is mixed of two (``predictions``).

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
from sparsegp.learning.neighbours.choose_size import choose_max_basis
from sparsegp.learning.neighbours.exact_process import (
    learn_exact_process,
    settings_to_begin,
)
from sparsegp.learning.neighbours.local_fit import LocalStart, start_with_neighbours
from sparsegp.learning.noise.calibrate import Calibration
from sparsegp.learning.noise.calibration_rows import (
    HeldOut,
    hold_out,
)
from sparsegp.learning.noise.noise_models import (
    HomoscedasticNoise,
    NoiseModel,
)
from sparsegp.learning.precision import condition_in_precision
from sparsegp.learning.predictions import BasisAlone, calibrated_predictions
from sparsegp.learning.settings import Settings
from sparsegp.model.approximation import FITC
from sparsegp.model.neighbours.prediction import NeighbourPosterior
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.posterior import Posterior
from sparsegp.model.target_mean import TargetMean
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.transforms.warps import Warps

__all__ = ["BasisAlone", "RegressionFit", "fit_regression"]


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
    begun, settings, local = _begin(rows, start, settings, context, warm_start, template)
    settings = _sized(begun, settings, local, context)
    pool = Candidates.of(begun.rows, candidates)
    budget = context.budget
    if local is not None:
        budget = budget.without(max(local.reserve(budget.left()), 0.0))
    plan = plan_regression(begun, pool, settings, budget, adapts=local is None)
    held_out = _hold_out(plan, begun.rows, context, local)
    selected = _select(begun, held_out, pool, plan, context)
    selected, used, held_out = fit_final_pass(plan, selected, begun.rows, held_out)
    fitted = _condition(selected, used, begun.noise, plan, context)
    predicts = calibrated_predictions(
        fitted,
        held_out,
        plan,
        context,
        kernel=start.kernel,
        local=local,
        targets=targets,
    )
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


def _begin(
    rows: AnyRows,
    start: Parameters,
    settings: Settings,
    context: FitContext,
    warm_start: Parameters | None,
    template: Kernel | None,
) -> tuple[Initialisation, Settings, LocalStart | None]:
    """Return first hyperparameters, and with neighbours how many, and settings that suit them."""
    local = start_with_neighbours(
        rows, start, settings, context, warm_start=warm_start, template=template
    )
    if local is None:
        first = settings_to_begin(rows, settings, warm_start)
        begun = initialise(rows, start, first, context, warm_start)
        return learn_exact_process(begun, start, template, settings, context), settings, None
    own = settings.rule  # neighbours explain what FITC's noise stands for
    settings = replace(settings, rule=FITC, refine_basis=False, selection_rule=own)
    return Initialisation(local.parameters, local.rows, HomoscedasticNoise()), settings, local


def _sized(
    begun: Initialisation, settings: Settings, local: LocalStart | None, context: FitContext
) -> Settings:
    """Return the settings with the number of basis vectors that held-out rows choose."""
    rows = begun.rows if local is None else local.kept.rows
    k = 0 if local is None else local.chosen.k
    m = choose_max_basis(rows, begun.parameters, k, settings, context)
    return replace(settings, max_basis=m, larger_sizes=())


def _select(
    begun: Initialisation,
    held_out: HeldOut,
    pool: Candidates,
    plan: RegressionPlan,
    context: FitContext,
) -> SelectedBasis:
    """Select the basis and adapt hyperparameters to it; optimise inducing inputs if asked for."""
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
    if not plan.refines:
        return selected
    # in the time that is left before the final pass
    left = plan.times.budget.without(plan.times.to_finish(len(selected)))
    own, rule = context.with_budget(left), plan.settings.rule
    return refine_inputs(begun.rows, selected, rule, own, plan.settings.objective)


def _hold_out(
    plan: RegressionPlan, rows: AnyRows, context: FitContext, local: LocalStart | None
) -> HeldOut:
    """Hold out the rows that calibrate, of those that the model keeps if it has neighbours."""
    if plan.calibrates:
        kept = None if local is None else local.kept.positions
        return hold_out(len(rows), context.rng, exact=plan.exact, kept=kept)
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
