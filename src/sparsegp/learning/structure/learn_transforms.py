"""Transforms of the columns and the target of a table, and the kernel if it is left open.

Where all columns are standardised or left alone, means and standard deviations of all rows are all
there is to learn. Otherwise a sample of the rows decides, the same one wherever the table is kept.
On a device columns and targets are scaled only, "auto" means standardised, and a sample of the
scaled rows chooses an open kernel on the host.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from sparsegp.arrays import to_numpy
from sparsegp.kernels.auto import placeholders
from sparsegp.kernels.base import Kernel
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.history import History
from sparsegp.learning.history.phases import Phase
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
from sparsegp.learning.structure.transform_options import AUTO, TransformOptions
from sparsegp.tables.table import Table
from sparsegp.tables.transforms.columns import NONE, STANDARD

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
) -> FittedTransforms:
    """Learn the transforms of inputs and targets; a search would begin at ``start``.

    The last arguments are those of ``choose_transforms``.
    """
    check_periodic_columns(start.kernel, options.columns)
    choose = partial(
        choose_transforms,
        start=start,
        optimise=optimise,
        plain=plain,
        sizes=sizes,
    )
    if not table.on_host:
        return _scaled_on_device(table, options, start, context, choose)
    if is_plain(options, start.kernel):
        return _scaled(table, options, start)
    sample = table.sample(policy.MAX_ROWS_SEEN, context.rng)
    positive = table.lowest_target.value > 0.0
    return choose(
        sample.X,
        sample.y,
        sample.weight,
        options,
        context=context,
        positive=positive,
        by_neighbours=by_neighbours and len(sample.X) >= MIN_ROWS,
    )


def _scaled(table: Table, options: TransformOptions, start: Parameters) -> FittedTransforms:
    """Return scalings by all rows, and nothing else."""
    inputs, targets = table.fit_scalings(options.columns, options.target)
    start = replace(start, kernel=in_units_of_data(start.kernel, inputs))
    return FittedTransforms(inputs, targets, options.columns, options.target, start, None)


def _scaled_on_device(
    table: Table,
    options: TransformOptions,
    start: Parameters,
    context: FitContext,
    choose: Callable[..., FittedTransforms],
) -> FittedTransforms:
    """Scale by all rows; an open kernel is chosen on the host, by a sample of the scaled rows."""
    columns = tuple(STANDARD if kind == AUTO else kind for kind in options.columns)
    target = STANDARD if options.target == AUTO else options.target
    scaled = _scaled(table, TransformOptions(columns, target), start)
    if not placeholders(start.kernel):
        return scaled
    sample = table.sample(policy.MAX_ROWS_SEEN, context.rng)
    own = replace(context, history=History())
    chosen = choose(
        to_numpy(scaled.inputs.apply(sample.X)),
        to_numpy(scaled.targets.apply(sample.y)),
        None if sample.weight is None else to_numpy(sample.weight),
        TransformOptions((NONE,) * len(columns), NONE),
        start=scaled.start,
        context=own,
        positive=False,  # targets are not transformed again
    )
    entries = [entry for entry in own.history.entries if entry["phase"] != Phase.TRANSFORMS]
    context.history.note_parallel(entries)
    return replace(scaled, start=chosen.start, warm_start=chosen.warm_start)
