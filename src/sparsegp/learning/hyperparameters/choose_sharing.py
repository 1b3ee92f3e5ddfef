"""Whether length scales are held together, where rows are few: folds decide.

A few hundred rows say little about twenty length scales: their evidence finds columns relevant that
are not, and predictions are far too certain. A prior that holds length scales together
(``shared_length_scales``) prevents it, but where only a few of many columns matter it hides them.
Neither the evidence nor leave-one-out densities at fitted hyperparameters tell the two cases apart,
because both count how well the hyperparameters fit. Folds do: hyperparameters are learned without
the rows that judge them.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters import policy

__all__ = ["Indices", "choose_sharing"]

Indices: TypeAlias = npt.NDArray[np.intp]


def choose_sharing(
    n_rows: int, left_out: Callable[[Indices, Indices, bool], float], context: FitContext
) -> bool:
    """Tell whether folds are clearly more probable if length scales are held together.

    ``left_out(others, fold, shared)`` is the log probability of a fold given the other rows.
    """
    order = context.spawn().rng.permutation(n_rows)[: policy.ROWS_OF_FOLDS]
    folds = np.array_split(order, policy.FOLDS)
    shared, free = (
        sum(left_out(np.setdiff1d(order, fold), fold, each) for fold in folds)
        for each in (True, False)
    )
    gain = shared - free
    together = bool(gain > policy.MIN_GAIN_OF_SHARING)
    context.history.note(Phase.SHARING, shared=together, gain_per_row=gain / len(order))
    return together
