"""The posterior of a basis given rows: at a given noise, at the best noise, with noise by row.

- ``condition``: the posterior at given hyperparameters.
- ``optimise_noise``: the same, at the noise variance of the highest evidence.
- ``condition_reweighted``: alternates between the posterior and the noise of each row, which the
  errors of the posterior tell (iteratively reweighted least squares).

All return a ``ConditionedModel``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from sparsegp.arrays import Array, to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.budget.time_budget import UNLIMITED, TimeBudget
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.noise_variance import likeliest_noise
from sparsegp.learning.hyperparameters.objectives import EVIDENCE
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise import policy
from sparsegp.learning.noise.noise_models import HomoscedasticNoise, NoiseModel
from sparsegp.model.approximation import Approximation
from sparsegp.model.evidence import evidence_of
from sparsegp.model.features import Basis, make_basis
from sparsegp.model.leave_one_out.measures import loo_measure
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.moments import Moments, at_other_noise, collect_moments, least_noise
from sparsegp.model.posterior import Posterior, prefix_evidences, solve_posterior
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["ConditionedModel", "condition", "condition_reweighted", "optimise_noise"]


@dataclass(frozen=True)
class ConditionedModel:
    """A posterior, and what it was conditioned on."""

    parameters: Parameters
    posterior: Posterior
    value: float  # of the objective: the log evidence, or minus a leave-one-out measure
    evidences: Vector  # (m,), log evidence of every prefix of the basis
    rows: AnyRows  # with the noise factors that the noise model gives them
    noise: NoiseModel = field(default_factory=HomoscedasticNoise)
    n_iterations: int = 0  # of reweighting
    precision: str = ""  # "mixed", or why it is "double" where "mixed" was to be tried


def condition(
    basis: Basis,
    rows: AnyRows,
    parameters: Parameters,
    rule: Approximation,
    objective: str = EVIDENCE,
    moments: Moments | None = None,
    *,
    single: bool = False,
) -> ConditionedModel:
    """Condition on the rows at given hyperparameters, by moments that may be known already."""
    variance = parameters.noise_variance
    if moments is None:
        moments = collect_moments(basis, rows, variance, rule, single=single)
    posterior = solve_posterior(basis, moments, rule)
    if objective == EVIDENCE:
        value = evidence_of(posterior, moments, variance, rule)
    else:
        value = -_loo(objective, posterior, variance, rows)
    evidences = to_numpy(prefix_evidences(posterior, moments, variance, rule))
    return ConditionedModel(parameters, posterior, value, evidences, rows)


def optimise_noise(
    basis: Basis,
    rows: AnyRows,
    parameters: Parameters,
    rule: Approximation,
    objective: str = EVIDENCE,
    *,
    single: bool = False,
) -> ConditionedModel:
    """Condition on the rows at the noise variance of the highest evidence.

    If the objective is a leave-one-out measure, the old noise stays where that is better by it.
    """
    old = parameters.noise_variance
    moments = collect_moments(basis, rows, old, rule, single=single)
    likeliest = likeliest_noise(moments, parameters, rule)
    if likeliest.noise_variance < 2.0 * least_noise(moments, old):  # rounding hides the optimum
        moments = collect_moments(basis, rows, old, rule, whiten_first=True)
        likeliest = likeliest_noise(moments, parameters, rule)
    new = likeliest.noise_variance
    moved = moments if new == old else at_other_noise(moments, old, new)
    found = condition(basis, rows, likeliest, rule, objective, moved)
    if objective == EVIDENCE or new == old:
        return found
    unchanged = condition(basis, rows, parameters, rule, objective, moments)
    return found if found.value > unchanged.value else unchanged


def condition_reweighted(
    rows: AnyRows,
    Z: Array,
    parameters: Parameters,
    rule: Approximation,
    objective: str | None,
    noise: NoiseModel,
    n_iterations: int,
    budget: TimeBudget = UNLIMITED,
    precise: Callable[..., ConditionedModel] | None = None,
) -> ConditionedModel:
    """Condition on the rows; then update the noise model by the errors, and condition again.

    It ends after ``n_iterations``, when the noise of no row changes much, or when the time budget
    is spent. With an objective the noise variance is optimised each time, without one it stays.
    ``precise`` chooses the precision of a pass (``learning.precision``); None: double.
    """
    if objective is None:
        given = partial(condition, rule=rule)
    else:
        given = partial(optimise_noise, rule=rule, objective=objective)
    if precise is not None:
        given = partial(precise, given)
    steps = budget.iterations()
    steps()
    found = given(make_basis(parameters.kernel, Z), rows, parameters)
    n_iterations = min(n_iterations, noise.max_iterations)
    for iteration in range(n_iterations):
        if not steps():
            budget.cut(Phase.NOISE, f"after {iteration} of {n_iterations} iterations")
            return replace(found, noise=noise, n_iterations=iteration)
        before = rows.noise_factor
        noise, rows = noise.update(found.posterior, rows.load(), found.parameters.noise_variance)
        found = given(make_basis(found.parameters.kernel, Z), rows, found.parameters)
        if before is not None and rows.noise_factor is not None:
            change = np.abs(np.log(to_numpy(rows.noise_factor)) - np.log(to_numpy(before)))
            if float(np.max(change)) < policy.CONVERGED_LOG_FACTOR:
                return replace(found, noise=noise, n_iterations=iteration + 1)
    return replace(found, noise=noise, n_iterations=n_iterations)


def _loo(name: str, posterior: Posterior, variance: float, rows: AnyRows) -> float:
    """Return a leave-one-out measure: a mean over rows, out of core that of the blocks' means."""
    if rows.is_out_of_core:
        return rows.reduce(partial(_loo_of_block, name, posterior, variance)) / rows.total_weight
    return loo_measure(name, leave_one_out(posterior, rows, variance), variance)


def _loo_of_block(name: str, posterior: Posterior, variance: float, rows: Rows) -> float:
    return rows.total_weight * _loo(name, posterior, variance, rows)
