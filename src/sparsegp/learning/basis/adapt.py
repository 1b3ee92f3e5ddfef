"""Selection of a basis and adaptation of the hyperparameters to it, alternating (KC section 4).

At fixed hyperparameters a basis is selected; at a fixed basis the objective (``objectives``), by
default the evidence, is optimised for a few steps; the old basis is part of the next pool. It ends
when an iteration improves nothing, and the model of the best objective is returned; with
``accept_basis="always"`` every new basis takes the place of the old one, as in KC.

If adaptation was asked for, by a number or by ``optimizer="at_basis"``, all rows and the whole
basis take part, as in the papers. If not, it happens once, by no more rows and at no more basis
vectors than are cheap: an evaluation costs the square of the basis. The hyperparameters serve a
larger basis, which is selected at the end and contains the smaller one among its candidates, so
that more basis vectors start where fewer ended.
"""

from dataclasses import dataclass, replace
from math import isqrt

import numpy as np

from sparsegp.arrays import Array
from sparsegp.arrays.placement import beside
from sparsegp.learning.basis import policy
from sparsegp.learning.basis.candidates import Candidates
from sparsegp.learning.basis.select import BasisSelector, SelectedBasis, sample_rows
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_plan import NO_TIME_LIMIT, TimePlan
from sparsegp.learning.conditioning import optimise_noise
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters import shared_length_scales
from sparsegp.learning.hyperparameters.length_scale_prior import (
    log_prior,
    with_prior,
    without_prior,
)
from sparsegp.learning.hyperparameters.objectives import (
    EVIDENCE,
    objective_scale,
    sparse_objective,
)
from sparsegp.learning.hyperparameters.optimise import maximise
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.search_rows import rows_of_search
from sparsegp.learning.settings import ALWAYS, Settings
from sparsegp.model.features import make_basis
from sparsegp.tables.out_of_core import AnyRows

__all__ = ["select_and_adapt"]


def select_and_adapt(
    rows: AnyRows,
    candidates: Candidates,
    parameters: Parameters,
    settings: Settings,
    context: FitContext,
    *,
    learn: bool,
    times: TimePlan = NO_TIME_LIMIT,
) -> SelectedBasis:
    """Return the best basis and hyperparameters found, within the time there is."""
    selector = BasisSelector(rows, candidates, settings, context, times)
    most = min(settings.max_basis, len(candidates))
    n_iterations = 1 if settings.n_adaptations is None else settings.n_adaptations
    if not learn or not n_iterations:
        return selector.select(parameters, most)
    few = _adapted_size(len(rows), most, settings)
    used = _adapting_rows(rows, settings, few, context.rng)
    spare = _SpareTime.of(times, selector, len(used), few, most)
    if not spare.has_iteration(before=selector.seconds(few)):
        times.budget.cut(Phase.ADAPTATION, "left out")
        return selector.select(parameters, most)
    current = selector.select(parameters, few)
    is_all = few == most or len(current) < few  # there are no more, or the criterion stopped
    best, value = _at_best_noise(current, used, settings)
    always = settings.accept_basis == ALWAYS
    for to_come in reversed(range(n_iterations)):
        adapted = _adapt(used, best, value, settings, context.with_budget(spare.to_adapt()))
        tried = [_at_best_noise(adapted, used, settings)]
        # a random basis is as good as another, and the last one is selected below
        again = settings.selection != "random" and (is_all or to_come)
        if again and spare.has_selection(selector.seconds(few)):
            chosen = selector.select(adapted.parameters, few, old=adapted.indices)
            tried.append(_at_best_noise(chosen, used, settings))
        found, its_value = tried[-1] if always else max(tried, key=lambda model: model[1])
        if its_value <= value and not always:
            break
        best, value = found, its_value
        if not spare.has_iteration():
            break
    return best if is_all else selector.select(best.parameters, most, old=best.indices)


@dataclass(frozen=True)
class _SpareTime:
    """The time for adaptation: what is left beside all that follows it."""

    budget: TimeBudget
    weighing: float  # seconds to optimise the noise of a basis

    @classmethod
    def of(
        cls, times: TimePlan, selector: BasisSelector, n_used: int, few: int, most: int
    ) -> "_SpareTime":
        """Reserve the time to finish, and to select a larger basis before that."""
        larger = selector.seconds(most) if few < most else 0.0
        budget = times.budget.without(times.to_finish(most) + larger)
        return cls(budget, times.cost.seconds(n_used, few))

    def has_iteration(self, *, before: float = 0.0) -> bool:
        """Tell whether there is time for a few evaluations after some seconds."""
        passes = 2 + policy.PASSES_PER_EVALUATION * policy.MIN_EVALUATIONS
        return self.budget.has(before + passes * self.weighing)

    def to_adapt(self) -> TimeBudget:
        """Return the time for evaluations."""
        return self.budget.without(self.weighing)

    def has_selection(self, seconds: float) -> bool:
        """Tell whether there is time to select again; if not, this is recorded."""
        has = self.budget.has(self.weighing + seconds)
        if not has:
            self.budget.cut(Phase.SELECTION_AGAIN, "left out")
        return has


def _was_asked_for(settings: Settings) -> bool:
    return settings.n_adaptations is not None or not settings.search


def _adapting_rows(
    rows: AnyRows, settings: Settings, n_basis: int, rng: np.random.Generator
) -> AnyRows:
    """Return the rows of the objective: all if adaptation was asked for, else a sample.

    Out-of-core rows are read anew by each evaluation of the evidence. A leave-one-out measure needs
    its rows in memory, as many as fit.
    """
    size = policy.ROWS_FOR_EVIDENCE
    if _was_asked_for(settings):
        if rows.is_out_of_core and settings.objective == EVIDENCE:
            return rows
        fitting = settings.memory.rows_loaded(rows.n_columns, rows.n_outputs)
        size = max(size, fitting) if rows.is_out_of_core else len(rows)
    return rows_of_search(sample_rows(rows, size, rng), n_basis)


def _adapted_size(n_rows: int, most: int, settings: Settings) -> int:
    """Return how many basis vectors the hyperparameters are adapted to.

    All of them if adaptation was asked for. If not, a few hundred for the evidence of DTC; the
    bound of VFE and FITC's noise charge for what a basis leaves unexplained, so hyperparameters
    belong to its size, and are adapted at the largest one whose evaluations are cheap.
    """
    if _was_asked_for(settings):
        return most
    rule = settings.rule
    if rule.in_bound or rule.in_noise or settings.objective != EVIDENCE:
        n_used = min(n_rows, policy.ROWS_FOR_EVIDENCE)
        return min(most, isqrt(int(policy.MAX_GRAM_FOR_ADAPTATION) // n_used))
    return min(most, policy.MAX_ADAPTED_BASIS)


def _at_best_noise(
    chosen: SelectedBasis, rows: AnyRows, settings: Settings
) -> tuple[SelectedBasis, float]:
    """Return the model at its best noise variance, and its objective with the prior there."""
    basis = make_basis(chosen.parameters.kernel, _basis_beside(rows, chosen))
    found = optimise_noise(basis, rows, chosen.parameters, settings.rule, settings.objective)
    prior = log_prior(found.parameters)[0] if settings.length_scale_prior else 0.0
    if found.parameters.shared:
        prior += shared_length_scales.log_prior(found.parameters.kernel)[0]
    return replace(chosen, parameters=found.parameters), found.value + prior


def _basis_beside(rows: AnyRows, chosen: SelectedBasis) -> Array:
    """Return the basis where the rows are."""
    return chosen.Z if rows.is_out_of_core else beside(chosen.Z, like=rows.X)


def _adapt(
    rows: AnyRows, chosen: SelectedBasis, value: float, settings: Settings, context: FitContext
) -> SelectedBasis:
    """Optimise the objective at the basis, where it has a value, for a few steps."""
    iterations, n_evaluations = context.budget.iterations(), settings.n_evaluations
    objective, label = settings.objective, Phase.ADAPTATION.label()
    Z = _basis_beside(rows, chosen)
    target = sparse_objective(rows, Z, settings.rule, objective)
    found = maximise(
        with_prior(target) if settings.length_scale_prior else target,
        chosen.parameters,
        max_evaluations=n_evaluations,
        scale=objective_scale(objective, value, rows),
        tell=lambda step, value: context.listener(Progress(label, step, n_evaluations, value)),
        go_on=iterations,
    )
    found = without_prior(found) if settings.length_scale_prior else found
    iterations.note(label, found.n_evaluations)
    measure = None if objective == EVIDENCE else objective
    context.history.note_search(Phase.ADAPTATION, found, measure=measure)
    return replace(chosen, parameters=found.parameters)
