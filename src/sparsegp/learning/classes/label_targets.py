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
from sparsegp.learning.structure import choose_transforms
from sparsegp.learning.structure.kernel_families import thrifty_kernel
from sparsegp.learning.structure.learn_transforms import learn_transforms
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.summation import ColumnSum
from sparsegp.tables.transforms.warps import Warps

__all__ = [
    "choose_transforms_for_labels",
    "labels_as_numbers",
    "learn_transforms_for_labels",
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


#: Transforms of inputs, and the kernel if it is open, by labels ±1 taken for numbers: of a table,
#: and of arrays (n, D) and (n, C). The search begins at ``start_as_numbers``.
learn_transforms_for_labels = partial(learn_transforms, plain=thrifty_kernel, sizes=ROWS_TO_CHOOSE)
choose_transforms_for_labels = partial(
    choose_transforms.learn_transforms, plain=thrifty_kernel, sizes=ROWS_TO_CHOOSE
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
    return rows.with_targets(scaling)


def usual_margins(rows: AnyRows) -> Vector:
    """Return the z of Φ(z) that foretells each class as often as it is there: (C,)."""
    # a search begins here: the last bit must not depend on how a table is read
    seen = rows.reduce(_positive)
    share = (seen.value + 0.5) / (rows.total_weight + 1.0)  # never 0 or 1
    return np.asarray(ndtri(share))


def _positive(rows: Rows) -> ColumnSum:
    """Return how often each column is positive."""
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    return ColumnSum.of(weight[:, None] * (rows.y > 0.0))
