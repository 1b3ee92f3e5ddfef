"""The start of a fit: first hyperparameters, and the noise of each row.

Outliers distort hyperparameters, and hyperparameters decide which rows are outliers. So a
preliminary model, with few basis vectors drawn at random, finds the noise of the rows before
hyperparameters are learned from the reweighted rows. It starts at the initial hyperparameters,
which no outlier has distorted, and runs again after the search. Where the kind of noise was chosen
by the data, the rows have been seen already, and it runs once.

If a time budget has cut anything so far, the noise is not chosen but Gaussian, with the tails that
the calibration finds: misfits of a hasty model look like outliers. Heteroscedastic noise waits for
the final pass: where a small basis explains little, errors are large, rows would lose weight and
basis vectors, and a misfit would be taken for noise for good.
"""

from dataclasses import dataclass, replace

import numpy as np

from sparsegp.arrays.placement import in_single_precision
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.conditioning import ConditionedModel, condition_reweighted
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.history import History
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters import policy
from sparsegp.learning.hyperparameters.exact_subsets import first_parameters
from sparsegp.learning.hyperparameters.objectives import EVIDENCE
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.choose_noise import choose_noise
from sparsegp.learning.noise.noise_models import (
    HomoscedasticNoise,
    NoiseModel,
    StudentTNoise,
    noise_model,
)
from sparsegp.learning.settings import AUTO, GAUSSIAN, STUDENT_T, Settings
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["Initialisation", "initialise", "note_noise"]


@dataclass(frozen=True)
class Initialisation:
    """What is known before a basis is selected."""

    parameters: Parameters
    rows: AnyRows  # with noise factors, if rows differ in noise
    noise: NoiseModel
    noise_is_open: bool = False  # one variance so far; errors of the whole model will choose


def initialise(
    rows: AnyRows,
    start: Parameters,
    settings: Settings,
    context: FitContext,
    warm_start: Parameters | None,
) -> Initialisation:
    """Return first hyperparameters and the noise of the rows."""
    kind = _kind(rows, settings, context.budget)
    own = context.spawn()  # trials leave the random numbers of the fit unchanged
    if kind == STUDENT_T:
        parameters = warm_start or start
    else:
        parameters = _search(rows, start, settings, context, warm_start)
    if kind == AUTO:
        noise = choose_noise(rows, parameters, start, settings, own)
    else:
        noise = noise_model(kind, start, own.share(policy.SHARE_OF_PRELIMINARY))
    if not isinstance(noise, StudentTNoise):
        by_row = not isinstance(noise, HomoscedasticNoise)
        is_open = _left_open(settings) and _is_large(rows)
        return Initialisation(parameters, rows.load() if by_row else rows, noise, is_open)
    rows = rows.load()  # the noise is known row by row
    if kind != AUTO:  # no model has seen the rows yet
        begun = _preliminary(rows, start, settings, noise, own)
        parameters = _search(begun.rows, start, settings, context, warm_start)
        noise = begun.noise
    begun = _preliminary(rows, parameters, settings, noise, own)
    found = _search(begun.rows, start, settings, context, begun.parameters)
    return replace(begun, parameters=found)


def _search(
    rows: AnyRows,
    start: Parameters,
    settings: Settings,
    context: FitContext,
    warm_start: Parameters | None,
) -> Parameters:
    """Return first hyperparameters, if they are learned before there is a basis."""
    if not settings.optimise:
        return start
    if not settings.search:
        return warm_start or start
    found = first_parameters(
        rows,
        start,
        context.share(policy.SHARE_OF_SUBSETS),
        n_restarts=settings.n_restarts,
        warm_start=warm_start,
        length_scale_prior=settings.length_scale_prior,
    )
    return found[-1].parameters


def _kind(rows: AnyRows, settings: Settings, budget: TimeBudget) -> str:
    """Return the noise that was asked for, or whether to choose one."""
    if settings.noise is not None:
        return settings.noise
    choose = _left_open(settings) and not _is_large(rows)
    if choose and budget.cuts and not policy.CHOOSE_NOISE_AFTER_CUTS:
        budget.cut(Phase.NOISE_CHOICE, "left out")
        return GAUSSIAN
    return AUTO if choose else GAUSSIAN


def _left_open(settings: Settings) -> bool:
    return settings.noise is None and settings.objective == EVIDENCE


def _is_large(rows: AnyRows) -> bool:
    return len(rows) > policy.MAX_ROWS_FOR_NOISE_CHOICE


def _preliminary(
    rows: Rows,
    parameters: Parameters,
    settings: Settings,
    noise: NoiseModel,
    context: FitContext,
) -> Initialisation:
    """Find the noise of the rows with a small model."""
    used = rows.take(context.rng.permutation(len(rows))[: policy.PRELIMINARY_ROWS]).to_host()
    found = condition_reweighted(
        used,
        used.X[: min(policy.PRELIMINARY_BASIS, settings.max_basis), :],
        parameters,
        settings.rule,
        EVIDENCE if settings.optimise else None,
        noise,
        policy.PRELIMINARY_ITERATIONS,
        context.budget.part(policy.SHARE_OF_PRELIMINARY),
    )
    posterior = found.posterior.beside(rows.X)
    reweighted = found.noise.reweight(posterior, rows, found.parameters.noise_variance)
    # in single precision: a search magnifies rounding, which depends on machine and device
    if reweighted.noise_factor is not None:
        factor = in_single_precision(reweighted.noise_factor)
        reweighted = replace(reweighted, noise_factor=factor)
    note_noise(context.history, Phase.PRELIMINARY_NOISE, found)
    return Initialisation(found.parameters, reweighted, found.noise)


def note_noise(history: History, phase: Phase, found: ConditionedModel) -> None:
    """Write down what is known of the noise."""
    facts: dict[str, float] = {"noise_variance": found.parameters.noise_variance}
    if found.noise.tails.df is not None:
        facts["degrees_of_freedom"] = found.noise.tails.df
    if found.noise.log_noise is not None:
        facts["lowest_factor"] = float(np.exp(found.noise.log_noise.low))
        facts["highest_factor"] = float(np.exp(found.noise.log_noise.high))
    history.note(phase, n_iterations=found.n_iterations, **facts)
