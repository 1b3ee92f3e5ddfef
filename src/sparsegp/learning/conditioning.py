"""The posterior of a basis given rows, in turn with how noisy each of the rows is."""

from dataclasses import dataclass

import numpy as np

from sparsegp.arrays import Array, to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.budget.time_budget import UNLIMITED, TimeBudget
from sparsegp.learning.hyperparameters.objectives import settle_noise
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise.noise_models import NoiseModel
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import make_basis
from sparsegp.model.moments import collect_moments
from sparsegp.model.posterior import Posterior, prefix_evidences, solve_posterior
from sparsegp.tables.out_of_core import AnyRows

__all__ = ["ConditionedModel", "condition", "settle_rows"]

# The rows are settled when no noise of one changes by more than this factor, as a logarithm.
SETTLED = 0.01


@dataclass(frozen=True)
class ConditionedModel:
    """A posterior and all that it goes with."""

    parameters: Parameters
    posterior: Posterior
    evidences: Vector  # (m,), log evidence of every prefix of the basis
    rows: AnyRows  # as noisy as the model takes them to be
    model: NoiseModel
    n_turns: int


def condition(
    rows: AnyRows, Z: Array, parameters: Parameters, rule: Approximation, objective: str | None
) -> tuple[Parameters, Posterior, Vector]:
    """Return the posterior given all rows and the log evidence of every prefix.

    With an objective the noise is settled by it, given all rows.
    """
    basis = make_basis(parameters.kernel, Z)
    if objective is not None:
        settled = settle_noise(basis, rows, parameters, rule, objective)
        parameters, moments, posterior = settled.parameters, settled.moments, settled.posterior
    else:
        moments = collect_moments(basis, rows, parameters.noise_variance, rule)
        posterior = solve_posterior(basis, moments, rule)
    evidences = prefix_evidences(posterior, moments, parameters.noise_variance, rule)
    return parameters, posterior, to_numpy(evidences)


def settle_rows(
    rows: AnyRows,
    Z: Array,
    parameters: Parameters,
    rule: Approximation,
    objective: str | None,
    model: NoiseModel,
    n_turns: int,
    budget: TimeBudget = UNLIMITED,
) -> ConditionedModel:
    """Condition on the rows, and so many times more on rows as noisy as their errors say."""
    iterations = budget.iterations()
    iterations()
    found = condition(rows, Z, parameters, rule, objective)
    n_turns = min(n_turns, model.most_turns)
    for turn in range(n_turns):
        if not iterations():
            budget.cut("noise of rows", f"after {turn} of {n_turns} turns")
            return ConditionedModel(*found, rows, model, turn)
        before = rows.noise_factor
        model, rows = model.learn(found[1], rows.load(), found[0].noise_variance)
        found = condition(rows, Z, found[0], rule, objective)
        if before is not None and rows.noise_factor is not None:
            change = np.abs(np.log(to_numpy(rows.noise_factor)) - np.log(to_numpy(before)))
            if float(np.max(change)) < SETTLED:
                return ConditionedModel(*found, rows, model, turn + 1)
    return ConditionedModel(*found, rows, model, n_turns)
