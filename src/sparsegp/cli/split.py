"""Rows to learn from and rows to be judged by."""

import numpy as np
import numpy.typing as npt

from sparsegp.cli.errors import BadInputError

__all__ = ["split_rows"]

Indices = npt.NDArray[np.intp]

#: A smaller table is learned as a whole.
FEWEST_ROWS = 10


def split_rows(
    n_rows: int, share: float, seed: int, labels: npt.NDArray[np.str_] | None = None
) -> tuple[Indices, Indices]:
    """Return positions of the training rows and of the held-out rows, each in their order.

    Of every class one row at least is learned from.
    """
    if not 0.0 <= share < 1.0:
        raise BadInputError(f"--holdout must be a share of the rows from 0 to 1, got {share:g}")
    order = np.random.default_rng(seed).permutation(n_rows)
    n_held = round(share * n_rows) if n_rows >= FEWEST_ROWS else 0
    movable = np.ones(n_rows, dtype=bool)  # by place in the order
    if labels is not None:
        movable[np.unique(labels[order], return_index=True)[1]] = False
    held = order[np.flatnonzero(movable)[:n_held]]
    training = np.setdiff1d(order, held)
    return training, np.sort(held)
