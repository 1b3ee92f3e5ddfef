"""The training rows that a model keeps: new rows have their neighbours among these.

Of a table in memory, or a file that fits into memory, all rows are kept. Of a table on the workers
of a cluster, or a file that does not fit, a sample is kept: the posterior of the basis is that of
all rows, summed where they are, and the neighbours correct it as far as the sample is dense.
Hyperparameters, the number of neighbours (which may be none) and the calibration are found with
neighbours among the same sample, so that they are those of the predictions to come.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparsegp.learning.neighbours import policy
from sparsegp.learning.settings import Settings
from sparsegp.tables.index_sampling import draw
from sparsegp.tables.out_of_core import AnyRows
from sparsegp.tables.rows import Rows

__all__ = ["KeptRows", "n_kept"]

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class KeptRows:
    """Rows in memory or on a device, and which of all rows they are."""

    rows: Rows
    positions: Indices | None = None  # (k,) in order; None: all rows

    @classmethod
    def of(cls, rows: AnyRows, size: int, rng: np.random.Generator) -> "KeptRows":
        """Return ``size`` random rows, or all if there are no more."""
        if size >= len(rows):
            return cls(rows.load())
        positions = np.sort(draw(len(rows), size, rng))
        return cls(rows.take(positions), positions)


def n_kept(rows: AnyRows, settings: Settings) -> int:
    """Return how many rows a model with neighbours keeps; 0: too few to be worth it.

    As many as memory allows, and of rows on the workers of a cluster no more than one machine
    should hold however many workers there are.
    """
    n = len(rows)
    if not rows.is_out_of_core:
        return n
    if not rows.on_workers and settings.memory.holds_table(n, rows.n_columns):
        return n
    most = settings.memory.rows_loaded(rows.n_columns, rows.n_outputs)
    size = min(n, most, policy.MOST_ROWS_KEPT)
    return size if size >= min(n, policy.MIN_ROWS) else 0
