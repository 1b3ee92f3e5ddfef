"""Selection in the Gram domain: one pass over the rows, then no row is looked at again.

For a pool of c candidates the pass gives S = K_cx W K_xc + σ²K_cc and b = K_cx W y. What the
criteria in ``criteria.GAINS`` need from then on are Schur complements of these, so choosing m
of them is a pivoted elimination of cost O(c² m) whose pivot rule is the criterion.

Sums over many rows of strongly correlated columns hold only so many digits. When the elimination
has used them up for a good part of the pool, one more pass computes the Schur complements afresh
(``conditioned``), and the elimination goes on from there.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import Array, is_numpy, namespace, to_numpy
from sparsegp.kernels.base import Kernel
from sparsegp.selection.criteria import GAINS, MEASURES, NEEDS_K, measure_of_nothing
from sparsegp.selection.elimination import Elimination
from sparsegp.selection.elimination_array_api import ArrayApiElimination
from sparsegp.selection.schur_gram import schur_gram
from sparsegp.selection.stopping import Path
from sparsegp.tables.out_of_core import inputs_at
from sparsegp.tables.rows import Rows

__all__ = ["choices", "select_in_gram"]

System: TypeAlias = Elimination | ArrayApiElimination

# A new pass over the rows when this share of the candidates that are left waits for digits; it
# doubles with every pass, so that few are made.
SHARE_EXHAUSTED = 0.1


def select_in_gram(
    criterion: str,
    kernel: Kernel,
    rows: Rows,
    candidates: Array,
    members: NDArray[np.intp],
    variance: float,
    path: Path,
) -> None:
    """Choose from the candidates (N, D) at the positions ``members`` (c,) until the path ends."""
    value = measure_of_nothing(criterion, rows, variance)
    inputs = inputs_at(candidates, members)  # (c, D): far ones are fetched once
    left, chosen = np.arange(len(members)), list[int]()  # positions in the pool
    share = SHARE_EXHAUSTED
    diagonals: tuple[Array, Array] | None = None  # of S and K with nothing chosen, once known
    while len(left):
        so_far = inputs_at(inputs, np.array(chosen, dtype=np.intp))  # (m, D)
        pool = schur_gram(kernel, rows, inputs_at(inputs, left), so_far, variance)
        eager = diagonals or criterion in NEEDS_K
        reach = None if eager else _reach(kernel, rows, variance)
        before = diagonals or (None, None)
        kind = Elimination if is_numpy(pool.S) else ArrayApiElimination
        system = kind(pool.S, pool.K, pool.r, before[0], before[1], reach)
        work = len(rows) * (len(left) + len(chosen)) ** 2  # of another pass
        for j, gain in _choices_in_time(criterion, system, variance, share, path, work):
            value -= gain
            chosen.append(int(left[j]))
            path.add(int(members[left[j]]), value)
            if path.ended:
                return
        share = min(1.0, 2.0 * share)
        order = np.argsort(system.rank)  # back to the order of the pool
        independent = to_numpy(system.left.independent()).astype(np.bool_)
        waiting = order[independent[order]]
        schur = system.left.take(waiting)
        diagonals = schur.S_diagonal, schur.K_diagonal
        left = left[system.rank[waiting]]
        if len(left) and not path.has_time_for(work):
            return


def _reach(kernel: Kernel, rows: Rows, variance: float) -> float:
    """Return Σ w k(x, x) + σ²."""
    k = kernel.diagonal(rows.X)  # (n,)
    return float(namespace(k).sum(k) if rows.weight is None else k @ rows.weight) + variance


def _choices_in_time(
    criterion: str, system: System, variance: float, share: float, path: Path, work: float
) -> Iterator[tuple[int, float]]:
    """Yield choices; all that have digits, if another pass would leave too little time."""
    yield from choices(criterion, system, variance, share)
    if not path.has_time_for_all(work):
        yield from choices(criterion, system, variance)


def choices(
    criterion: str, system: System, variance: float, share: float = 1.0
) -> Iterator[tuple[int, float]]:
    """Yield the candidate of largest gain and by how much the measure falls.

    It ends when no candidate is left that has digits, or a share of them has none.
    """
    gain, measure = GAINS[criterion], MEASURES[criterion]
    while True:
        best = system.best(gain, measure, variance)
        if best is None or best.n_usable < (1.0 - share) * best.n_independent:
            return
        yield best.rank, best.fall
        system.eliminate(best.place)
