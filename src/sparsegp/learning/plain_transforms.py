"""Columns and targets scaled as the user says, with nothing left open, in any array library."""

from sparsegp.arrays import Array
from sparsegp.data.columns import fit_columns
from sparsegp.data.scaling import fit_scaling
from sparsegp.learning.choose_transforms import Prepared
from sparsegp.learning.parameters import Parameters
from sparsegp.learning.wanted import Wanted

__all__ = ["prepare_plainly"]


def prepare_plainly(
    X: Array, y: Array, weight: Array | None, wanted: Wanted, start: Parameters
) -> Prepared:
    """Learn the scaling of inputs (n, D) and targets (n, p)."""
    return Prepared(
        inputs=fit_columns(X, weight, wanted.columns),
        targets=fit_scaling(y, weight, wanted.target),
        columns=wanted.columns,
        target=wanted.target,
        start=start,
        head_start=None,
        history=[],
    )
