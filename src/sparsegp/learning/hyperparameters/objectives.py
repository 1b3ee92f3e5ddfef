"""What hyperparameters are judged by at a fixed basis: the evidence, or a leave-one-out measure.

SKS take the evidence because the gradient of their measures is expensive, and wonder (remark 2)
what the measures would do; ``model.loo_gradient`` makes their gradient cheap. Values are to be
maximised: the log evidence, or minus the measure.
"""

from dataclasses import dataclass
from functools import partial

from sparsegp.arrays import Array
from sparsegp.kernels.base import Vector
from sparsegp.learning.hyperparameters.noise_variance import likeliest_noise
from sparsegp.learning.hyperparameters.optimise import Objective
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.model.approximation import Approximation
from sparsegp.model.evidence import evidence_and_gradient, evidence_of
from sparsegp.model.features import Basis, make_basis
from sparsegp.model.leave_one_out.gradient import loo_and_gradient
from sparsegp.model.leave_one_out.measures import LOO_MEASURES, loo_measure
from sparsegp.model.leave_one_out.predictions import leave_one_out
from sparsegp.model.moments import Moments, at_other_noise, collect_moments, least_noise
from sparsegp.model.posterior import Posterior, solve_posterior
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = [
    "EVIDENCE",
    "OBJECTIVES",
    "SCALE_FREE",
    "Settled",
    "settle_noise",
    "size_of",
    "sparse_objective",
]

EVIDENCE = "evidence"
OBJECTIVES = (EVIDENCE, *LOO_MEASURES)

#: Objectives that do not say how large predictive variances are: the error depends on the ratio
#: of signal to noise alone, and the expected squared error is the lower the smaller both are.
SCALE_FREE = frozenset({"loo_error", "loo_squared_error"})


def sparse_objective(
    rows: AnyRows, Z: Array, rule: Approximation, name: str = EVIDENCE
) -> Objective[Parameters]:
    """Return an objective at a fixed basis as a function of the parameters."""

    def log_evidence(parameters: Parameters) -> tuple[float, Vector]:
        basis = make_basis(parameters.kernel, Z)
        found = evidence_and_gradient(basis, rows, parameters.noise_variance, rule)
        return found.value, parameters.gradient(found.theta, found.log_noise)

    def minus_measure(parameters: Parameters) -> tuple[float, Vector]:
        basis = make_basis(parameters.kernel, Z)
        found = loo_and_gradient(name, basis, rows.load(), parameters.noise_variance, rule)
        return -found.value, -parameters.gradient(found.theta, found.log_noise)

    return log_evidence if name == EVIDENCE else minus_measure


def size_of(name: str, value: float, rows: AnyRows) -> float:
    """Return what a change of an objective is to be compared with, given a value it has.

    The evidence is a sum over rows, a density is a number of its own, and errors are as small as
    the noise is.
    """
    if name == EVIDENCE:
        return max(rows.total_weight, 1.0)
    return abs(value) or 1.0 if name in SCALE_FREE else 1.0


@dataclass(frozen=True)
class Settled:
    """A model conditioned on rows, at a noise that was settled on."""

    parameters: Parameters
    moments: Moments
    posterior: Posterior
    value: float  # of the objective


def settle_noise(
    basis: Basis, rows: AnyRows, parameters: Parameters, rule: Approximation, name: str
) -> Settled:
    """Condition on the rows at the likeliest noise, if the objective is no better as it was."""
    old = parameters.noise_variance
    moments = collect_moments(basis, rows, old, rule)
    likeliest = likeliest_noise(moments, parameters, rule)
    if likeliest.noise_variance < 2.0 * least_noise(moments, old):  # it may be less than that
        moments = collect_moments(basis, rows, old, rule, whiten_first=True)
        likeliest = likeliest_noise(moments, parameters, rule)
    new = likeliest.noise_variance
    moved = moments if new == old else at_other_noise(moments, old, new)
    settled = _settled(basis, rows, likeliest, moved, rule, name)
    if name == EVIDENCE or new == old:
        return settled
    as_it_was = _settled(basis, rows, parameters, moments, rule, name)
    return settled if settled.value > as_it_was.value else as_it_was


def _settled(
    basis: Basis,
    rows: AnyRows,
    parameters: Parameters,
    moments: Moments,
    rule: Approximation,
    name: str,
) -> Settled:
    variance = parameters.noise_variance
    posterior = solve_posterior(basis, moments, rule)
    if name == EVIDENCE:
        value = evidence_of(posterior, moments, variance, rule)
    else:
        value = -_measure(name, posterior, variance, rows)
    return Settled(parameters, moments, posterior, value)


def _measure(name: str, posterior: Posterior, variance: float, rows: AnyRows) -> float:
    """Return a leave-one-out measure: a mean, for far rows that of the means of the parts."""
    if rows.is_out_of_core:
        return rows.reduce(partial(_weighted, name, posterior, variance)) / rows.total_weight
    return loo_measure(name, leave_one_out(posterior, rows, variance), variance)


def _weighted(name: str, posterior: Posterior, variance: float, rows: Rows) -> float:
    return rows.total_weight * _measure(name, posterior, variance, rows)
