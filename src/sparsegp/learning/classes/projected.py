"""The projected posterior of a classifier: an active set becomes a basis, and every row has a site.

An active set is selected by some of the rows. Then hyperparameters, and inducing inputs if they may
move, are optimised by the evidence of a site for every row, and the sites of all rows are iterated
to convergence.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, one_blas_thread
from sparsegp.arrays.placement import beside
from sparsegp.kernels.base import Vector
from sparsegp.learning.basis.active_set import choose_active_set
from sparsegp.learning.budget.class_time_plan import (
    basis_to_select,
    class_time_plan,
    left_to_optimise,
    rows_at_the_end,
    rows_to_optimise,
)
from sparsegp.learning.budget.time_plan import TimePlan
from sparsegp.learning.classes import policy
from sparsegp.learning.classes.class_fit import ClassFit, ClassSettings
from sparsegp.learning.classes.given_candidates import choose_candidates
from sparsegp.learning.classes.search_result import SearchResult
from sparsegp.learning.classes.sharing_of_labels import with_shared_length_scales
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.joint_parameters import JointParameters, join_parameters
from sparsegp.learning.hyperparameters.site_hyperparameters import (
    optimise_at_sites,
    posteriors_of,
)
from sparsegp.model.posterior import Posterior
from sparsegp.model.sites.gaussian_sites import Sites
from sparsegp.model.sites.updates import SCHEMES, Scheme
from sparsegp.tables.out_of_core import AnyRows, inputs_at

Indices = npt.NDArray[np.intp]

__all__ = [
    "fit_projected",
    "project",
    "rows_of_selection",
    "rows_to_optimise_by",
    "threads_for_size",
]


def fit_projected(
    rows: AnyRows,
    parameters: ClassParameters,
    settings: ClassSettings,
    max_basis: int,
    context: FitContext,
    candidates: Array | None = None,
) -> ClassFit:
    """Fit with as large a basis, selected by as many rows, as there is time for."""
    with threads_for_size(len(rows), min(max_basis, policy.BASIS_TO_TIME)):
        times = class_time_plan(rows, parameters, SCHEMES["ep"], context.budget)
    options = settings.active
    if context.budget.limited:
        movable = _max_moved(settings, parameters, rows)
        max_basis = basis_to_select(times, min(max_basis, movable or max_basis), moves=movable > 0)
        options = replace(options, max_basis=max_basis)
    with threads_for_size(len(rows), max_basis):
        seen = rows_of_selection(len(rows), context.rng)
        own = replace(settings, active=options)
        return _fit_basis(rows, seen, parameters, own, times, context, candidates)


def rows_of_selection(n_rows: int, rng: np.random.Generator) -> Indices:
    """Return the positions of the rows that select a basis: all, or random ones of many."""
    return _sample(n_rows, policy.ROWS_FOR_SELECTION, rng)


def threads_for_size(n_rows: int, n_basis: int) -> AbstractContextManager[object]:
    """Return one BLAS thread for models so small that more would slow them down."""
    return one_blas_thread() if n_rows * n_basis**2 < policy.SIZE_FOR_THREADS else nullcontext()


def _fit_basis(
    rows: AnyRows,
    seen: Indices,
    parameters: ClassParameters,
    settings: ClassSettings,
    times: TimePlan,
    context: FitContext,
    candidates: Array | None,
) -> ClassFit:
    """Select a basis by the rows ``seen``, and give every row a site."""
    budget = context.budget
    indices, Z, path = _select(rows, seen, parameters, settings, context, candidates)
    shared = False
    if settings.optimise:
        parameters, shared = with_shared_length_scales(rows, Z, parameters, context)
    moves = _moves(settings, parameters, Z, shared=shared)
    inference = settings.inference
    if inference == "auto":
        inference = "variational" if moves else "ep"
    found = SearchResult(join_parameters(parameters, Z, moves=moves))
    if settings.optimise:
        found = _optimise(rows, found.joint, SCHEMES[inference], context, times, shared=shared)
    parameters, Z = found.joint.parameters, found.joint.Z
    n = rows_at_the_end(times, len(indices)) if budget.limited else len(rows)
    known, sites = found.of_rows(rows, n, context.rng)
    if not budget.cuts:  # with time enough a fit is the one without a limit, bit for bit
        sites = None
    iterations = budget.iterations()
    posteriors, log_evidence = project(known, Z, parameters, inference, sites, iterations)
    if iterations.refused:
        budget.cut(Phase.FINAL_SITES, "ended before they converged")
    jitter = posteriors[0].basis.jitter
    context.history.note(Phase.FINAL_SITES, log_evidence=log_evidence, jitter=jitter)
    return ClassFit(
        parameters,
        indices,
        path,
        posteriors,
        inference,
        log_evidence,
        context.history.entries,
    )


def _select(
    rows: AnyRows,
    seen: Indices,
    parameters: ClassParameters,
    settings: ClassSettings,
    context: FitContext,
    candidates: Array | None,
) -> tuple[Indices, Array, Vector]:
    """Return positions among rows or candidates, the basis vectors there, and the path."""
    options, used = settings.active, rows.take(seen).to_host()
    if candidates is not None:
        candidates = beside(candidates, like=used.X)
        most = min(options.max_basis, len(candidates))
        given = choose_candidates(
            used, candidates, parameters, most, options.selection, context.rng
        )
        context.history.note(Phase.SELECTION, n_basis=len(given.indices))
        return given.indices, candidates[given.indices], given.full_path
    selecting = TimePlan(context.budget.part(policy.SHARE_OF_SELECTION), min_basis=1)
    chosen = choose_active_set(used, parameters, options, context, selecting).chosen
    positions = chosen.indices
    if chosen.out_of_time:  # of many classes: a basis of the planned size, the rest at random
        others = np.setdiff1d(np.arange(len(seen)), positions)
        n_more = min(options.max_basis, policy.BASIS_AT_RANDOM) - len(positions)
        more = context.rng.permutation(others)[: max(n_more, 0)]
        positions = np.concatenate((positions, more))
    indices = seen[positions]
    return indices, beside(inputs_at(rows.X, indices), like=used.X), chosen.full_path


def project(
    rows: AnyRows,
    Z: Array,
    parameters: ClassParameters,
    inference: str,
    start: Sites | None = None,
    go_on: Callable[[], bool] = lambda: True,
) -> tuple[tuple[Posterior, ...], float]:
    """Return the posteriors given the labels of all rows, and the log evidence."""
    scheme, Z = SCHEMES[inference], beside(Z, like=rows.X)
    found = posteriors_of(rows, Z, parameters, scheme, policy.SITE_TOLERANCE, start, go_on)
    return found.posteriors, found.log_evidence


def _sample(n: int, most: int, rng: np.random.Generator) -> Indices:
    """Return the positions of all rows, or of ``most`` random ones."""
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def _max_moved(settings: ClassSettings, parameters: ClassParameters, rows: AnyRows) -> int:
    """Return how many inducing inputs could be optimised, in a fit with a time budget.

    None with more than two classes: these share a basis, and fewer inputs that move are worse than
    more that do not.
    """
    few = max(1, policy.MAX_COORDINATES // int(rows.X.shape[1]))
    few_columns = len(parameters.biases) <= policy.MAX_LABEL_COLUMNS_TO_MOVE
    return few if few_columns and _moves(settings, parameters, rows.X[:1, :]) else 0


def _moves(
    settings: ClassSettings, parameters: ClassParameters, Z: Array, *, shared: bool = False
) -> bool:
    """Tell whether the inducing inputs are optimised: on request, or unless rows are few."""
    if settings.refine_basis == "auto":
        small = not shared and Z.shape[0] * Z.shape[1] <= policy.MAX_COORDINATES
        return settings.optimise and parameters.kernel.moves_inputs and small
    return bool(settings.refine_basis)


def _optimise(
    rows: AnyRows,
    start: JointParameters[ClassParameters],
    scheme: Scheme,
    context: FitContext,
    times: TimePlan,
    *,
    shared: bool,
) -> SearchResult:
    """Return hyperparameters and inducing inputs of a high evidence."""
    m, moves = start.Z.shape[0], start.moves
    n_rows = rows_to_optimise_by(m, len(start.parameters.biases))
    if times.budget.limited:
        n_rows = rows_to_optimise(times, min(n_rows, len(rows)), m)
        if not n_rows:
            return SearchResult(start)
    seen = _sample(len(rows), n_rows, context.rng)
    used = (rows.take(seen) if n_rows < len(rows) else rows.load()).to_host()
    own = context.with_budget(left_to_optimise(times, m))
    evaluations = policy.EVALUATIONS
    if moves and start.Z.size > policy.COORDINATES_PER_ROW * len(used):
        evaluations = min(evaluations, policy.EVALUATIONS_OF_MANY_COORDINATES)
    found, sites = optimise_at_sites(used, start, scheme, evaluations, own, shared=shared)
    return SearchResult(found, seen, sites)


def rows_to_optimise_by(n_basis: int, n_columns: int) -> int:
    """Return how many rows hyperparameters and inducing inputs are optimised by."""
    affordable = int(policy.EVALUATION_SIZE / (n_basis * n_basis * n_columns))
    most = min(affordable, policy.MAX_ROWS_TO_OPTIMISE)
    return max(most, policy.ROWS_PER_BASIS_VECTOR * n_basis)
