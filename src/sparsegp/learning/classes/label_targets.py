"""Labels ±1 as regression targets: the start of a classifier's hyperparameters.

The length scales of a Gaussian process regression on labels are close to those of a classifier, its
noise tells the slope of the probit, and the frequency of a class its bias.
"""

from functools import partial

import numpy as np
from scipy.special import ndtri

from sparsegp.arrays import to_numpy
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.learning.classes import policy
from sparsegp.learning.context import FitContext
from sparsegp.learning.hyperparameters.exact_subsets import first_parameters
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.hyperparameters.policy import SHORT_STAGES
from sparsegp.learning.structure.kernel_families import thrifty_kernel
from sparsegp.learning.structure.learn_transforms import learn_transforms
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows
from sparsegp.tables.transforms.scaling import Scaling
from sparsegp.tables.transforms.summation import ColumnSum
from sparsegp.tables.transforms.warps import Warps

__all__ = [
    "labels_as_numbers",
    "learn_transforms_for_labels",
    "numbers_of",
    "start_as_numbers",
    "usual_margins",
]


def start_as_numbers(kernel: Kernel) -> Parameters:
    """Return the start of a search that takes labels for numbers."""
    return Parameters(kernel, policy.FIRST_NOISE, policy.NOISE_BOUNDS)


#: Transforms of the inputs of a table, and an open kernel, by labels ±1 taken for numbers.
#: The search starts at ``start_as_numbers``.
learn_transforms_for_labels = partial(
    learn_transforms, plain=thrifty_kernel, sizes=policy.SAMPLE_SIZES
)


def labels_as_numbers(
    rows: AnyRows,
    scaling: Scaling | Warps,
    kernel: Kernel,
    context: FitContext,
    warm_start: Parameters | None = None,
    *,
    length_scale_prior: bool = False,
) -> Parameters:
    """Return kernel and noise of the highest evidence of labels ±1 (n, C), scaled."""
    return first_parameters(
        numbers_of(rows, scaling),
        start_as_numbers(kernel),
        context,
        stages=SHORT_STAGES,
        warm_start=warm_start,
        length_scale_prior=length_scale_prior,
    )[-1].parameters


def numbers_of(rows: AnyRows, scaling: Scaling | Warps) -> AnyRows:
    """Return the rows with labels scaled as targets of a regression are."""
    return rows.with_targets(scaling)


def usual_margins(rows: AnyRows) -> Vector:
    """Return the z with Φ(z) the frequency of each class: (C,)."""
    # a search starts here: the last bit must not depend on how a table is read
    seen = rows.reduce(_positive)
    share = (seen.value + 0.5) / (rows.total_weight + 1.0)  # never 0 or 1
    return np.asarray(ndtri(share))


def _positive(rows: Rows) -> ColumnSum:
    """Return how often each column is positive."""
    y = to_numpy(rows.y)
    weight = np.ones(len(rows)) if rows.weight is None else to_numpy(rows.weight)
    return ColumnSum.of(weight[:, None] * (y > 0.0))
