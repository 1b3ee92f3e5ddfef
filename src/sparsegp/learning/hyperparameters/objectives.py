"""What hyperparameters maximise at a fixed basis: the evidence, or minus a leave-one-out measure.

SKS take the log marginal likelihood (evidence) because the gradient of their measures is expensive,
and wonder (remark 2) what the measures would do; ``model.leave_one_out.gradient`` makes their
gradient cheap.
"""

from sparsegp.arrays import Array, to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.hyperparameters.optimise import Objective
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.shared_length_scales import log_prior
from sparsegp.model.approximation import Approximation
from sparsegp.model.evidence import evidence_and_gradient
from sparsegp.model.features import make_basis
from sparsegp.model.leave_one_out.gradient import loo_and_gradient
from sparsegp.model.leave_one_out.measures import LOO_MEASURES
from sparsegp.tables.out_of_core import AnyRows

__all__ = ["EVIDENCE", "OBJECTIVES", "SCALE_FREE", "objective_scale", "sparse_objective"]

EVIDENCE = "evidence"
OBJECTIVES = (EVIDENCE, *LOO_MEASURES)

#: Objectives that do not determine the size of predictive variances: the error depends on the ratio
#: of signal to noise alone, and the expected squared error is the lower the smaller both are.
SCALE_FREE = frozenset({"loo_error", "loo_squared_error"})


def sparse_objective(
    rows: AnyRows, Z: Array, rule: Approximation, name: str = EVIDENCE
) -> Objective[Parameters]:
    """Return an objective at a fixed basis as a function of the hyperparameters."""

    def log_evidence(parameters: Parameters) -> tuple[float, Vector]:
        basis = make_basis(parameters.kernel, Z)
        found = evidence_and_gradient(basis, rows, parameters.noise_variance, rule)
        prior, by_prior = log_prior(parameters.kernel) if parameters.shared else (0.0, 0.0)
        by_theta = to_numpy(found.theta) + by_prior
        return found.value + prior, parameters.gradient(by_theta, found.log_noise)

    def minus_measure(parameters: Parameters) -> tuple[float, Vector]:
        basis = make_basis(parameters.kernel, Z)
        found = loo_and_gradient(name, basis, rows.load(), parameters.noise_variance, rule)
        return -found.value, -parameters.gradient(found.theta, found.log_noise)

    return log_evidence if name == EVIDENCE else minus_measure


def objective_scale(name: str, value: float, rows: AnyRows) -> float:
    """Return what a change of an objective is compared with, given one of its values.

    The evidence is a sum over rows, a density is of order one, and errors are of the order of the
    noise.
    """
    if name == EVIDENCE:
        return max(rows.total_weight, 1.0)
    return abs(value) or 1.0 if name in SCALE_FREE else 1.0
