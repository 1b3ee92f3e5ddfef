"""Labels ±1 taken for numbers: where a classifier's search begins, and what judges candidates.

The length scales of a Gaussian process regression on labels are near those of a classifier, its
noise says how steep the probit should be, and how often a class is there says the bias.
"""

from functools import partial

import numpy as np
from scipy.special import ndtri

from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.exact_subsets import SHORT_STAGES, first_parameters
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.structure.choose_transforms import learn_transforms
from sparsegp.learning.structure.kernel_families import thrifty_kernel
from sparsegp.learning.structure.transforms_on_device import learn_transforms_on_device
from sparsegp.learning.structure.transforms_out_of_core import learn_transforms_out_of_core
from sparsegp.tables.out_of_core import AnyRows, OutOfCoreRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.summation import ColumnSum
from sparsegp.tables.transforms.warps import Warps

__all__ = [
    "labels_as_numbers",
    "learn_transforms_for_labels",
    "learn_transforms_for_labels_on_device",
    "learn_transforms_for_labels_out_of_core",
    "numbers_of",
    "start_as_numbers",
    "usual_margins",
]

# Few, more and most rows that judge candidates: labels are worth no more.
ROWS_TO_CHOOSE = (400, 600, 1000)
FIRST_NOISE = 0.1
# Without the lower limit copies of rows look free of noise and drive the length scales to nothing.
NOISE_BOUNDS = (0.02, 1e2)


def start_as_numbers(kernel: Kernel) -> Parameters:
    """Return where a search begins that takes labels for numbers."""
    return Parameters(kernel, FIRST_NOISE, NOISE_BOUNDS)


#: What becomes of inputs (n, D) and which kernel, if it is open, by labels ±1 (n, C) that are taken
#: for numbers: in memory, on another device, in a table that is read in parts. The search begins at
#: ``start_as_numbers``.
learn_transforms_for_labels = partial(learn_transforms, plain=thrifty_kernel, sizes=ROWS_TO_CHOOSE)
learn_transforms_for_labels_on_device = partial(
    learn_transforms_on_device, plain=thrifty_kernel, sizes=ROWS_TO_CHOOSE
)
learn_transforms_for_labels_out_of_core = partial(
    learn_transforms_out_of_core, plain=thrifty_kernel, sizes=ROWS_TO_CHOOSE
)


def labels_as_numbers(
    rows: AnyRows,
    scaling: Scaling | Warps,
    kernel: Kernel,
    context: FitContext,
    warm_start: Parameters | None = None,
) -> Parameters:
    """Return kernel and noise of the highest evidence of labels ±1 (n, C), scaled."""
    return first_parameters(
        numbers_of(rows, scaling),
        start_as_numbers(kernel),
        context,
        stages=SHORT_STAGES,
        warm_start=warm_start,
    )[-1].parameters


def numbers_of(rows: AnyRows, scaling: Scaling | Warps) -> AnyRows:
    """Return the rows with labels scaled as targets of a regression are."""
    if isinstance(rows, OutOfCoreRows):
        return rows.with_targets(scaling)
    return Rows(rows.X, scaling.apply(rows.y), rows.weight)


def usual_margins(rows: AnyRows) -> Vector:
    """Return the z of Φ(z) that foretells each class as often as it is there: (C,)."""
    # a search begins here: the last bit must not depend on how a table is read
    seen = rows.reduce(_positive) if isinstance(rows, OutOfCoreRows) else _positive(rows)
    share = (seen.value + 0.5) / (rows.total_weight + 1.0)  # never 0 or 1
    return np.asarray(ndtri(share))


def _positive(rows: Rows) -> ColumnSum:
    """Return how often each column is positive."""
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    return ColumnSum.of(weight[:, None] * (rows.y > 0.0))
