"""Periods in the units of the data, for kernels whose columns are transformed."""

from collections.abc import Sequence

import numpy as np

from sparsegp.arrays import to_numpy
from sparsegp.kernels.base import Kernel
from sparsegp.tables.transforms.columns import LOG, QUANTILE, Columns
from sparsegp.tables.transforms.scaling import Scaling

__all__ = ["check_periodic_columns", "in_units_of_data"]


def check_periodic_columns(kernel: Kernel, kinds: Sequence[str]) -> None:
    """Refuse explicit warps of columns that have a period."""
    for column in sorted(kernel.periodic_columns(len(kinds))):
        if kinds[column] in (QUANTILE, LOG):
            raise ValueError(
                f"transform_X={kinds[column]!r} warps the column at position {column}, but the "
                "kernel has a period there, which is in the units of the column: use 'auto', "
                "'standard' or 'none' for it"
            )


def in_units_of_data(kernel: Kernel, inputs: Scaling | Columns) -> Kernel:
    """Return the kernel of scaled columns whose periods are in the units before the scaling.

    >>> from sparsegp.kernels import Periodic
    >>> hours = Scaling(np.array([50.0]), np.array([6.0]))
    >>> kernel = in_units_of_data(Periodic(period=24.0), hours)
    >>> kernel, float(kernel(np.zeros((1, 1)), np.full((1, 1), 4.0))[0, 0])
    (Periodic(1.0, period=24.0), 1.0)
    """
    scaling = inputs.scaling if isinstance(inputs, Columns) else inputs
    return kernel.with_input_scale(np.asarray(to_numpy(scaling.scale), dtype=np.float64))
