"""Many greedy steps on a device, none of which waits for the host.

A step chooses the candidate j of largest gain, takes its row of the Schur complement,

    f = (A_j − Σ_t F_tj F_t) / √s_j,

and updates the diagonals and the residual of all candidates by it. A holds the Schur complements at
the start of the sweep and the rows F those of its earlier steps, so that nothing of size c×c is
touched but one row. The index j stays on the device. What the host needs to know of all steps is
computed for all of them together afterwards, and copied once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import array_api_compat

from sparsegp.arrays import Array, less_combination, less_product, namespace, take_at
from sparsegp.selection.criteria import Gain, Schur
from sparsegp.selection.policy import DUPLICATE

__all__ = ["Steps", "sweep", "without"]


@dataclass(frozen=True)
class Steps:
    """What t steps chose; of step i only if all before it were right."""

    numbers: Array  # (5, t): chosen, gain, decrease, how many are usable, how many independent
    chosen: Array  # (t,), positions
    rows: Sequence[Array]  # of S, and of K if it is followed: (t, c) each
    rho: Array  # (t, p), r_j/√s_j


def sweep(
    matrices: Sequence[Array],
    left: Schur,
    length: int,
    gain: Gain,
    measure: Gain,
    variance: float,
    reach: float | None,
) -> Steps:
    """Choose ``length`` candidates greedily, from S (c, c) alone or from S and K.

    With S alone all candidates that are left must be independent of the chosen ones, as s/reach
    tells. The host looks afterwards whether that has held at every step.
    """
    xp = namespace(left.s)
    diagonals = [left.s, left.k][: len(matrices)]
    r, lowest = left.r, xp.full_like(left.s, -xp.inf)
    floors = [left.s_floor, DUPLICATE * left.K_diagonal]
    factors = [_Factor(A, length) for A in matrices]
    picked: dict[str, list[Array]] = {"j": [], "gain": [], "s": [], "k": [], "rho": []}
    for step in range(length):
        usable = diagonals[0] > floors[0]
        if len(diagonals) > 1:
            usable = usable & (diagonals[1] > floors[1])
        now = Schur(r, diagonals[0], diagonals[-1], left.S_diagonal, left.K_diagonal, floors[0])
        gains = xp.where(usable, gain(now, variance), lowest)  # (c,)
        j = xp.reshape(xp.argmax(gains), (1,))  # of equal gains, the first
        pivots = [take_at(d, j) for d in diagonals]  # (1,) each
        roots = [xp.sqrt(pivot) for pivot in pivots]
        rows = [A.eliminate(j, root, step) for A, root in zip(factors, roots, strict=True)]
        diagonals = [less_product(d, f, f) for d, f in zip(diagonals, rows, strict=True)]
        rho = take_at(r, j) / roots[0]  # (1, p)
        r = less_product(r, rows[0][:, None], rho)  # (c, p)
        found = (j, take_at(gains, j), pivots[0], pivots[-1], rho)
        for part, value in zip(picked.values(), found, strict=True):
            part.append(value)
    j, best, s, k, rho = (xp.concat(values) for values in picked.values())
    if len(matrices) == 1 and reach is not None:
        k = s / reach
    at = [take_at(d, j) for d in (left.S_diagonal, left.K_diagonal, left.s_floor)]
    decrease = measure(Schur(rho * xp.sqrt(s)[:, None], s, k, *at), variance)  # (t,)
    lines = [A.rows for A in factors]
    parts = [xp.astype(j, s.dtype), best, decrease, *_counts(left, j, lines, reach)]
    return Steps(xp.stack(parts), j, lines, rho)


class _Factor:
    """Rows F (t, c) of the Cholesky factor of a symmetric matrix A (c, c)."""

    def __init__(self, A: Array, length: int) -> None:
        xp = namespace(A)
        self._A, self._writable = A, array_api_compat.is_writeable_array(A)
        self.rows = xp.zeros((length, A.shape[0]), dtype=A.dtype, device=A.device)
        self._lines = xp.arange(length, device=A.device)[:, None]  # (t, 1)

    def eliminate(self, j: Array, root: Array, step: int) -> Array:
        """Return the row that eliminates the candidate at j (1,): (c,)."""
        xp, rows = namespace(j), self.rows
        earlier: Any = rows[:step, :] if self._writable else rows
        row = xp.reshape(take_at(self._A, j), (-1,))  # (c,)
        if step:
            row = less_combination(row, xp.reshape(take_at(earlier, j, axis=1), (-1,)), earlier)
        row = row / root
        if self._writable:
            rows[step, :] = row
        else:
            self.rows = xp.where(self._lines == step, row[None, :], rows)
        return row


def _counts(left: Schur, j: Array, lines: Sequence[Array], reach: float | None) -> list[Array]:
    """Return how many candidates are usable, and independent, before each step: (t,) each."""
    xp, kind = namespace(j), left.s.dtype
    places = xp.arange(left.s.shape[0], device=j.device)
    chosen = xp.astype(j[:, None] == places[None, :], kind)  # (t, c)
    gone = xp.cumulative_sum(chosen, axis=0) - chosen > 0.5  # before the step
    zeros = xp.zeros_like(lines[0])

    def before(d: Array, F: Array) -> Array:
        squares = F * F
        return xp.where(gone, zeros, d[None, :] - (xp.cumulative_sum(squares, axis=0) - squares))

    s = before(left.s, lines[0])  # (t, c)
    k = before(left.k, lines[1]) if len(lines) > 1 else s / (reach or 1.0)
    independent = k > DUPLICATE * left.K_diagonal[None, :]
    usable = independent & (s > left.s_floor[None, :])
    return [xp.sum(xp.astype(mask, kind), axis=1) for mask in (usable, independent)]


def without(left: Schur, steps: Steps, n_steps: int, reach: float | None) -> Schur:
    """Return the complements after the first ``n_steps`` steps."""
    if not n_steps:
        return left
    xp = namespace(left.s)
    places = xp.arange(left.s.shape[0], device=left.s.device)
    gone = xp.any(steps.chosen[:n_steps, None] == places[None, :], axis=0)
    zeros = xp.zeros_like(left.s)

    def after(d: Array, F: Array) -> Array:
        return xp.where(gone, zeros, d - xp.sum(F[:n_steps, :] ** 2, axis=0))

    s = after(left.s, steps.rows[0])
    if len(steps.rows) > 1:
        k = after(left.k, steps.rows[1])
    else:
        k = s / reach if reach else left.k
    r = left.r - steps.rows[0][:n_steps, :].T @ steps.rho[:n_steps, :]
    return Schur(r, s, k, left.S_diagonal, left.K_diagonal, left.s_floor)
