"""Splitting a table into training and held-out rows."""

import numpy as np
import numpy.typing as npt

from sparsegp.cli.errors import BadInputError
from sparsegp.cli.policy import MIN_ROWS_TO_SPLIT, MIN_TRAINING_ROWS

__all__ = ["split_rows"]

Indices = npt.NDArray[np.intp]


def split_rows(
    n_rows: int, share: float, seed: int, labels: npt.NDArray[np.str_] | None = None
) -> tuple[Indices, Indices]:
    """Return the positions of training rows and held-out rows, each in increasing order.

    At least one row of every class is a training row.
    """
    if not 0.0 <= share < 1.0:
        raise BadInputError(f"--holdout must be a share of the rows from 0 to 1, got {share:g}")
    order = np.random.default_rng(seed).permutation(n_rows)
    n_held_out = round(share * n_rows) if n_rows >= MIN_ROWS_TO_SPLIT else 0
    can_be_held_out = np.ones(n_rows, dtype=bool)  # by position in the order
    if labels is not None:
        can_be_held_out[np.unique(labels[order], return_index=True)[1]] = False
    held_out = order[np.flatnonzero(can_be_held_out)[:n_held_out]]
    training = np.setdiff1d(order, held_out)
    if len(held_out) and len(training) < MIN_TRAINING_ROWS:
        raise BadInputError(
            f"--holdout {share:g} leaves {len(training)} of {n_rows} rows to learn from: give a "
            "smaller share"
        )
    return training, np.sort(held_out)
