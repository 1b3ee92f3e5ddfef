"""Which precision the final pass over the rows has, and the way back to double.

- "double": everything.
- "mixed": features of rows and their products in single precision, all sums, factors and weights
  in double (``model.mixed_precision``), if the checks before and after the pass allow it.
- "auto": "mixed" on a device whose products are much faster in single precision, for passes that
  take long; "double" elsewhere.
"""

from collections.abc import Callable
from dataclasses import replace

from sparsegp.arrays import single_speedup
from sparsegp.learning.conditioning import ConditionedModel
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.settings import AUTO
from sparsegp.model.approximation import Approximation
from sparsegp.model.features import Basis
from sparsegp.model.mixed_precision import refined, too_large_correction, why_double
from sparsegp.model.policy import LEAST_MULTIPLICATIONS, LEAST_SPEEDUP
from sparsegp.tables.out_of_core import AnyRows

__all__ = ["DOUBLE", "MIXED", "PRECISIONS", "condition_in_precision"]

DOUBLE, MIXED = "double", "mixed"
PRECISIONS = (AUTO, DOUBLE, MIXED)

Given = Callable[..., ConditionedModel]


def condition_in_precision(
    given: Given,
    basis: Basis,
    rows: AnyRows,
    parameters: Parameters,
    *,
    precision: str,
    rule: Approximation,
) -> ConditionedModel:
    """Condition by ``given(basis, rows, parameters, single=…)`` in a precision.

    Where "mixed" was to be tried, the model says in ``precision`` whether it was good enough.
    """
    exact = basis.Z is rows.X  # needs no features of rows
    if precision == DOUBLE or exact or (precision == AUTO and not _pays(basis, rows)):
        return given(basis, rows, parameters)
    reason = why_double(basis, rows, parameters.noise_variance)
    if not reason:
        found = given(basis, rows, parameters, single=True)
        noise = found.parameters.noise_variance
        if noise < parameters.noise_variance:  # it was optimised
            reason = why_double(basis, rows, noise)
    if not reason:
        posterior, moved = refined(found.posterior, rows, noise, rule)
        if not too_large_correction(moved, basis.Z.shape[0]):
            return replace(found, posterior=posterior, precision=MIXED)
        reason = f"refinement moved the weights by {moved:.2g} standard deviations"
    return replace(given(basis, rows, parameters), precision=f"{DOUBLE}: {reason}")


def _pays(basis: Basis, rows: AnyRows) -> bool:
    """Tell whether single precision is worth its checks."""
    if rows.is_out_of_core or rows.on_host:
        return False
    if len(rows) * basis.Z.shape[0] ** 2 < LEAST_MULTIPLICATIONS:
        return False
    return single_speedup(rows.X) >= LEAST_SPEEDUP
