"""A larger basis for the posterior of a classifier, at the hyperparameters of a smaller one.

Hyperparameters, and inducing inputs if they move, are optimised with as few basis vectors as a
search can afford. They need no more, but predictions do where length scales are short: what the
basis does not explain is uncertainty that the labels could remove. So where a good part of the
prior variance is unexplained, a larger basis is selected among the rows, every row has a site once
more, and the posterior of the higher evidence is kept.
"""

from dataclasses import replace
from math import sqrt

import numpy as np

from sparsegp.arrays import to_numpy
from sparsegp.arrays.placement import beside
from sparsegp.learning.basis.active_set import choose_active_set
from sparsegp.learning.classes import policy
from sparsegp.learning.classes.class_fit import ClassFit, ClassSettings
from sparsegp.learning.classes.projected import project, rows_of_selection, threads_for_size
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.model.features import residual_variances
from sparsegp.tables.out_of_core import AnyRows, inputs_at
from sparsegp.tables.rows import Rows

__all__ = ["with_larger_basis"]


def with_larger_basis(
    rows: AnyRows, fit: ClassFit, settings: ClassSettings, context: FitContext
) -> ClassFit:
    """Return the fit, or one with the same hyperparameters and more basis vectors."""
    size = _affordable(len(rows), len(fit.posteriors))
    small = len(fit.chosen)
    if context.budget.limited or fit.inference is None or size < policy.TIMES_LARGER * small:
        return fit
    with threads_for_size(len(rows), size):
        seen = rows_of_selection(len(rows), context.rng)
        used = rows.take(seen).to_host()
        share = _unexplained(fit, used)
        if share < policy.LEAST_UNEXPLAINED:
            return fit
        options = replace(settings.active, max_basis=size)
        chosen = choose_active_set(used, fit.parameters, options, context).chosen
        indices = seen[chosen.indices]
        Z = inputs_at(rows.X, indices)
        posteriors, log_evidence = project(rows, Z, fit.parameters, fit.inference)
    context.history.note(
        Phase.FINAL_SITES,
        "larger basis",
        log_evidence=log_evidence,
        n_basis=len(indices),
        unexplained=share,
        kept=log_evidence > fit.log_evidence,
    )
    if log_evidence <= fit.log_evidence:
        return fit
    return replace(
        fit,
        chosen=indices,
        path=chosen.full_path,
        posteriors=posteriors,
        log_evidence=log_evidence,
        history=context.history.entries,
    )


def _affordable(n_rows: int, n_columns: int) -> int:
    """Return how many basis vectors the sites of all rows have time for."""
    return min(policy.LARGER_BASIS, int(sqrt(policy.LARGER_SIZE / (n_rows * n_columns))), n_rows)


def _unexplained(fit: ClassFit, rows: Rows) -> float:
    """Return the share of the prior variance at some rows that the basis does not explain."""
    basis = fit.posteriors[0].basis
    X = beside(rows.X[: policy.ROWS_TO_EXPLAIN, :], like=basis.Z)
    residual = to_numpy(residual_variances(basis.kernel, X, basis.features(X)))
    prior = to_numpy(basis.kernel.diagonal(X))
    return float(np.sum(np.clip(residual, 0.0, None)) / np.sum(prior))
