"""Transforms of the columns and the target of a table, and the kernel if it is left open.

Where all columns are standardised or left alone, means and standard deviations of all rows are all
there is to learn. Otherwise a sample of the rows decides, the same one wherever the table is kept,
also on a device: the sample is copied to the host.
"""

from collections.abc import Callable
from dataclasses import replace

from sparsegp.kernels.base import Kernel
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.neighbours.policy import MIN_ROWS
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.choose_transforms import (
    FittedTransforms,
    choose_transforms,
    is_plain,
)
from sparsegp.learning.structure.kernel_families import plain_kernel
from sparsegp.learning.structure.periods import check_periodic_columns, in_units_of_data
from sparsegp.learning.structure.transform_options import TransformOptions
from sparsegp.tables.table import Table

__all__ = ["learn_transforms"]


def learn_transforms(
    table: Table,
    options: TransformOptions,
    start: Parameters,
    context: FitContext,
    *,
    optimise: bool = True,
    plain: Callable[[int], Kernel] = plain_kernel,
    sizes: tuple[int, int, int] = policy.SAMPLE_SIZES,
    by_neighbours: bool = False,
    intercepts: bool = False,
) -> FittedTransforms:
    """Learn the transforms of inputs and targets; a search would begin at ``start``.

    The last arguments are those of ``choose_transforms``.
    """
    check_periodic_columns(start.kernel, options.columns)
    if is_plain(options, start.kernel):
        return _scaled(table, options, start)
    sample = table.sample(policy.MAX_ROWS_SEEN, context.rng)
    positive = table.lowest_target.value > 0.0
    return choose_transforms(
        sample.X,
        sample.y,
        sample.weight,
        options,
        start,
        context,
        positive=positive,
        optimise=optimise,
        plain=plain,
        sizes=sizes,
        by_neighbours=by_neighbours and len(sample.X) >= MIN_ROWS,
        intercepts=intercepts,
    )


def _scaled(table: Table, options: TransformOptions, start: Parameters) -> FittedTransforms:
    """Return scalings by all rows, and nothing else."""
    inputs, targets = table.fit_scalings(options.columns, options.target)
    start = replace(start, kernel=in_units_of_data(start.kernel, inputs))
    return FittedTransforms(inputs, targets, options.columns, options.target, start, None)
