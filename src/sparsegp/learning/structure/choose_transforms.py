"""Transforms of columns and target, and the kernel, where they are left open.

Candidates (``candidates``) are tried (``search``) on a subset of the rows, coarse to fine:

1. For every kind of target one search, for hyperparameters, the warp of the target and a continuous
   warp of each column towards normal scores, starting from the optimum of half of these rows; and
   one more towards logarithms of positive columns with a wide range. Evidence less cost decides on
   the kind of target; with enough rows close ones are compared as tables are (3). Columns that
   share a length scale may have one scale for all instead (``choose_columns``).
2. If the kernel is open, its families, each with its own warps, on more and more rows
   (``choose_kernel``).
3. Tables are compared in which no column is warped, those that were warped strongly, or at all, or
   all columns, by their evidence less cost; with an open kernel and enough rows by how well they
   predict further rows.
4. On more rows the warp of the target is optimised once more, or what is added to the kernel.

Of a large table a sample of the rows is used, also for means, deviations and quantiles: read in
blocks it becomes the same model as in memory. Under a time budget, where few rows choose, these are
stratified by the target: a rare group of rows has its share of them.

Of an explicit kernel only the transforms are kept: the hyperparameters of the fit are found as
always. Those of a chosen kernel are a warm start.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sparsegp.kernels.auto import fill_placeholder, placeholders
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.shared_length_scales import few_rows
from sparsegp.learning.neighbours.policy import MIN_SECONDS
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.choose_kernel import OpenKernel
from sparsegp.learning.structure.kernel_families import plain_kernel
from sparsegp.learning.structure.periods import in_units_of_data
from sparsegp.learning.structure.search import Decision, StructureSearch, curves_of, n_shapes
from sparsegp.learning.structure.transform_options import (
    AUTO,
    TransformOptions,
    kinds_of_target,
    open_columns,
)
from sparsegp.tables.transforms.columns import NONE, STANDARD, Columns, fit_columns
from sparsegp.tables.transforms.scaling import Scaling, fit_scaling
from sparsegp.tables.transforms.warps import Warps, fit_warps

__all__ = ["FittedTransforms", "choose_transforms", "is_plain"]


@dataclass(frozen=True)
class FittedTransforms:
    """Transforms of inputs and targets, and where the fit starts."""

    inputs: Scaling | Columns
    targets: Scaling | Warps
    columns: tuple[str, ...]  # the kind of transform of each
    target: str
    start: Parameters  # of a kernel without a placeholder
    warm_start: Parameters | None
    template: Kernel | None = None  # the kernel with its placeholder, if it was left open


def is_plain(options: TransformOptions, kernel: Kernel) -> bool:
    """Tell whether nothing is left open and nothing is warped: only a scaling is learned."""
    kinds = (*options.columns, options.target)
    return all(kind in (NONE, STANDARD) for kind in kinds) and not placeholders(kernel)


def choose_transforms(
    X: Vector,
    y: Vector,
    weight: Vector | None,
    options: TransformOptions,
    start: Parameters,
    context: FitContext,
    *,
    positive: bool,
    optimise: bool = True,
    plain: Callable[[int], Kernel] = plain_kernel,
    sizes: tuple[int, int, int] = policy.SAMPLE_SIZES,
    by_neighbours: bool = False,
    intercepts: bool = False,
) -> FittedTransforms:
    """Choose the transforms of inputs (n, D) and targets (n, p), and an open kernel.

    Parameters
    ----------
    X, y, weight : ndarray
    options : TransformOptions
    start : Parameters
        Initial hyperparameters; the kernel may have a placeholder.
    context : FitContext
    positive : bool
        Whether all targets of the table are positive, of which these rows may be a sample.
    optimise : bool
        Without it hyperparameters stay, and all that is open becomes standardised; an explicit warp
        is shaped at these hyperparameters.
    plain : callable
        The plain kernel of a number of columns, with which an open kernel starts.
    sizes : tuple of int
        Few, more and most rows.
    by_neighbours : bool
        Whether transforms of columns, and kinds of target that are close, are compared by densities
        of rows given their neighbours.
        Under a time budget they are compared on a subset, whose time is known.
    intercepts : bool
        Whether an open kernel may have random intercepts of columns whose values recur.
    """
    template = start.kernel
    open_kernel = placeholders(template)
    if open_kernel:
        simplest = plain(open_kernel[0].n_columns or X.shape[1])
        start = replace(start, kernel=fill_placeholder(template, simplest))
    varies = bool(np.any(np.ptp(y, axis=0) > 0.0))
    decides = optimise and varies and len(X) >= policy.MIN_ROWS_TO_CHOOSE
    columns, free = open_columns(X, weight, options.columns, start.kernel, decides)
    periodic = start.kernel.periodic_columns(X.shape[1])
    if periodic:
        scaled = fit_columns(X, weight, columns)
        template = in_units_of_data(template, scaled)
        start = replace(start, kernel=in_units_of_data(start.kernel, scaled))
    targets = kinds_of_target(y, weight, options.target, decides, positive)
    decision = Decision(columns, targets[0], curves_of(targets[0], y), start)
    shapes = varies and len(X) >= policy.MIN_ROWS_TO_WARP and n_shapes(decision.curves) > 0
    chooses_kernel = bool(open_kernel) and decides
    start = replace(start, shared=chooses_kernel and few_rows(len(X), start.kernel))
    if free or len(targets) > 1 or shapes or chooses_kernel:
        own = context.share(_share_of_time(context.budget, by_neighbours))
        close_rows = by_neighbours and not context.budget.limited
        search = StructureSearch(
            X,
            y,
            weight,
            start,
            sizes,
            own,
            fixed=not optimise,
            by_neighbours=close_rows,
            intercepts=intercepts,
        )
        all_open = decides and set(options.columns) == {AUTO} and not periodic
        kernel = OpenKernel(template, plain) if chooses_kernel else None
        decision = search.decide(decision, free, targets, kernel, all_open=all_open)
        context.history.note(
            Phase.TRANSFORMS, transform_X=list(decision.columns), transform_y=decision.target
        )
    return FittedTransforms(
        fit_columns(X, weight, decision.columns),
        _fit_target(y, weight, decision),
        decision.columns,
        decision.target,
        decision.start,
        decision.warm_start,
        (decision.template or template) if open_kernel else None,
    )


def _share_of_time(budget: TimeBudget, by_neighbours: bool) -> float:
    """Return the share of the time left: less if there will be time for neighbours."""
    share = policy.SHARE_BEFORE_NEIGHBOURS
    follow = by_neighbours and budget.has(MIN_SECONDS / (1.0 - share))
    return share if follow else policy.SHARE_OF_TIME


def _fit_target(y: Vector, weight: Vector | None, decision: Decision) -> Scaling | Warps:
    if decision.target in (NONE, STANDARD):
        return fit_scaling(y, weight, decision.target)
    return fit_warps(y, weight, decision.curves)
