"""What becomes of columns and targets on another device, and which kernel.

Columns and targets are scaled there, in any array library; "auto" means standardised. An open
kernel is chosen here, by the scaled rows that are looked at.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sparsegp.arrays import Array, take, to_numpy
from sparsegp.kernels.auto import placeholders
from sparsegp.kernels.base import Kernel
from sparsegp.learning.budget.time_budget import UNLIMITED, TimeBudget
from sparsegp.learning.history.progress import Listener, silent
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure.choose_transforms import (
    ROWS,
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
    rng: np.random.Generator,
    *,
    optimise: bool = True,
    plain: Callable[[int], Kernel] = plain_kernel,
    sizes: tuple[int, int, int] = ROWS,
    listener: Listener = silent,
    budget: TimeBudget = UNLIMITED,
) -> FittedTransforms:
    """Learn the scaling of inputs (n, D) and targets (n, p), and the kernel if it is open.

    The last arguments are those of ``choose_transforms.learn_transforms``.
    """
    columns = tuple(STANDARD if kind == AUTO else kind for kind in options.columns)
    target = STANDARD if options.target == AUTO else options.target
    inputs, targets = fit_columns(X, weight, columns), fit_scaling(y, weight, target)
    scaled = FittedTransforms(inputs, targets, columns, target, start, None, [])
    if not placeholders(start.kernel):
        return scaled
    seen = rows_to_see(int(X.shape[0]), rng)
    seen = np.arange(X.shape[0]) if seen is None else seen
    chosen = learn_transforms(
        to_numpy(inputs.apply(take(X, seen))),
        to_numpy(targets.apply(take(y, seen))),
        None if weight is None else to_numpy(take(weight, seen)),
        TransformOptions((NONE,) * len(columns), NONE),
        start,
        rng,
        optimise=optimise,
        plain=plain,
        sizes=sizes,
        listener=listener,
        budget=budget,
    )
    history = [entry for entry in chosen.history if entry["phase"] != "transforms"]
    return replace(scaled, start=chosen.start, warm_start=chosen.warm_start, history=history)
