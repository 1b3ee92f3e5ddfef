"""Leave-one-out measures of a model (SKS eq. 2-4); lower is better.

With ε the error and v the variance of the noisy target of a left-out row, they are means over
rows and outputs of

===================== =================== =======
``loo_error``         ε²                  LOO-CVE
``loo_density``       ½ [log 2πv + ε²/v]  NLGPP
``loo_squared_error`` ε² + v              GPE
===================== =================== =======

A row of weight s counts s times. If a basis was selected by one of these criteria, the last value
of its path is the measure of the DTC model.
"""

from dataclasses import dataclass
from math import log, pi

from sparsegp.arrays import Array, namespace, row_sums_of_squares
from sparsegp.model.leave_one_out.predictions import LeftOut

__all__ = ["LOO_MEASURES", "LooDerivatives", "loo_derivatives", "loo_measure"]

LOO_MEASURES = ("loo_error", "loo_density", "loo_squared_error")


@dataclass(frozen=True)
class LooDerivatives:
    """Contribution of some rows to a measure, and its derivatives by their ε and v."""

    value: float
    error: Array  # (b, p)
    variance: Array  # (b,)


def loo_derivatives(measure: str, error: Array, variance: Array, share: Array) -> LooDerivatives:
    """Return the contribution of rows with errors (b, p), variances (b,) and shares s/Σsp (b,)."""
    xp = namespace(error)
    n_outputs = error.shape[1]
    squares = row_sums_of_squares(error)  # (b,)
    if measure == "loo_density":
        each = 0.5 * (n_outputs * (log(2.0 * pi) + xp.log(variance)) + squares / variance)
        by_error = (share / variance)[:, None] * error
        by_variance = 0.5 * share * (n_outputs - squares / variance) / variance
    else:
        both = measure == "loo_squared_error"
        each = squares + n_outputs * variance if both else squares
        by_error = (2.0 * share)[:, None] * error
        by_variance = n_outputs * share if both else xp.zeros_like(share)
    return LooDerivatives(float(xp.sum(share * each)), by_error, by_variance)


def loo_measure(measure: str, left_out: LeftOut, variance: float) -> float:
    """Return a measure of left-out rows, for the noise variance σ²."""
    total = float(namespace(left_out.count).sum(left_out.count)) * left_out.error.shape[1]
    v = left_out.residual + left_out.weights + variance  # (n,)
    return loo_derivatives(measure, left_out.error, v, left_out.count / total).value
