"""Selection in the Gram domain: one pass over the rows, then only c×c matrices.

For a pool of c candidates the pass gives S = K_cx W K_xc + σ²K_cc and b = K_cx W y. The criteria in
``criteria.GAINS`` need only Schur complements of these, so choosing m of them is a pivoted
elimination of cost O(c² m) whose pivot rule is the criterion.

Sums over many rows of strongly correlated columns have limited precision. When the elimination has
used it up for part of the pool, another pass recomputes the Schur complements (``schur_gram``), and
the elimination continues from there.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import Array, is_numpy, namespace, or_on_host, to_numpy
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


@dataclass
class _ChoicesSoFar:
    """What a selection has come to, whatever memory it runs in."""

    value: float  # of the measure
    places: list[int] = field(default_factory=list)  # in the pool


def select_in_gram(
    criterion: str,
    kernel: Kernel,
    rows: Rows,
    candidates: AnyInputs,
    members: NDArray[np.intp],
    variance: float,
    path: Path,
) -> None:
    """Choose from the candidates (N, D) at the positions ``members`` (c,) until the path ends.

    A device without room for the matrices of the pool leaves the rest of the choices to the host.
    """
    inputs = inputs_at(candidates, members)  # (c, D): out-of-core candidates are loaded once
    chosen = _ChoicesSoFar(empty_basis_value(criterion, rows, variance))

    def choose(rows: Rows, inputs: Array) -> None:
        _choose(criterion, kernel, rows, inputs, members, variance, path, chosen)

    or_on_host(
        lambda: choose(rows, inputs),
        lambda: choose(_on_host(rows), to_numpy(inputs)),
        "the selection of the basis",
        may=not is_numpy(inputs),
    )


def _choose(
    criterion: str,
    kernel: Kernel,
    rows: Rows,
    inputs: Array,
    members: NDArray[np.intp],
    variance: float,
    path: Path,
    chosen: _ChoicesSoFar,
) -> None:
    """Go on with a selection from a pool (c, D)."""
    left = np.setdiff1d(np.arange(len(members)), chosen.places)  # positions in the pool
    share = SHARE_EXHAUSTED
    diagonals: tuple[Array, Array] | None = None  # of S and K for an empty basis, once known
    while len(left):
        eager = diagonals or criterion in NEEDS_K
        reach = None if eager else _reach(kernel, rows, variance)
        system = _system(kernel, rows, inputs, left, chosen, variance, diagonals, reach)
        work = len(rows) * (len(left) + len(chosen.places)) ** 2  # of another pass
        for j, gain in _choices_within_budget(criterion, system, variance, share, path, work):
            chosen.value -= gain
            chosen.places.append(int(left[j]))
            path.add(int(members[left[j]]), chosen.value)
            if path.ended:
                return
        share = min(1.0, 2.0 * share)
        order = np.argsort(system.rank)  # back to the order of the pool
        schur = system.left
        independent = to_numpy(schur.independent()).astype(np.bool_)
        waiting = order[independent[order]]
        schur = schur.take(waiting)
        diagonals = schur.S_diagonal, schur.K_diagonal
        left = left[system.rank[waiting]]
        del system, schur  # before the next one takes as much memory
        if len(left) and not path.has_time_for(work):
            return


def _system(
    kernel: Kernel,
    rows: Rows,
    inputs: Array,
    left: NDArray[np.intp],
    chosen: _ChoicesSoFar,
    variance: float,
    diagonals: tuple[Array, Array] | None,
    reach: float | None,
) -> System:
    """Pass over the rows, and return the candidates that are left with those chosen eliminated."""
    so_far = inputs_at(inputs, np.array(chosen.places, dtype=np.intp))  # (m, D)
    pool = schur_gram(kernel, rows, inputs_at(inputs, left), so_far, variance)
    before = diagonals or (None, None)
    kind = Elimination if is_numpy(pool.S) else ArrayApiElimination
    return kind(pool.S, pool.K, pool.r, before[0], before[1], reach)


def _on_host(rows: Rows) -> Rows:
    weight, factor = (
        None if part is None else to_numpy(part) for part in (rows.weight, rows.noise_factor)
    )
    return Rows(to_numpy(rows.X), to_numpy(rows.y), weight, factor)


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
