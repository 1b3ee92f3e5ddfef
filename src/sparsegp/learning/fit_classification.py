"""The whole fit of a classifier: hyperparameters, active set, posterior.

1. First hyperparameters: labels taken for numbers, exact Gaussian processes on nested subsets.
   Length scales found so are near those of the classifier, and the noise says how steep the
   probit should be.
2. An active set chosen by assumed density filtering (``selection.active_set``).
3. ``posterior="active"``: the outer loop of SS follows, and the sites of the active rows are
   all that the model knows. ``posterior="projected"``: the active rows become a basis, every
   row gets a site, and hyperparameters and basis inputs are polished on the evidence.

Or labels stay numbers, and a regression is the model (``least_squares``).

Labels are columns of ±1: one for two classes, one for each of more classes.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array, one_blas_thread
from sparsegp.learning.basis.active_set import choose_active_set, fit_active, log_evidence_of
from sparsegp.learning.budget.class_time_planner import (
    basis_to_choose,
    class_time_plan,
    left_to_polish,
    rows_at_the_end,
    rows_to_choose,
    rows_to_polish,
)
from sparsegp.learning.budget.time_planner import TimePlan
from sparsegp.learning.classes.class_fit import ClassFit, ClassSettings
from sparsegp.learning.classes.label_regression import (
    LEAST_SQUARES,
    fit_least_squares,
    shorten_least_squares,
)
from sparsegp.learning.classes.label_targets import labels_as_numbers, usual_margins
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.joint_parameters import join_parameters
from sparsegp.learning.hyperparameters.length_scale_bounds import reachable
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.site_hyperparameters import (
    likeliest_slope,
    polish,
    posteriors_of,
)
from sparsegp.model.posterior import Posterior
from sparsegp.model.sites.active_set import active_posterior, marginal_likelihood
from sparsegp.model.sites.updates import SCHEMES, Scheme
from sparsegp.tables.out_of_core import AnyRows, inputs_at
from sparsegp.tables.rows import Rows, needed_rows
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["ClassFit", "ClassSettings", "fit_classification", "rows_of_polish", "shorten_classes"]

# Most rows that choose the active set: each costs a number for every basis vector and class.
ROWS_FOR_SELECTION = 12_000
# Rows × basis vectors² × classes of one evaluation while the evidence is polished, and the
# fewest rows for each basis vector whatever that costs.
SIZE_OF_POLISH = 1e9
ROWS_PER_BASIS_VECTOR = 4
# And the most, however few basis vectors there are: these rows are held in memory.
ROWS_OF_POLISH = 200_000
EVALUATIONS = 80
# Of a basis with more than so many coordinates for each row: long searches fit the labels by it.
# Splice, 80 basis vectors of 240 columns, 2,000 rows: NLP 0.102 with 40 evaluations, 0.107 with 80.
COORDINATES_PER_ROW, EVALUATIONS_OF_MANY = 4, 40
# Coordinates of the basis that a search may move.
MOST_COORDINATES = 20_000

# At 1e-5 probabilities of a small basis were off by up to 0.002.
TOLERANCE_OF_POSTERIOR = 1e-6

# Rows × basis vectors²: below, threads cost more than they bring. And the basis vectors that are
# timed, if there is a limit of time.
SIZE_FOR_THREADS, BASIS_TO_TIME = 2e8, 128

# Of the time that there is, if there is a limit, for the first hyperparameters.
SHARE_OF_FIRST = 0.3
# And of what is left then, for the choice of the basis.
SHARE_OF_CHOICE = 0.5


def fit_classification(
    rows: AnyRows,
    scaling: Scaling | Warps,
    start: ClassParameters,
    settings: ClassSettings,
    context: FitContext,
    warm_start: Parameters | None = None,
) -> ClassFit:
    """Fit; the targets of the rows (n, C) are labels ±1, which ``scaling`` makes numbers of.

    A head start was found by labels as numbers.
    """
    elsewhere = not rows.on_host  # sites are found by NumPy alone
    if settings.inference == LEAST_SQUARES or elsewhere:
        return fit_least_squares(rows, scaling, start, settings, context, warm_start)
    biases = tuple(map(float, usual_margins(rows) / start.slope))
    parameters = replace(start, biases=biases)
    if settings.optimise:
        own = context.share(SHARE_OF_FIRST)
        found = labels_as_numbers(rows, scaling, start.kernel, own, warm_start)
        steepness = float(found.noise_variance**-0.5)
        parameters = replace(parameters, kernel=found.kernel).with_slope(steepness)
    max_basis = min(settings.active.max_basis, len(rows))
    if settings.posterior == "active":
        with _threads_for(len(rows), max_basis):
            fitted = _active(rows.load(), parameters, settings, context)
    else:
        fitted = _planned(rows, parameters, settings, max_basis, context)
    context.history.note_limit(context.budget)
    return fitted


def _threads_for(n_rows: int, n_basis: int) -> AbstractContextManager[object]:
    return one_blas_thread() if n_rows * n_basis**2 < SIZE_FOR_THREADS else nullcontext()


def _planned(
    rows: AnyRows,
    parameters: ClassParameters,
    settings: ClassSettings,
    max_basis: int,
    context: FitContext,
) -> ClassFit:
    """Project as large a basis, chosen by as many rows, as there is time for."""
    with _threads_for(len(rows), min(max_basis, BASIS_TO_TIME)):
        times = class_time_plan(rows, parameters, SCHEMES["ep"], context.budget)
    n, options = min(len(rows), ROWS_FOR_SELECTION), settings.active
    if context.budget.limited:
        max_basis = basis_to_choose(times, max_basis, _most_moved(settings, parameters, rows))
        n = rows_to_choose(times, n, max_basis, options)
        options = replace(options, max_basis=max_basis)
    with _threads_for(len(rows), max_basis):
        seen = _some(len(rows), n, context.rng)
        own = replace(settings, active=options)
        return _projected(rows, seen, parameters, own, times, context)


def _projected(
    rows: AnyRows,
    seen: npt.NDArray[np.intp],
    parameters: ClassParameters,
    settings: ClassSettings,
    times: TimePlan,
    context: FitContext,
) -> ClassFit:
    """Choose a basis by the rows ``seen``, and give every row a site."""
    budget = context.budget
    choosing = TimePlan(budget.part(SHARE_OF_CHOICE))
    chosen = choose_active_set(
        rows.take(seen), parameters, settings.active, context, choosing
    ).chosen
    indices = seen[chosen.indices]
    Z = inputs_at(rows.X, indices)
    moves = _moves(settings, parameters, Z)
    inference = settings.inference
    if inference == "auto":
        inference = "variational" if moves else "ep"
    if settings.optimise:
        parameters, Z = _polish(rows, Z, parameters, SCHEMES[inference], moves, context, times)
    known: AnyRows = rows
    if budget.limited:
        known = rows.subset(_some(len(rows), rows_at_the_end(times, len(indices)), context.rng))
    iterations = budget.iterations()
    posteriors, log_evidence = _project(known, Z, parameters, inference, iterations)
    if iterations.refused:
        budget.cut("final sites", "ended before they stood still")
    context.history.note(
        "final sites", log_evidence=log_evidence, jitter=posteriors[0].basis.jitter
    )
    return ClassFit(
        parameters,
        indices,
        chosen.full_path,
        posteriors,
        inference,
        log_evidence,
        context.history.entries,
    )


def _project(
    rows: AnyRows,
    Z: Array,
    parameters: ClassParameters,
    inference: str,
    go_on: Callable[[], bool] = lambda: True,
) -> tuple[tuple[Posterior, ...], float]:
    """Return the posteriors given the labels of all rows, and the log evidence."""
    scheme = SCHEMES[inference]
    found = posteriors_of(rows, Z, parameters, scheme, TOLERANCE_OF_POSTERIOR, go_on)
    return found.posteriors, found.log_evidence


def _some(n: int, most: int, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Return the positions of all rows, or of as many random ones as are wanted."""
    return np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False))


def _most_moved(settings: ClassSettings, parameters: ClassParameters, rows: AnyRows) -> int:
    """Return how many basis vectors could be moved, in a fit with a limit of time.

    None, for more classes than two: they share a basis, and fewer that move are worse (NLP of eight
    classes in 17 s: 1.05 with 84 that move, 0.97 with 246 that stay).
    """
    few = max(1, MOST_COORDINATES // int(rows.X.shape[1]))
    one = len(parameters.biases) == 1
    return few if one and _moves(settings, parameters, rows.X[:1, :]) else 0


def _moves(settings: ClassSettings, parameters: ClassParameters, Z: Array) -> bool:
    """Tell whether the basis inputs are moved."""
    if settings.refine_basis == "auto":
        small = Z.shape[0] * Z.shape[1] <= MOST_COORDINATES
        return settings.optimise and parameters.kernel.moves_inputs and small
    return bool(settings.refine_basis)


def _polish(
    rows: AnyRows,
    Z: Array,
    parameters: ClassParameters,
    scheme: Scheme,
    moves: bool,
    context: FitContext,
    times: TimePlan,
) -> tuple[ClassParameters, Array]:
    """Return hyperparameters and basis inputs of a high evidence."""
    m = Z.shape[0]
    n_rows = rows_of_polish(m, len(parameters.biases))
    if times.budget.limited:
        n_rows = rows_to_polish(times, min(n_rows, len(rows)), m, moves=moves)
        if not n_rows:
            return parameters, Z
    some = rows.take(_some(len(rows), n_rows, context.rng)) if n_rows < len(rows) else rows.load()
    if moves:
        parameters = replace(parameters, kernel=reachable(parameters.kernel, some.X))
    parameters = likeliest_slope(some, Z, parameters, scheme)
    context.history.note("first slope", slope=parameters.slope)
    start = join_parameters(parameters, Z, moves=moves)
    own = context.with_budget(left_to_polish(times, m, moves=moves))
    free = moves and start.Z.size > COORDINATES_PER_ROW * len(some)
    evaluations = min(EVALUATIONS, EVALUATIONS_OF_MANY) if free else EVALUATIONS
    found = polish(some, start, scheme, evaluations, own)
    return found.parameters, found.Z


def rows_of_polish(n_basis: int, n_columns: int) -> int:
    """Return how many rows hyperparameters and basis inputs are polished by."""
    affordable = int(SIZE_OF_POLISH / (n_basis * n_basis * n_columns))
    return max(min(affordable, ROWS_OF_POLISH), ROWS_PER_BASIS_VECTOR * n_basis)


def _active(
    rows: Rows,
    parameters: ClassParameters,
    settings: ClassSettings,
    context: FitContext,
) -> ClassFit:
    """Fit the model of SS: the sites of the active rows and nothing else."""
    options = settings.active if settings.optimise else replace(settings.active, max_rounds=0)
    fit = fit_active(rows, parameters, options, context)
    Z = rows.X[fit.chosen.indices, :]
    posteriors = tuple(
        active_posterior(fit.parameters.kernel, Z, sites) for sites in fit.chosen.sites
    )
    context.history.note("posterior of the active rows", predictive_loss=fit.loss)
    return ClassFit(
        fit.parameters,
        fit.chosen.indices,
        fit.chosen.full_path,
        posteriors,
        None,
        log_evidence_of(fit, rows),
        context.history.entries,
        fit.chosen.sites,
    )


def shorten_classes(fit: ClassFit, rows: AnyRows | None, n_basis: int) -> ClassFit:
    """Return the model with the first basis vectors only, at the same hyperparameters.

    The sites of active rows stay as they are; those of all rows are found anew.
    """
    if fit.inference == LEAST_SQUARES:
        return shorten_least_squares(fit, n_basis)
    indices, path = fit.chosen[:n_basis], fit.path[:n_basis]
    Z = fit.posteriors[0].basis.Z[:n_basis, :]
    if fit.inference is None:
        sites = tuple(column.first(n_basis) for column in fit.active_sites)
        kernel = fit.parameters.kernel
        posteriors = tuple(active_posterior(kernel, Z, column) for column in sites)
        value = sum(marginal_likelihood(kernel, Z, column).value for column in sites)
        return replace(
            fit,
            chosen=indices,
            path=path,
            posteriors=posteriors,
            log_evidence=value,
            active_sites=sites,
        )
    known = needed_rows(rows, 'a shorter model of posterior="projected"')
    posteriors, value = _project(known, Z, fit.parameters, fit.inference)
    return replace(fit, chosen=indices, path=path, posteriors=posteriors, log_evidence=value)
