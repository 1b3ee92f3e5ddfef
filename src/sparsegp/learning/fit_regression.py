"""The whole fit of a sparse regression model: hyperparameters, basis, posterior.

1. First hyperparameters from exact Gaussian processes on nested subsets, and how noisy each row
   is, if rows differ (``initialise``).
2. A basis chosen at these hyperparameters, then in turn a short optimisation of the objective
   (``objectives``) at the basis and a new choice, as long as that helps (``select_and_adapt``).
3. If asked for, basis inputs that leave the data (``refine``).
4. One pass over all rows for the posterior; if rows differ in noise a few, in turn with how noisy
   they are (``condition``).
5. Error bars calibrated by leave-one-out density (``calibrate``).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array
from sparsegp.kernels.base import FIXED, Vector
from sparsegp.learning.basis.adapt import select_and_adapt, within_time
from sparsegp.learning.basis.choose_basis import SelectedBasis
from sparsegp.learning.basis.refine import refine_inputs
from sparsegp.learning.budget.cost_model import measure_cost_model
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_planner import TimePlan
from sparsegp.learning.conditioning import ConditionedModel, condition, settle_rows
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.initialise import initialise, note_noise
from sparsegp.learning.hyperparameters.objectives import EVIDENCE, SCALE_FREE, settle_noise
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.calibrate import Calibration, common_scale
from sparsegp.learning.noise.noise_models import NoiseModel, calibrate_noise, noise_of
from sparsegp.learning.settings import Settings
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.moments import can_whiten_late, collect_moments
from sparsegp.model.noise.predictive import Noise
from sparsegp.model.posterior import Posterior
from sparsegp.selection import HAS_TURNING_POINT, in_samples
from sparsegp.tables.index_sampling import ComplementIndex, draw
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["RegressionFit", "condition", "fit_regression"]

Indices = npt.NDArray[np.intp]

FINAL_PASS = "final pass"
# Rows kept back from the choice of the basis to calibrate on: two scales are known well enough
# from the most, and so badly from less than the fewest that none are kept back.
SHARE_HELD_OUT = 0.15
MOST_HELD_OUT = 3_000
FEWEST_HELD_OUT = 100
# The pace of the machine is measured again before a final pass that is to take so many seconds.
WORTH_LOOKING = 0.5
# With ten times as many basis vectors whitening late costs up to so many times the digits.
DIGITS_OF_A_LARGER_BASIS = 1e3
# How often the final pass looks at how noisy the rows are, if they differ.
TURNS = 2


@dataclass(frozen=True)
class RegressionFit:
    """A fitted model and how it came about."""

    parameters: Parameters
    chosen: npt.NDArray[np.intp]  # positions among the candidates, in the order chosen
    path: Vector  # the criterion after each basis vector; may go on beyond the chosen ones
    posterior: Posterior
    evidences: Vector  # (m,), log evidence of every prefix of the basis
    calibration: Calibration
    noise: Noise  # of predictions
    rows: AnyRows  # all, or if they differ in noise those of the final pass, with their noise
    history: list[dict[str, Any]]


@dataclass(frozen=True)
class _Plan:
    """What a fit does, beyond choosing a basis and conditioning on the rows."""

    every: bool  # all rows are basis vectors: the model is exact
    learns: bool  # hyperparameters, at the basis
    refines: bool  # the inputs of the basis
    calibrates: bool  # the variances of predictions
    n_turns: int  # of estimating the noise of each row


def _plan(
    rows: AnyRows,
    candidates: Array | None,
    parameters: Parameters,
    settings: Settings,
    n_turns: int,
) -> _Plan:
    every = _takes_every_row(rows, candidates, settings)
    known = every and settings.search and settings.objective == EVIDENCE
    learns = settings.optimise and not known
    judged = learns or (settings.optimise and settings.any_tails)
    calibrates = settings.calibrate and judged and parameters.noise_bounds != FIXED
    return _Plan(every, learns, settings.refine_basis and learns, calibrates, n_turns)


def fit_regression(
    rows: AnyRows,
    start: Parameters,
    settings: Settings,
    context: FitContext,
    *,
    candidates: Array | None = None,
    warm_start: Parameters | None = None,
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
        The inputs that the basis is chosen from, transformed; None: those of the rows.
    warm_start : Parameters, optional
        Hyperparameters that the choice of the kernel has found.
    """
    budget, given, own = context.budget, rows, candidates is None
    begun = initialise(rows, start, settings, context, warm_start)
    parameters, rows = begun.parameters, begun.rows
    candidates = rows.X if candidates is None else candidates
    n_turns = min(TURNS, begun.model.most_turns)
    times = _timetable(rows, candidates, parameters, settings, budget, n_turns)
    settings = within_time(times, settings, rows, candidates)
    plan = _plan(rows, candidates if not own else None, parameters, settings, n_turns)
    keeps_back = plan.calibrates and not plan.every
    seen, held_out = _hold_out(len(rows), context.rng) if keeps_back else _all(len(rows))
    chosen = _choose(
        rows,
        seen,
        None if own else candidates,
        parameters,
        settings,
        context,
        plan.learns,
        times,
    )
    if plan.refines:
        chosen = _refined(chosen, rows, settings, context, times)
    if budget.limited:
        if times.to_finish(len(chosen.indices)) >= WORTH_LOOKING and budget.has():
            again = _timetable(rows, chosen.Z, chosen.parameters, settings, budget, n_turns)
            times = times.or_slower(again, len(chosen.indices))
        chosen, rows, held_out = _cut_to_time(chosen, rows, held_out, times, plan)
    found = _settled(chosen, rows, begun.model, settings, plan, context)
    if n_turns:
        rows = given = found.rows
    calibration = Calibration()
    if plan.calibrates:
        held_out = held_out[: times.held_out_within(len(held_out), len(chosen.indices))]
        calibration = _calibrate(found, rows, held_out, plan.every, settings, context)
    context.history.note_limit(budget)
    return RegressionFit(
        found.parameters,
        chosen.indices,
        chosen.path if len(chosen.path) else -found.evidences,
        calibration.applied_to(found.posterior) if plan.calibrates else found.posterior,
        found.evidences,
        calibration,
        noise_of(found.model, calibration, found.parameters.noise_variance),
        given,
        context.history.entries,
    )


def _refined(
    chosen: SelectedBasis,
    rows: AnyRows,
    settings: Settings,
    context: FitContext,
    times: TimePlan,
) -> SelectedBasis:
    """Move the inputs of the basis, in the time that is left before the final pass."""
    left = times.budget.without(times.to_finish(len(chosen.indices)))
    parameters, Z = refine_inputs(
        rows, chosen.Z, chosen.parameters, settings.rule, context.with_budget(left)
    )
    return replace(chosen, parameters=parameters, Z=Z)


def _cut_to_time(
    chosen: SelectedBasis, rows: AnyRows, held_out: Indices, times: TimePlan, plan: _Plan
) -> tuple[SelectedBasis, AnyRows, Indices]:
    """Return basis, rows and strangers that there is time for."""
    m = len(chosen.indices)
    m = m if plan.refines else times.basis_within(m)
    chosen = replace(chosen, indices=chosen.indices[:m], Z=chosen.Z[:m, :])
    return chosen, *_rows_within(times, rows, held_out, m)


def _settled(
    chosen: SelectedBasis,
    rows: AnyRows,
    model: NoiseModel,
    settings: Settings,
    plan: _Plan,
    context: FitContext,
) -> ConditionedModel:
    """Condition on the rows, and settle their noise."""
    context.listener(
        Progress(FINAL_PASS, 1, 1, float(chosen.path[-1]) if len(chosen.path) else np.nan)
    )
    looks = plan.learns or (plan.n_turns > 0 and settings.optimise)
    found = settle_rows(
        rows,
        chosen.Z,
        chosen.parameters,
        settings.rule,
        settings.objective if looks else None,
        model,
        plan.n_turns,
        context.budget,
    )
    jitter = found.posterior.basis.jitter
    context.history.note(FINAL_PASS, log_evidence=float(found.evidences[-1]), jitter=jitter)
    if plan.n_turns:
        note_noise(context.history, "noise of rows", found)
    return found


def _timetable(
    rows: AnyRows,
    inputs: Array,
    parameters: Parameters,
    settings: Settings,
    budget: TimeBudget,
    n_turns: int,
) -> TimePlan:
    """Return what there is time for, at the pace of a final pass with some of the inputs."""
    rule = settings.rule
    if not budget.limited or not budget.has():
        return TimePlan(budget, n_rows=len(rows))
    objective = settings.objective if settings.optimise else None

    def sums(used: Rows, m: int) -> Callable[[], object]:
        basis = make_basis(parameters.kernel, inputs[:m, :])
        if objective in (None, EVIDENCE):
            noise = parameters.noise_variance
            first = not can_whiten_late(basis, rows, noise, rule, DIGITS_OF_A_LARGER_BASIS)
            return lambda: collect_moments(basis, used, noise, rule, whiten_first=first)
        return lambda: settle_noise(basis, used, parameters, rule, str(objective))

    def whole(used: Rows, m: int) -> object:
        return condition(used, inputs[:m, :], parameters, rule, objective)

    cost_model = measure_cost_model(sums, whole, rows, int(inputs.shape[0]), budget)
    # a turn looks at the rows once and sums over them once
    return TimePlan(budget, cost_model, len(rows), 1 + 2 * n_turns)


def _rows_within(
    times: TimePlan, rows: AnyRows, held_out: Indices, m: int
) -> tuple[AnyRows, Indices]:
    """Return the rows that there is time for, and which of them are strangers."""
    n = times.rows_within(m)
    if n == len(rows):
        return rows, held_out
    others = ComplementIndex(len(rows), held_out)
    held_out = held_out[:n]
    step = len(others) / max(n - len(held_out), 1)
    some = others[(step * np.arange(n - len(held_out))).astype(np.intp)]
    return rows.subset(np.concatenate((held_out, some))), np.arange(len(held_out))


def _takes_every_row(rows: AnyRows, candidates: Array | None, settings: Settings) -> bool:
    """Tell whether the model will be exact; its evidence is then that of the subsets."""
    whole_pool = settings.cache_size is None or settings.cache_size >= len(rows)
    may_stop = settings.stop and settings.selection in HAS_TURNING_POINT
    enough = settings.max_basis >= len(rows)
    return candidates is None and enough and whole_pool and not may_stop


def _all(n: int) -> tuple[ComplementIndex, Indices]:
    """Part the rows into all and none."""
    none = np.empty(0, dtype=np.intp)
    return ComplementIndex(n, none), none


def _hold_out(n: int, rng: np.random.Generator) -> tuple[ComplementIndex, Indices]:
    """Part the rows into those that choose the basis and strangers for the calibration.

    A basis chosen by the targets of a row fits that row better than a new one, and leaving the
    row out of the posterior does not undo the choice. Strangers are part of the posterior.
    """
    size = min(MOST_HELD_OUT, int(SHARE_HELD_OUT * n))
    if size < FEWEST_HELD_OUT:
        return _all(n)
    held_out = np.sort(draw(n, size, rng))
    return ComplementIndex(n, held_out), held_out


def _calibrate(
    fitted: ConditionedModel,
    rows: AnyRows,
    held_out: Indices,
    exact: bool,
    settings: Settings,
    context: FitContext,
) -> Calibration:
    """Calibrate on the strangers; without any, on all rows if nothing else sets the variances.

    An exact model has chosen no basis: to it all rows are strangers.
    """
    scale_free = settings.objective in SCALE_FREE
    too_few = len(held_out) < FEWEST_HELD_OUT
    if too_few and not scale_free and not (exact and len(rows) >= FEWEST_HELD_OUT):
        return Calibration()
    variance = fitted.parameters.noise_variance
    calibration_rows = rows.load() if too_few else rows.take(held_out)
    left_out = leave_one_out(fitted.posterior, calibration_rows, variance)
    around = common_scale(left_out, variance) if scale_free else 1.0
    found = calibrate_noise(
        fitted.model, left_out, calibration_rows, variance, around, settings.any_tails
    )
    tails = {} if found.tails.df is None else {"degrees_of_freedom": found.tails.df}
    context.history.note(
        "calibration",
        noise=found.noise,
        residual=found.residual,
        slope=found.level.slope,
        curvature=found.level.curvature,
        **tails,
    )
    return found


def _choose(
    rows: AnyRows,
    seen: ComplementIndex,
    candidates: Array | None,
    parameters: Parameters,
    settings: Settings,
    context: FitContext,
    learn: bool,
    times: TimePlan,
) -> SelectedBasis:
    """Choose basis and hyperparameters by the rows at positions ``seen``."""
    those: AnyRows
    positions: ComplementIndex | Indices = seen
    if rows.is_out_of_core and in_samples(settings.selection, settings.n_fresh):
        positions = _fitting(seen, rows, settings, context.rng)
        those = rows.take(positions)
        if len(positions) < len(seen):
            context.history.note("rows that fit into memory", n_rows=len(positions), of=len(seen))
    elif len(seen) == len(rows):
        pool = rows.X if candidates is None else candidates
        return select_and_adapt(rows, pool, parameters, settings, context, learn=learn, times=times)
    else:
        those = rows.subset(seen)
    pool = those.X if candidates is None else candidates
    chosen = select_and_adapt(those, pool, parameters, settings, context, learn=learn, times=times)
    return replace(chosen, indices=positions[chosen.indices]) if candidates is None else chosen


def _fitting(
    seen: ComplementIndex, rows: AnyRows, settings: Settings, rng: np.random.Generator
) -> Indices:
    """Return as many of the rows as fit into memory for a criterion that looks at each of them."""
    most = settings.memory.rows_in_samples(
        rows.n_columns, rows.n_outputs, settings.max_basis, settings.cache_size or 0
    )
    if len(seen) <= most:
        return np.asarray(seen)
    return np.asarray(seen[np.sort(rng.choice(len(seen), most, replace=False))])
