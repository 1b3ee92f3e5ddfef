"""The basis of a classifier from given candidates, which have no labels.

An active set is made of rows, each with the site of its label. Inputs without labels are compared
by what they explain of all labels: by the log posterior of a regression on the labels ±1 (KC
eq. 5), with the noise that stands for the slope of the probit.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array
from sparsegp.kernels.base import Vector
from sparsegp.learning.basis import policy
from sparsegp.learning.hyperparameters.class_parameters import ClassParameters
from sparsegp.selection import select_basis
from sparsegp.tables.rows import Rows

__all__ = ["ChosenCandidates", "choose_candidates"]

RANDOM = "random"


@dataclass(frozen=True)
class ChosenCandidates:
    """Positions among the candidates in the order of selection, and the criterion's path."""

    indices: npt.NDArray[np.intp]  # (m,)
    full_path: Vector  # empty for a random choice


def choose_candidates(
    rows: Rows,
    candidates: Array,
    parameters: ClassParameters,
    max_basis: int,
    selection: str,
    rng: np.random.Generator,
) -> ChosenCandidates:
    """Choose from candidates (N, D) by the labels of rows; at random if that is the selection."""
    centred = rows.y - np.average(rows.y, axis=0, weights=rows.weight)  # (n, C)
    at_random = selection == RANDOM
    found = select_basis(
        RANDOM if at_random else "log_posterior",
        parameters.kernel,
        replace(rows, y=centred),
        candidates,
        parameters.slope**-2,
        max_basis=max_basis,
        n_fresh=0,
        cache_size=max(policy.POOL_FACTOR * max_basis, policy.MIN_POOL),
        rng=rng,
        stop=False,
    )
    # a kernel that is zero at every candidate leaves nothing to select: any one will do
    indices = found.indices if len(found.indices) else np.zeros(1, dtype=np.intp)
    return ChosenCandidates(indices, np.empty(0) if at_random else found.full_path)
