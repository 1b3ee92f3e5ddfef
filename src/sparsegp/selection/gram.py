"""Selection in the Gram domain: one pass over the rows, then only c×c matrices.

For a pool of c candidates the pass gives S = K_cx W K_xc + σ²K_cc and b = K_cx W y. The criteria in
``criteria.GAINS`` need only Schur complements of these, so choosing m of them is a pivoted
elimination of cost O(c² m) whose pivot rule is the criterion.

Sums over many rows of strongly correlated columns have limited precision. When the elimination has
used it up for part of the pool, another pass recomputes the Schur complements (``schur_gram``), and
the elimination continues from there.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import Array, is_numpy, namespace, to_numpy
from sparsegp.kernels.base import Kernel
from sparsegp.selection.criteria import GAINS, MEASURES, NEEDS_K, empty_basis_value
from sparsegp.selection.elimination import Elimination
from sparsegp.selection.elimination_array_api import ArrayApiElimination
from sparsegp.selection.policy import SHARE_EXHAUSTED
from sparsegp.selection.schur_gram import schur_gram
from sparsegp.selection.stopping import Path
from sparsegp.tables.out_of_core import AnyInputs, inputs_at
from sparsegp.tables.rows import Rows

__all__ = ["choices", "select_in_gram"]

System: TypeAlias = Elimination | ArrayApiElimination


def select_in_gram(
    criterion: str,
    kernel: Kernel,
    rows: Rows,
    candidates: AnyInputs,
    members: NDArray[np.intp],
    variance: float,
    path: Path,
) -> None:
    """Choose from the candidates (N, D) at the positions ``members`` (c,) until the path ends."""
    value = empty_basis_value(criterion, rows, variance)
    inputs = inputs_at(candidates, members)  # (c, D): out-of-core candidates are loaded once
    left, chosen = np.arange(len(members)), list[int]()  # positions in the pool
    share = SHARE_EXHAUSTED
    diagonals: tuple[Array, Array] | None = None  # of S and K for an empty basis, once known
    while len(left):
        so_far = inputs_at(inputs, np.array(chosen, dtype=np.intp))  # (m, D)
        pool = schur_gram(kernel, rows, inputs_at(inputs, left), so_far, variance)
        eager = diagonals or criterion in NEEDS_K
        reach = None if eager else _reach(kernel, rows, variance)
        before = diagonals or (None, None)
        kind = Elimination if is_numpy(pool.S) else ArrayApiElimination
        system = kind(pool.S, pool.K, pool.r, before[0], before[1], reach)
        work = len(rows) * (len(left) + len(chosen)) ** 2  # of another pass
        for j, gain in _choices_within_budget(criterion, system, variance, share, path, work):
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


def _choices_within_budget(
    criterion: str, system: System, variance: float, share: float, path: Path, work: float
) -> Iterator[tuple[int, float]]:
    """Yield choices; all that are usable, if the time budget has no room for another pass."""
    yield from choices(criterion, system, variance, share)
    if not path.has_time_for_all(work):
        yield from choices(criterion, system, variance)


def choices(
    criterion: str, system: System, variance: float, share: float = 1.0
) -> Iterator[tuple[int, float]]:
    """Yield the candidate of largest gain and the decrease of the measure.

    It ends when no usable candidate is left, or more than a share of them is exhausted.
    """
    gain, measure = GAINS[criterion], MEASURES[criterion]
    while True:
        best = system.best(gain, measure, variance)
        if best is None or best.n_usable < (1.0 - share) * best.n_independent:
            return
        yield best.rank, best.decrease
        system.eliminate(best.place)
