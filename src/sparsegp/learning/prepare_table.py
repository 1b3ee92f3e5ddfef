"""What becomes of columns and targets of a table that is not held in memory."""

from sparsegp.data.columns import NONE, STANDARD
from sparsegp.data.far_scaling import Check, fit_table_scalings
from sparsegp.data.table import Table
from sparsegp.kernels.auto import gaps
from sparsegp.learning.choose_transforms import Prepared
from sparsegp.learning.parameters import Parameters
from sparsegp.learning.wanted import Wanted

__all__ = ["KINDS", "prepare_table"]

#: What can become of columns and targets.
KINDS = (STANDARD, NONE)


def prepare_table(table: Table, wanted: Wanted, start: Parameters, check: Check) -> Prepared:
    """Scale inputs and targets, in two passes; ``check`` sees every part before."""
    for argument, kinds in (("transform_X", wanted.columns), ("transform_y", (wanted.target,))):
        others = [kind for kind in kinds if kind not in KINDS]
        if others:
            raise ValueError(
                f"{argument}={others[0]!r} needs whole columns in memory: for a table that is read "
                "in blocks use 'standard' or 'none', or transform it before"
            )
    if gaps(start.kernel):
        raise ValueError(
            "kernel='auto' needs the table in memory: fit it to some of the rows, and give its "
            "kernel_ for a table that is read in blocks"
        )
    inputs, targets = fit_table_scalings(table, wanted.columns, wanted.target, check)
    return Prepared(inputs, targets, wanted.columns, wanted.target, start, None, [])
