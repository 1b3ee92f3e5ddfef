"""Choosing a basis and adapting the hyperparameters to it, in turn (KC section 4).

At fixed hyperparameters a basis is chosen; at a fixed basis the objective (``objectives``), as a
rule the evidence, is optimised for a few steps; the old basis is part of the next pool. It ends
when a round improves nothing, and the model of the best objective counts. (The density of rows
kept back was tried as the judge: on house8l it gained 0.1 in NLPD and lost a quarter in NMSE.)

By the evidence of DTC the rounds have a few hundred basis vectors. What these find out serves a
larger basis, which is chosen once, at the end: an evaluation costs as much as the basis is large,
squared.
"""

from dataclasses import dataclass, replace
from functools import partial

from sparsegp.arrays import Array
from sparsegp.learning.basis.choose_basis import (
    POOL_FACTOR_IN_TIME,
    BasisChooser,
    SelectedBasis,
    pool_size,
    rows_at,
    rows_that_choose,
    some_places,
)
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_planner import NO_TIME_LIMIT, TimePlan, settings_within_time
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.length_scale_prior import (
    log_prior,
    with_prior,
    without_prior,
)
from sparsegp.learning.hyperparameters.objectives import (
    EVIDENCE,
    settle_noise,
    size_of,
    sparse_objective,
)
from sparsegp.learning.hyperparameters.optimise import maximise
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.settings import Settings
from sparsegp.model.features import make_basis
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["select_and_adapt", "within_time"]

ADAPTATION = "hyperparameters at the basis"

# More rows than this hardly move the optimum of the evidence at a fixed basis.
ROWS_FOR_EVIDENCE = 10_000

# Basis vectors that hyperparameters are adapted to, of a larger basis the first ones. With 300 of
# 500 or of 1,000, errors are the same within 3 % on nine of ten tables (docs/defaults.md).
LARGEST_ADAPTED = 300
# Of a basis whose Gram matrix costs more multiplications than this (1,200 of it by 10,000 rows) the
# hyperparameters of the subsets stay: more basis vectors are worth more than an adaptation.
LARGEST_GRAM = 1.5e10
# With a limit of time: an adaptation begins only if there is time for so many evaluations of the
# evidence, each of which takes about three times as long as a pass over the rows.
FEWEST_EVALUATIONS = 4
PASSES_OF_EVALUATION = 3


def select_and_adapt(
    rows: AnyRows,
    candidates: Array,
    parameters: Parameters,
    settings: Settings,
    context: FitContext,
    *,
    learn: bool,
    times: TimePlan = NO_TIME_LIMIT,
) -> SelectedBasis:
    """Return the best basis and hyperparameters found, within the time there is."""
    choose = BasisChooser(rows, candidates, settings, context, times)
    most = min(settings.max_basis, int(candidates.shape[0]))
    n_rounds = settings.n_adaptations
    if n_rounds is None:  # who says how long it may take wants no time left over
        n_rounds = int(times.budget.limited or _is_cheap(len(rows), most))
    if not learn or not n_rounds:
        return choose(parameters, most)
    few = _adapted_to(most, settings)
    spare = _Spare.of(times, choose, min(len(rows), ROWS_FOR_EVIDENCE), few, most)
    if not spare.has_a_round(before=choose.seconds(few)):
        times.budget.cut(ADAPTATION, "left out")
        return choose(parameters, most)
    current = choose(parameters, few)
    is_all = few == most or len(current.indices) < few  # more are not there, or not wanted
    used = rows_at(rows, some_places(len(rows), ROWS_FOR_EVIDENCE, context.rng))
    best, value = _weigh(current, used, settings)
    for to_come in reversed(range(n_rounds)):
        adapted = _adapt(used, best, value, settings, context.with_budget(spare.to_adapt()))
        tried = [_weigh(adapted, used, settings)]
        # a random basis is as good as another, and the last one is chosen below
        again = settings.selection != "random" and (is_all or to_come)
        if again and spare.has_a_choice(choose.seconds(few)):
            chosen = choose(adapted.parameters, few, old=adapted.indices)
            tried.append(_weigh(chosen, used, settings))
        found, its_value = max(tried, key=lambda model: model[1])
        if its_value <= value:
            break
        best, value = found, its_value
        if not spare.has_a_round():
            break
    return best if is_all else choose(best.parameters, most, old=best.indices)


@dataclass(frozen=True)
class _Spare:
    """The time that rounds have: what is left beside all that follows them."""

    budget: TimeBudget
    weighing: float  # seconds to settle the noise of a basis

    @classmethod
    def of(
        cls, times: TimePlan, choose: BasisChooser, n_used: int, few: int, most: int
    ) -> "_Spare":
        """Leave time to finish, and to choose a larger basis before that."""
        larger = choose.seconds(most) if few < most else 0.0
        budget = times.budget.without(times.to_finish(most) + larger)
        return cls(budget, times.cost_model.of_pass(n_used, few))

    def has_a_round(self, *, before: float = 0.0) -> bool:
        """Tell whether there is time for a few evaluations after so many seconds."""
        return self.budget.has(
            before + (2 + PASSES_OF_EVALUATION * FEWEST_EVALUATIONS) * self.weighing
        )

    def to_adapt(self) -> TimeBudget:
        """Return the time for evaluations."""
        return self.budget.without(self.weighing)

    def has_a_choice(self, seconds: float) -> bool:
        """Tell whether there is time to choose again; if not, this is written down."""
        has = self.budget.has(self.weighing + seconds)
        if not has:
            self.budget.cut("selection after an adaptation", "left out")
        return has


def _adapted_to(most: int, settings: Settings) -> int:
    """Return how many basis vectors the rounds have.

    All of them but for the evidence of DTC: the bound of VFE pays for what a basis leaves, and its
    hyperparameters belong to that size (from 300 of 500 errors were up to 3 % larger, bike's 29 %).
    """
    rule = settings.rule
    own_size = rule.in_bound or rule.in_noise or settings.objective != EVIDENCE
    return most if own_size else min(most, LARGEST_ADAPTED)


def _is_cheap(n_rows: int, n_basis: int) -> bool:
    """Tell whether a model of this size has its hyperparameters adapted."""
    return min(n_rows, ROWS_FOR_EVIDENCE) * n_basis**2 <= LARGEST_GRAM


def within_time(times: TimePlan, settings: Settings, rows: AnyRows, candidates: Array) -> Settings:
    """Return the settings, or smaller ones if these would take too long."""
    if not times.budget.limited:
        return settings
    n_candidates = int(candidates.shape[0])
    most = min(settings.max_basis, n_candidates)
    size = pool_size(settings, most, n_candidates)
    choosing = partial(rows_that_choose, len(rows), settings.selection)
    planned = settings_within_time(settings, times, choosing, most, size, POOL_FACTOR_IN_TIME)
    if planned is settings or _is_cheap(len(rows), most) or settings.n_adaptations is not None:
        return planned
    return replace(planned, n_adaptations=0)  # a smaller basis is no reason to begin with it


def _weigh(chosen: SelectedBasis, rows: Rows, settings: Settings) -> tuple[SelectedBasis, float]:
    """Return the model at the noise it settles on, and what its objective and prior are there."""
    basis = make_basis(chosen.parameters.kernel, chosen.Z)
    settled = settle_noise(basis, rows, chosen.parameters, settings.rule, settings.objective)
    prior = log_prior(settled.parameters)[0] if settings.length_scale_prior else 0.0
    return replace(chosen, parameters=settled.parameters), settled.value + prior


def _adapt(
    rows: Rows,
    chosen: SelectedBasis,
    value: float,
    settings: Settings,
    context: FitContext,
) -> SelectedBasis:
    """Optimise the objective at the basis, where it has a value, for a few steps."""
    iterations, n_evaluations = context.budget.iterations(), settings.n_evaluations
    objective = sparse_objective(rows, chosen.Z, settings.rule, settings.objective)
    found = maximise(
        with_prior(objective) if settings.length_scale_prior else objective,
        chosen.parameters,
        max_evaluations=n_evaluations,
        scale=size_of(settings.objective, value, rows),
        tell=lambda step, value: context.listener(Progress(ADAPTATION, step, n_evaluations, value)),
        go_on=iterations,
    )
    found = without_prior(found) if settings.length_scale_prior else found
    iterations.note(ADAPTATION, found.n_evaluations)
    context.history.note_optimum(ADAPTATION, found, settings.objective)
    return replace(chosen, parameters=found.parameters)
