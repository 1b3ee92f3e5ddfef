"""A fitted classifier with fewer basis vectors, at the same hyperparameters."""

from dataclasses import replace

from sparsegp.arrays import to_numpy
from sparsegp.learning.classes.class_fit import ClassFit
from sparsegp.learning.classes.label_regression import LEAST_SQUARES, shorten_least_squares
from sparsegp.learning.classes.projected import project
from sparsegp.model.sites.active_set import active_posterior, marginal_likelihood
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import needed_rows

__all__ = ["shorten_classes"]


def shorten_classes(fit: ClassFit, rows: AnyRows | None, n_basis: int) -> ClassFit:
    """Return the model with the first basis vectors only.

    The sites of active rows stay as they are; those of all rows are found again.
    """
    if fit.inference == LEAST_SQUARES:
        return shorten_least_squares(fit, n_basis)
    indices, path = fit.chosen[:n_basis], fit.path[:n_basis]
    Z = fit.posteriors[0].basis.Z[:n_basis, :]
    if fit.inference is None:
        sites = tuple(column.first(n_basis) for column in fit.active_sites)
        kernel, here = fit.parameters.kernel, to_numpy(Z)
        posteriors = tuple(active_posterior(kernel, here, column).beside(Z) for column in sites)
        value = sum(marginal_likelihood(kernel, here, column).value for column in sites)
        return replace(
            fit,
            chosen=indices,
            path=path,
            posteriors=posteriors,
            log_evidence=value,
            active_sites=sites,
        )
    known = needed_rows(rows, 'a shorter model of posterior="projected"')
    posteriors, value = project(known, Z, fit.parameters, fit.inference)
    return replace(fit, chosen=indices, path=path, posteriors=posteriors, log_evidence=value)
