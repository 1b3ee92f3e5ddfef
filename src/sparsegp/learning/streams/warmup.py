"""The warm-up of a stream: when the model is set up, by which rows, and what is learned again.

Until ``n_warmup`` rows have arrived they are kept, and whenever their number has grown fourfold, or
twofold as long as they are few, the model is set up again from them: a model that has seen five
rows predicts, too. Then all kept rows
are learned again, with the deletions and the forgetting between them.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import ndtri, stdtrit

from sparsegp.arrays import Array
from sparsegp.kernels.base import Vector
from sparsegp.learning.streams import policy
from sparsegp.tables.rows import Rows

__all__ = [
    "FORGET",
    "PRUNE",
    "Change",
    "enough_to_learn",
    "remembered",
    "segments",
    "setup_size",
    "widening",
]

#: A change of the posterior between two rows: after how many kept rows, which, and how much.
Change = tuple[int, str, float]

FORGET, PRUNE = "forget", "prune"


def setup_size(n_rows: int, n_warmup: int) -> int:
    """Return the largest number of rows, up to n_rows, at which a model is set up.

    >>> [setup_size(n, 500) for n in (1, 3, 4, 30, 300, 500, 9000)]
    [1, 2, 4, 16, 256, 500, 500]
    """
    if n_rows >= n_warmup:
        return n_warmup
    reached = 1
    while reached * _growth(reached) <= n_rows:
        reached *= _growth(reached)
    return reached


def _growth(n_rows: int) -> int:
    """Return the factor to the next setup; without a search it costs nothing."""
    return policy.SETUP_GROWTH if 2 * n_rows > policy.MIN_ROWS_TO_LEARN else 2


def widening(n_rows: float) -> float:
    """Return the factor on predictive variances when the scale of targets is that of few rows.

    The ratio of the 95 % intervals of a t distribution, with n − 1 degrees of freedom, and of a
    normal distribution, squared. Of one row there is none; it counts as two.

    >>> [round(widening(n), 1) for n in (1, 2, 4, 16, 500)]
    [42.0, 42.0, 2.6, 1.2, 1.0]
    """
    freedom = max(n_rows - 1.0, 1.0)
    return float((stdtrit(freedom, 0.975) / ndtri(0.975)) ** 2)


def remembered(changes: Sequence[Change], n_rows: int) -> Array:
    """Tell which of the first kept rows are not practically forgotten: (n_rows,)."""
    share = np.ones(n_rows)
    for at, what, how_much in changes:
        if what == FORGET:
            share[:at] *= 1.0 - how_much
    known = share >= policy.MIN_REMEMBERED
    return known if known.any() else np.ones(n_rows, dtype=bool)


def segments(changes: Sequence[Change]) -> Iterator[tuple[slice, Change | None]]:
    """Return the kept rows in parts, each with the change that follows it."""
    done = 0
    for change in changes:
        yield slice(done, change[0]), change
        done = change[0]
    yield slice(done, None), None


def enough_to_learn(rows: Rows, parameters: Sequence[float] | Vector) -> bool:
    """Tell whether the rows are enough to learn hyperparameters at all."""
    least = max(policy.MIN_ROWS_TO_LEARN, policy.ROWS_PER_PARAMETER * len(parameters))
    return rows.total_weight >= least
