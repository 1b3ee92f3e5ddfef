"""The beginning of a fit: first hyperparameters, and how noisy each row is.

Outliers bend hyperparameters, and hyperparameters decide who is an outlier. So a pilot, a model
with few basis vectors drawn at random, looks at the rows before hyperparameters are searched for by
rows as noisy as they look. It begins at the hyperparameters of the start, which no outlier has
bent, and looks again after the search. Where the noise was left open, its choice has seen the rows
already, and the pilot looks once. In a hurry it is not chosen but Gaussian, with the tails that the
calibration finds: to a model that was found in haste misfits look like outliers (pol in 9 s: RMSE
0.30 with the noise chosen). A noise that changes with the inputs waits for the final pass: where a
small basis explains little, errors are large, rows would get less to say and no basis vectors, and
what is a misfit would run away as noise.
"""

from dataclasses import dataclass, replace

import numpy as np

from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.conditioning import ConditionedModel, settle_rows
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.history import History
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

# Of the time that there is, if there is a limit, for each search of first hyperparameters, and for
# each pilot.
SHARE_OF_FIRST, SHARE_OF_PILOT = 0.4, 0.1
# With more rows than this the noise is not chosen unless that is asked for: other kinds than the
# Gaussian one keep all rows at hand and pass over them several times.
MOST_ROWS_TO_CHOOSE = 20_000
# Basis vectors and rows of a pilot, and how often it looks at the rows.
PILOT_BASIS, PILOT_ROWS, PILOT_TURNS = 200, 5_000, 12


@dataclass(frozen=True)
class Initialisation:
    """What is known before a basis is chosen."""

    parameters: Parameters
    rows: AnyRows  # as noisy as they look
    model: NoiseModel


def initialise(
    rows: AnyRows,
    start: Parameters,
    settings: Settings,
    context: FitContext,
    warm_start: Parameters | None,
) -> Initialisation:
    """Return first hyperparameters and noise of the rows."""

    def search(rows: AnyRows, known: Parameters | None) -> Parameters:
        if not settings.optimise:
            return start
        if not settings.search:
            return known or start
        found = first_parameters(
            rows,
            start,
            context.share(SHARE_OF_FIRST),
            n_restarts=settings.n_restarts,
            warm_start=known,
            length_scale_prior=settings.length_scale_prior,
        )
        return found[-1].parameters

    kind = _kind(rows, settings, context.budget)
    own = context.spawn()  # what is only tried leaves the random numbers of the fit as they are
    known = warm_start or start if kind == STUDENT_T else search(rows, warm_start)
    if kind == AUTO:
        model = choose_noise(rows, known, start, settings, own)
    else:
        model = noise_model(kind, start, own.share(SHARE_OF_PILOT))
    if isinstance(model, StudentTNoise):
        rows = rows.load()  # the noise is known row by row
        if kind != AUTO:  # nothing has seen the rows yet
            begun = _pilot(rows, start, settings, model, own)
            known, model = search(begun.rows, warm_start), begun.model
        begun = _pilot(rows, known, settings, model, own)
        return replace(begun, parameters=search(begun.rows, begun.parameters))
    return Initialisation(
        known, rows if isinstance(model, HomoscedasticNoise) else rows.load(), model
    )


def _kind(rows: AnyRows, settings: Settings, budget: TimeBudget) -> str:
    """Return the noise that is asked for, or whether to choose one; in a hurry it is not chosen."""
    if settings.noise is not None:
        return settings.noise
    choose = rows.on_host and len(rows) <= MOST_ROWS_TO_CHOOSE and settings.objective == EVIDENCE
    if choose and budget.cuts:
        budget.cut("choice of noise", "left out")
        return GAUSSIAN
    return AUTO if choose else GAUSSIAN


def _pilot(
    rows: Rows,
    parameters: Parameters,
    settings: Settings,
    model: NoiseModel,
    context: FitContext,
) -> Initialisation:
    """Look at the rows with a small model."""
    used = rows.take(context.rng.permutation(len(rows))[:PILOT_ROWS])
    found = settle_rows(
        used,
        used.X[: min(PILOT_BASIS, settings.max_basis), :],
        parameters,
        settings.rule,
        EVIDENCE if settings.optimise else None,
        model,
        PILOT_TURNS,
        context.budget.part(SHARE_OF_PILOT),
    )
    looked = found.model.look(found.posterior, rows, found.parameters.noise_variance)
    note_noise(context.history, "noise of rows, by a pilot", found)
    return Initialisation(found.parameters, looked, found.model)


def note_noise(history: History, phase: str, found: ConditionedModel) -> None:
    """Say what is known of the noise."""
    facts: dict[str, float] = {"noise_variance": found.parameters.noise_variance}
    if found.model.tails.df is not None:
        facts["degrees_of_freedom"] = found.model.tails.df
    if found.model.log_noise is not None:
        facts["lowest_factor"] = float(np.exp(found.model.log_noise.low))
        facts["highest_factor"] = float(np.exp(found.model.log_noise.high))
    history.note(phase, n_turns=found.n_turns, **facts)
