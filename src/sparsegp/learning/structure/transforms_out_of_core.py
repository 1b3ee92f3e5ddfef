"""Transforms of out-of-core tables.

Means and deviations take two passes over all rows. What is left open, or warped, is learned from
the sample of rows that would be used if the table were in memory: these are fetched.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sparsegp.kernels.base import Kernel
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.choose_transforms import (
    FittedTransforms,
    is_plain,
    learn_transforms,
    rows_to_see,
)
from sparsegp.learning.structure.kernel_families import plain_kernel
from sparsegp.learning.structure.transform_options import TransformOptions
from sparsegp.tables.rows import Rows
from sparsegp.tables.sources.table import Table
from sparsegp.tables.sources.validated_reduce import Check, validated_reduce
from sparsegp.tables.transforms.scaling_blocks import fit_table_scalings

__all__ = ["learn_transforms_out_of_core"]


def learn_transforms_out_of_core(
    table: Table,
    options: TransformOptions,
    start: Parameters,
    check: Check,
    context: FitContext,
    *,
    optimise: bool = True,
    plain: Callable[[int], Kernel] = plain_kernel,
    sizes: tuple[int, int, int] = policy.SAMPLE_SIZES,
) -> FittedTransforms:
    """Learn the transforms of inputs and targets; ``check`` sees every part before."""
    if is_plain(options, start.kernel):
        inputs, targets = fit_table_scalings(table, options.columns, options.target, check)
        return FittedTransforms(inputs, targets, options.columns, options.target, start, None)
    lowest = validated_reduce(table, check, _lowest)
    seen = rows_to_see(table.n_rows, context.rng)
    rows = table.fetch(np.arange(table.n_rows) if seen is None else seen)
    return learn_transforms(
        rows.X,
        rows.y,
        rows.weight,
        options,
        start,
        context,
        positive=lowest.value > 0.0,
        optimise=optimise,
        plain=plain,
        sizes=sizes,
    )


@dataclass(frozen=True)
class _Lowest:
    """The smallest target of some parts; the sum of two is that of both."""

    value: float

    def __add__(self, other: "_Lowest") -> "_Lowest":
        return min(self, other, key=lambda each: each.value)


def _lowest(rows: Rows) -> _Lowest:
    return _Lowest(float(np.min(rows.y)))
