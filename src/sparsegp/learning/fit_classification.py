"""The whole fit of a classifier, given transformed inputs and labels ±1.

1. First hyperparameters: labels are regression targets of exact Gaussian processes on nested
   subsets (``classes.label_targets``). The length scales are close to those of the classifier, and
   the noise tells the slope of the probit.
2. Then one of three posteriors:

   - ``posterior="active"``: the outer loop of SS alternates between selecting an active set by
     assumed density filtering and adapting hyperparameters (``basis.active_set``). The sites of the
     active rows are all that the model knows.
   - ``posterior="projected"``: the active set becomes a basis, every row has a site, and
     hyperparameters and inducing inputs are optimised by the evidence (``classes.projected``); a
     larger basis may follow for the posterior (``classes.larger_basis``).
   - ``inference="least_squares"``: labels stay numbers, and a sparse regression is the model
     (``classes.label_regression``).

Where ``inference`` is open both the second and the third are fitted to some rows first, and
held-out rows decide (``classes.choose_inference``).

Of a table on a device the rows that select and optimise are copied to the host, and the sites of
all rows are summed on the device; ``posterior="active"`` sees all rows on the host.

A row may be seen by up to five models before the posterior: (1) small exact models choose
transforms and kernel by labels as numbers; (2) exact models on nested subsets find first
hyperparameters; (3) the selection filters it once as a candidate; (4) sites of some rows are
optimised together with hyperparameters and inducing inputs; then (5) all rows have their sites. A
comparison of inferences shows some rows to three models more.

Labels are columns of ±1: one for two classes, one for each of more classes.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from sparsegp.arrays import Array
from sparsegp.kernels.base import FIXED
from sparsegp.learning.basis.active_set import fit_active, log_evidence_of
from sparsegp.learning.classes import policy
from sparsegp.learning.classes.choose_inference import Beginning, chosen_inference
from sparsegp.learning.classes.class_fit import ClassFit, ClassSettings
from sparsegp.learning.classes.label_regression import (
    LEAST_SQUARES,
    classifier_of,
    label_regression,
)
from sparsegp.learning.classes.label_targets import labels_as_numbers, usual_margins
from sparsegp.learning.classes.larger_basis import with_larger_basis
from sparsegp.learning.classes.projected import fit_projected, threads_for_size
from sparsegp.learning.context import FitContext
from sparsegp.learning.fit_regression import fit_regression
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure.choose_transforms import FittedTransforms
from sparsegp.model.posterior import Posterior
from sparsegp.model.sites.active_set import active_posterior
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.warps import Warps

__all__ = ["fit_classification"]


def fit_classification(
    rows: AnyRows,
    scaling: Scaling | Warps,
    start: ClassParameters,
    settings: ClassSettings,
    context: FitContext,
    warm_start: Parameters | None = None,
    candidates: Array | None = None,
    as_numbers: Mapping[str, FittedTransforms] = MappingProxyType({}),
) -> ClassFit:
    """Fit a classifier.

    Parameters
    ----------
    rows : AnyRows
        Transformed inputs, and labels ±1 (n, C) as targets.
    scaling : Scaling or Warps
        Scales the labels to regression targets.
    start : ClassParameters
    settings : ClassSettings
    context : FitContext
    warm_start : Parameters, optional
        Hyperparameters that the choice of the kernel has found, by labels as numbers.
    candidates : Array (N, D), optional
        The inputs that a projected posterior has its basis from, transformed; None: those of the
        rows.
    as_numbers : mapping from str to FittedTransforms, optional
        Beginnings of a regression on labels, by the family of the kernel; if there are any,
        held-out rows choose between them and sites.
    """
    begin = Beginning(start.kernel, warm_start, settings)
    if as_numbers:
        numbers = [
            Beginning(each.start.kernel, each.warm_start, settings, family)
            for family, each in as_numbers.items()
        ]
        begin = chosen_inference(
            rows,
            begin,
            numbers,
            lambda some, at, own: _fit(some, scaling, start, at, own),
            context,
        )
    return _fit(rows, scaling, start, begin, context, candidates)


def _fit(
    rows: AnyRows,
    scaling: Scaling | Warps,
    start: ClassParameters,
    begin: Beginning,
    context: FitContext,
    candidates: Array | None = None,
) -> ClassFit:
    """Fit a classifier with one inference."""
    settings, warm_start = begin.settings, begin.warm_start
    start = replace(start, kernel=begin.kernel)
    if settings.inference == LEAST_SQUARES:
        return _fit_least_squares(rows, scaling, start, settings, context, warm_start, candidates)
    parameters = _first_parameters(rows, scaling, start, settings, context, warm_start)
    max_basis = min(settings.active.max_basis, len(rows))
    if settings.posterior == "active":
        with threads_for_size(len(rows), max_basis):
            fitted = _fit_active(rows.load(), parameters, settings, context)
    else:
        fitted = fit_projected(rows, parameters, settings, max_basis, context, candidates)
        if settings.grows and candidates is None:
            fitted = with_larger_basis(rows, fitted, settings, context)
    context.history.note_time_limit(context.budget)
    return fitted


def _first_parameters(
    rows: AnyRows,
    scaling: Scaling | Warps,
    start: ClassParameters,
    settings: ClassSettings,
    context: FitContext,
    warm_start: Parameters | None,
) -> ClassParameters:
    """Return biases by class frequencies, and kernel and slope by labels as numbers."""
    parameters = start
    if start.bias_bounds != FIXED:
        biases = tuple(map(float, usual_margins(rows) / start.slope))
        parameters = replace(start, biases=biases)
    if not settings.optimise:
        return parameters
    own = context.share(policy.SHARE_OF_SUBSETS)
    found = labels_as_numbers(rows, scaling, start.kernel, own, warm_start)
    slope = float(found.noise_variance**-0.5)
    return replace(parameters, kernel=found.kernel).with_slope(slope)


def _fit_least_squares(
    rows: AnyRows,
    scaling: Scaling | Warps,
    start: ClassParameters,
    settings: ClassSettings,
    context: FitContext,
    warm_start: Parameters | None,
    candidates: Array | None,
) -> ClassFit:
    """Fit a regression on labels, and calibrate its probabilities."""
    problem = label_regression(rows, scaling, start, settings)
    fit = fit_regression(
        problem.rows,
        problem.start,
        problem.settings,
        context,
        candidates=candidates,
        warm_start=warm_start,
    )
    assert isinstance(fit.posterior, Posterior)  # labels are predicted without neighbours
    parameters, posteriors = classifier_of(
        problem, rows, start, fit.posterior, fit.parameters, context.rng
    )
    return ClassFit(
        parameters,
        fit.chosen,
        fit.path,
        posteriors,
        LEAST_SQUARES,
        float(fit.evidences[-1]),
        fit.history,
        evidences=fit.evidences,
    )


def _fit_active(
    rows: Rows, parameters: ClassParameters, settings: ClassSettings, context: FitContext
) -> ClassFit:
    """Fit the model of SS: the sites of the active rows and nothing else."""
    options = settings.active if settings.optimise else replace(settings.active, max_iterations=0)
    home, rows = rows.X, rows.to_host()
    fit = fit_active(rows, parameters, options, context)
    Z = rows.X[fit.chosen.indices, :]
    posteriors = tuple(
        active_posterior(fit.parameters.kernel, Z, sites).beside(home) for sites in fit.chosen.sites
    )
    context.history.note(Phase.ACTIVE_POSTERIOR, predictive_loss=fit.loss)
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
