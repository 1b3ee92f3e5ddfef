"""The plan of a regression: which phases it has, and the sizes that its time budget allows."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sparsegp.kernels.base import FIXED
from sparsegp.learning.basis import policy as basis_policy
from sparsegp.learning.basis.candidates import Candidates
from sparsegp.learning.basis.select import SelectedBasis, pool_size, rows_for_selection
from sparsegp.learning.budget import policy
from sparsegp.learning.budget.pass_cost import time_pass
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.budget.time_plan import TimePlan, settings_within_time
from sparsegp.learning.conditioning import condition
from sparsegp.learning.hyperparameters.initialise import Initialisation
from sparsegp.learning.hyperparameters.objectives import EVIDENCE
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.noise import policy as noise_policy
from sparsegp.learning.noise.calibration_rows import HeldOut
from sparsegp.learning.settings import Settings
from sparsegp.model.features import make_basis
from sparsegp.selection import HAS_TURNING_POINT
from sparsegp.tables.index_sampling import ComplementIndex
from sparsegp.tables.out_of_core import AnyInputs, AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["RegressionPlan", "fit_final_pass", "plan_regression", "smaller_settings"]


@dataclass(frozen=True)
class RegressionPlan:
    """The phases of a fit beyond selection and conditioning, its settings and its time."""

    settings: Settings  # as given, or smaller if there is no time for them
    times: TimePlan
    exact: bool  # all rows are basis vectors
    learns: bool  # hyperparameters are adapted to the basis
    refines: bool  # inducing inputs are optimised
    calibrates: bool  # predictive variances are scaled
    n_iterations: int  # of the noise of each row
    noise_is_open: bool  # the errors of calibration rows choose it

    @property
    def objective(self) -> str | None:
        """What the noise variance of the final pass is optimised by; None: it stays."""
        reweights = self.n_iterations > 0 and self.settings.optimise
        return self.settings.objective if self.learns or reweights else None


def plan_regression(
    begun: Initialisation,
    candidates: Candidates,
    settings: Settings,
    budget: TimeBudget,
    *,
    adapts: bool = True,
) -> RegressionPlan:
    """Return the plan, after timing this machine if there is a time budget.

    Without ``adapts`` hyperparameters and noise are final already.
    """
    rows, parameters = begun.rows, begun.parameters
    n_iterations = min(noise_policy.FINAL_ITERATIONS, begun.noise.max_iterations)
    times = _time_plan(rows, candidates.X, parameters, settings, budget, n_iterations)
    settings = smaller_settings(times, settings, rows, candidates)
    exact = _takes_every_row(rows, candidates, settings)
    # an exact model has the evidence of the subsets, which has been optimised already
    searched = settings.search and settings.n_adaptations is None
    known = exact and searched and settings.objective == EVIDENCE
    learns = settings.optimise and adapts and not known
    worth = learns or (settings.optimise and (settings.may_find_tails or not adapts))
    calibrates = settings.calibrate and worth and parameters.noise_bounds != FIXED
    refines = settings.refine_basis and learns
    return RegressionPlan(
        settings, times, exact, learns, refines, calibrates, n_iterations, begun.noise_is_open
    )


def fit_final_pass(
    plan: RegressionPlan, selected: SelectedBasis, rows: AnyRows, held_out: HeldOut
) -> tuple[SelectedBasis, AnyRows, HeldOut]:
    """Cut basis, rows and calibration rows to what the final pass has time for."""
    times = plan.times
    if not times.budget.limited:
        return selected, rows, held_out
    # refined inducing inputs depend on each other and cannot be cut
    m = len(selected) if plan.refines else times.basis_within(len(selected))
    selected = replace(selected, indices=selected.indices[:m], Z=selected.Z[:m, :])
    rows, held_out = _rows_within(times, rows, held_out, m)
    return selected, rows, held_out


def smaller_settings(
    times: TimePlan, settings: Settings, rows: AnyRows, candidates: Candidates
) -> Settings:
    """Return the settings, or smaller ones if these would take too long."""
    if not times.budget.limited:
        return settings
    most = min(settings.max_basis, len(candidates))
    size = pool_size(settings, most, len(candidates))
    selecting = partial(
        rows_for_selection,
        len(rows),
        settings.selection,
        n_fresh=settings.n_fresh,
        asked=settings.n_rows_selection,
    )
    factor = basis_policy.POOL_FACTOR_IN_TIME
    return settings_within_time(settings, times, selecting, most, size, factor)


def _takes_every_row(rows: AnyRows, candidates: Candidates, settings: Settings) -> bool:
    """Tell whether all rows will be basis vectors, so that the model is exact."""
    whole_pool = settings.cache_size is None or settings.cache_size >= len(rows)
    may_stop = settings.stop and settings.selection in HAS_TURNING_POINT
    enough = settings.max_basis >= len(rows)
    return candidates.are_rows and enough and whole_pool and not may_stop


def _time_plan(
    rows: AnyRows,
    inputs: AnyInputs,
    parameters: Parameters,
    settings: Settings,
    budget: TimeBudget,
    n_iterations: int,
) -> TimePlan:
    """Return what there is time for, by timing a final pass with some of the inputs."""
    if not budget.limited or not budget.has():
        return TimePlan(budget, n_rows=len(rows))

    def final_pass(used: Rows, m: int) -> object:
        basis = make_basis(parameters.kernel, inputs[:m, :])
        return condition(basis, used, parameters, settings.rule, settings.objective)

    cost = time_pass(final_pass, rows, int(inputs.shape[0]), budget)
    # an iteration computes errors of the rows once and sums over them once
    n_passes = 1 + 2 * n_iterations + policy.PASSES_OF_CALIBRATION
    return TimePlan(budget, cost, len(rows), n_passes)


def _rows_within(
    times: TimePlan, rows: AnyRows, held_out: HeldOut, m: int
) -> tuple[AnyRows, HeldOut]:
    """Return the rows that there is time for, and which of them calibrate."""
    n = times.rows_within(m)
    if n == len(rows):
        return rows, held_out
    others = ComplementIndex(len(rows), held_out.positions)
    positions = held_out.positions[:n]
    step = len(others) / max(n - len(positions), 1)
    some = others[(step * np.arange(n - len(positions))).astype(np.intp)]
    first = np.arange(len(positions))
    among = None if held_out.among_kept is None else held_out.among_kept[: len(first)]
    used = rows.subset(np.concatenate((positions, some)))
    return used, HeldOut(ComplementIndex(n, first), first, among)
