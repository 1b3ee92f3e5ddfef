"""An active set and its hyperparameters, alternating: the outer loop of Algorithm 1 of SS.

At fixed hyperparameters an active set is selected; at fixed active set and sites the predictive
loss of the other rows (SS eq. 4), or the evidence of the sites, is optimised for a few steps. It
ends when a few iterations have brought no better model. The model that predicts the rows outside
its active set best is returned.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparsegp.kernels.base import Vector
from sparsegp.learning.basis import policy
from sparsegp.learning.budget.time_plan import NO_TIME_LIMIT, TimePlan
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.optimise import Objective, maximise
from sparsegp.likelihoods import Probit
from sparsegp.model.sites.active_set import (
    ActiveGradient,
    active_posterior,
    marginal_likelihood,
    predictive_loss,
)
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.selection.active_set import ActiveSet, select_active_set
from sparsegp.tables.rows import Rows

__all__ = [
    "OBJECTIVES",
    "ActiveFit",
    "ActiveSettings",
    "choose_active_set",
    "fit_active",
    "log_evidence_of",
    "loss_outside",
]

Indices = NDArray[np.intp]

OBJECTIVES = ("predictive_loss", "marginal_likelihood")


@dataclass(frozen=True)
class ActiveSettings:
    """Options of a fit, checked."""

    max_basis: int
    selection: str = "adaptive"
    n_candidates: int | None = None
    sites: str = "moment_matching"
    objective: str = "predictive_loss"
    stop: bool = False
    distinct: bool = True
    max_iterations: int = 20  # iter_max of SS; 0 keeps the hyperparameters as they are


@dataclass(frozen=True)
class ActiveFit:
    """A fitted model and its active set."""

    parameters: ClassParameters
    chosen: ActiveSet
    loss: float  # predictive loss of the rows outside the active set, mean of the columns


def loss_outside(chosen: ActiveSet, rows: Rows, parameters: ClassParameters) -> float:
    """Return the mean predictive loss of the rows that are not active (SS eq. 4)."""
    outside = _outside(len(rows), chosen)
    weight = None if rows.weight is None else rows.weight[outside]
    losses = [
        -probit.log_probability(
            rows.y[outside, c], chosen.mean[outside, c], chosen.variance[outside, c]
        )
        for c, probit in enumerate(parameters.probits)
    ]
    return float(np.average(np.mean(losses, axis=0), weights=weight))


def log_evidence_of(fit: ActiveFit, rows: Rows) -> float:
    """Return the log evidence of the sites, summed over the columns."""
    kernel, Z = fit.parameters.kernel, rows.X[fit.chosen.indices, :]
    return sum(marginal_likelihood(kernel, Z, sites).value for sites in fit.chosen.sites)


def _outside(n: int, chosen: ActiveSet) -> NDArray[np.intp]:
    """Return the positions of the rows that are not active; of all rows if all are active."""
    outside = np.setdiff1d(np.arange(n), chosen.indices)
    return outside if len(outside) else np.arange(n)


def fit_active(
    rows: Rows,
    start: ClassParameters,
    settings: ActiveSettings,
    context: FitContext,
) -> ActiveFit:
    """Fit within the time budget; ``rows.y`` (n, C) holds the labels ±1."""
    budget = context.budget
    n_iterations, before = settings.max_iterations if len(start.vector) else 0, budget.left()
    times = TimePlan(budget)
    current = best = choose_active_set(rows, start, settings, context, times)
    to_choose = before - budget.left() if budget.limited else 0.0
    since = 0  # iterations since the last gain
    for n_done in range(n_iterations):
        if since >= policy.ACTIVE_PATIENCE:
            break
        if not budget.has(2.0 * to_choose):
            budget.cut(Phase.ADAPTATION_ITERATIONS, f"ended after {n_done}")
            break
        own = context.with_budget(budget.without(to_choose))
        parameters = _adapt(rows, current, settings, own)
        current = choose_active_set(rows, parameters, settings, context, times)
        gained = current.loss < (1.0 - policy.ACTIVE_TOLERANCE) * best.loss
        since = 0 if gained else since + 1
        best = min(best, current, key=lambda fit: fit.loss)
    return best


def choose_active_set(
    rows: Rows,
    parameters: ClassParameters,
    settings: ActiveSettings,
    context: FitContext,
    times: TimePlan = NO_TIME_LIMIT,
) -> ActiveFit:
    """Select an active set at fixed hyperparameters."""
    total = min(settings.max_basis, len(rows))
    chosen = select_active_set(
        parameters.kernel,
        rows.X,
        rows.y,
        parameters.probits,
        max_basis=total,
        rng=context.rng,
        selection=settings.selection,
        n_candidates=settings.n_candidates,
        sites=settings.sites,
        stop=settings.stop,
        distinct=settings.distinct,
        weight=rows.weight,
        progress=lambda step, value: context.listener(
            Progress(Phase.SELECTION.label(), step, total, value)
        ),
        time_for=times.has_time_for if times.budget.limited else None,
    )
    if chosen.out_of_time:
        times.budget.cut(Phase.SELECTION, f"ended at {len(chosen.indices):,} basis vectors")
    if not len(chosen.indices):  # a kernel that is zero at every row: any one will do
        nothing = tuple(Sites.none(1) for _ in parameters.probits)
        chosen = replace(chosen, indices=np.zeros(1, dtype=np.intp), sites=nothing)
    loss = loss_outside(chosen, rows, parameters)
    context.history.note(Phase.SELECTION, n_basis=len(chosen.indices), predictive_loss=loss)
    return ActiveFit(parameters, chosen, loss)


def _adapt(
    rows: Rows,
    fit: ActiveFit,
    settings: ActiveSettings,
    context: FitContext,
) -> ClassParameters:
    """Return hyperparameters that suit the active set and its sites better."""
    Z, sites = rows.X[fit.chosen.indices], fit.chosen.sites
    outside = rows.take(_outside(len(rows), fit.chosen))
    if settings.objective == "predictive_loss":
        objective = _minus_loss(Z, sites, outside)
        return _search(objective, fit.parameters, 1.0, settings.objective, context)
    evidence = _evidence(Z, sites)
    scale = float(len(sites) * len(Z))
    found = _search(evidence, fit.parameters, scale, settings.objective, context)
    # the evidence of fixed sites knows neither slope nor bias: they follow the predictive loss
    objective = _minus_loss_by_link(Z, sites, outside, found)
    return _search(objective, found, 1.0, "slope and bias", context)


def _search(
    objective: Objective[ClassParameters],
    start: ClassParameters,
    scale: float,
    name: str,
    context: FitContext,
) -> ClassParameters:
    iterations = context.budget.iterations()
    detail, most = name.replace("_", " "), policy.ACTIVE_EVALUATIONS
    label = Phase.ACTIVE_ADAPTATION.label(detail)
    found = maximise(
        objective,
        start,
        max_evaluations=most,
        scale=scale,
        tell=lambda step, value: context.listener(Progress(label, step, most, value)),
        go_on=iterations,
    )
    iterations.note(label, found.n_evaluations)
    context.history.note(
        Phase.ACTIVE_ADAPTATION,
        detail,
        value=-found.value,
        n_evaluations=found.n_evaluations,
        n_rejections=found.n_rejections,
        converged=found.converged,
    )
    return found.parameters


def _minus_loss(Z: Vector, sites: Sequence[Sites], rows: Rows) -> Objective[ClassParameters]:
    """Return minus the predictive loss at fixed active set and sites."""

    def objective(parameters: ClassParameters) -> tuple[float, Vector]:
        found = [
            predictive_loss(parameters.kernel, Z, sites[c], probit, rows, c)
            for c, probit in enumerate(parameters.probits)
        ]
        return _mean_of_columns(parameters, found, -1.0)

    return objective


def _evidence(Z: Vector, sites: Sequence[Sites]) -> Objective[ClassParameters]:
    """Return the log evidence of fixed sites."""

    def objective(parameters: ClassParameters) -> tuple[float, Vector]:
        found = [marginal_likelihood(parameters.kernel, Z, column) for column in sites]
        return _mean_of_columns(parameters, found, float(len(found)))

    return objective


def _mean_of_columns(
    parameters: ClassParameters, found: Sequence[ActiveGradient], factor: float
) -> tuple[float, Vector]:
    """Return the mean of values and gradients, times a factor."""
    share = factor / len(found)
    gradient = parameters.gradient(
        np.sum([f.theta for f in found], axis=0),
        np.array([f.log_slope for f in found]),
        np.array([f.bias for f in found]),
    )
    return share * sum(f.value for f in found), share * gradient


def _minus_loss_by_link(
    Z: Vector, sites: Sequence[Sites], rows: Rows, at: ClassParameters
) -> Objective[ClassParameters]:
    """Return minus the predictive loss as a function of slope and biases alone: O(n)."""
    predicted = [active_posterior(at.kernel, Z, s).mean_and_variance(rows.X) for s in sites]
    nothing = np.zeros(len(at.kernel.theta))
    share = np.ones(len(rows)) if rows.weight is None else rows.weight
    share = share / np.sum(share)  # (n,)

    def of_column(c: int, probit: Probit) -> ActiveGradient:
        mean, variance = predicted[c]
        belief = probit.moment_match(rows.y[:, c], mean[:, 0], variance)
        by_slope = float(share @ probit.by_log_slope(belief))
        by_bias = float(share @ probit.by_bias(belief))
        return ActiveGradient(float(share @ belief.log_z), nothing, by_slope, by_bias)

    def objective(parameters: ClassParameters) -> tuple[float, Vector]:
        found = [of_column(c, probit) for c, probit in enumerate(parameters.probits)]
        return _mean_of_columns(parameters, found, 1.0)

    return objective
