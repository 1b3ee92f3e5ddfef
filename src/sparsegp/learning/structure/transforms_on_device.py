"""Transforms of rows on a device, and the choice of an open kernel.

Columns and targets are scaled on the device, in any array library; "auto" means standardised. An
open kernel is chosen on the host, by a sample of the scaled rows.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sparsegp.arrays import Array, take, to_numpy
from sparsegp.kernels.auto import placeholders
from sparsegp.kernels.base import Kernel
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.history import History
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure import policy
from sparsegp.learning.structure.choose_transforms import (
    FittedTransforms,
    learn_transforms,
    rows_to_see,
)
from sparsegp.learning.structure.kernel_families import plain_kernel
from sparsegp.learning.structure.transform_options import AUTO, TransformOptions
from sparsegp.tables.transforms.columns import NONE, STANDARD, fit_columns
from sparsegp.tables.transforms.scaling import fit_scaling

__all__ = ["learn_transforms_on_device"]


def learn_transforms_on_device(
    X: Array,
    y: Array,
    weight: Array | None,
    options: TransformOptions,
    start: Parameters,
    context: FitContext,
    *,
    optimise: bool = True,
    plain: Callable[[int], Kernel] = plain_kernel,
    sizes: tuple[int, int, int] = policy.SAMPLE_SIZES,
) -> FittedTransforms:
    """Learn the scaling of inputs (n, D) and targets (n, p), and the kernel if it is open.

    The last arguments are those of ``choose_transforms.learn_transforms``.
    """
    columns = tuple(STANDARD if kind == AUTO else kind for kind in options.columns)
    target = STANDARD if options.target == AUTO else options.target
    inputs, targets = fit_columns(X, weight, columns), fit_scaling(y, weight, target)
    scaled = FittedTransforms(inputs, targets, columns, target, start, None)
    if not placeholders(start.kernel):
        return scaled
    seen = rows_to_see(int(X.shape[0]), context.rng)
    seen = np.arange(X.shape[0]) if seen is None else seen
    own = replace(context, history=History())
    chosen = learn_transforms(
        to_numpy(inputs.apply(take(X, seen))),
        to_numpy(targets.apply(take(y, seen))),
        None if weight is None else to_numpy(take(weight, seen)),
        TransformOptions((NONE,) * len(columns), NONE),
        start,
        own,
        optimise=optimise,
        plain=plain,
        sizes=sizes,
    )
    entries = [entry for entry in own.history.entries if entry["phase"] != Phase.TRANSFORMS]
    context.history.note_parallel(entries)
    return replace(scaled, start=chosen.start, warm_start=chosen.warm_start)
