"""Elimination of chosen candidates in operations of the array API, for arrays of any library.

The same as ``elimination``, for devices on which an operation costs a launch, whatever its
size: the matrices are whole and never shrink, a step is a few operations on vectors, and
the host learns one small vector of numbers a step.
"""

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import (
    Array,
    add_product,
    mirror_lower,
    namespace,
    safe_cholesky,
    solve_lower,
    take,
    to_numpy,
)
from sparsegp.selection.criteria import EXHAUSTED, Gain, Schur
from sparsegp.selection.elimination import PANEL, Best

__all__ = ["ArrayApiElimination", "independent_rows"]


class _Panelled:
    """A symmetric matrix (c, c) less FᵀF of the panel's columns F (PANEL, c)."""

    def __init__(self, A: Array) -> None:
        self._xp = xp = namespace(A)
        self._A = A
        self._F = xp.zeros((PANEL, A.shape[0]), dtype=A.dtype, device=A.device)
        self._lines = xp.arange(PANEL, device=A.device)[:, None]  # (PANEL, 1)
        self._width = 0

    def eliminate(self, j: int, pivot: float) -> Array:
        """Return the column of the Cholesky factor that eliminates j: (c,)."""
        if self._width == PANEL:
            self._A = add_product(self._A, self._F.T, self._F, -1.0)
            self._F, self._width = self._xp.zeros_like(self._F), 0
        column = (self._A[j, :] - self._F[:, j] @ self._F) / pivot**0.5  # (c,)
        self._F = self._xp.where(self._lines == self._width, column[None, :], self._F)
        self._width += 1
        return column


class ArrayApiElimination:
    """S, K_cc and b with the chosen candidates eliminated; see ``Elimination``."""

    def __init__(
        self,
        S: Array,
        K: Array,
        b: Array,
        S_diagonal: Array | None = None,
        K_diagonal: Array | None = None,
        reach: float | None = None,
    ) -> None:
        xp = self._xp = namespace(S)
        s, k = xp.linalg.diagonal(S) + 0.0, xp.linalg.diagonal(K) + 0.0
        k = xp.where(s > 0.0, k, xp.zeros_like(k))  # else only rounding is left: a duplicate
        S_diagonal = s if S_diagonal is None else S_diagonal
        K_diagonal = k if K_diagonal is None else K_diagonal
        self.left = Schur(b, s, k if reach is None else s / reach, S_diagonal, K_diagonal, s)
        self.left.s_floor = EXHAUSTED * s
        self.rank: NDArray[np.intp] = np.arange(S.shape[0])
        self._places = xp.arange(S.shape[0], device=S.device)
        self._S, self._waiting, self._reach = _Panelled(mirror_lower(S)), mirror_lower(K), reach
        self._K = _Panelled(self._waiting) if reach is None else None
        self._chosen: list[int] = []
        self._pivots = (0.0, 0.0)  # s and k of the best candidate

    def best(self, gain: Gain, measure: Gain, variance: float) -> Best | None:
        """Return the candidate of largest gain; None if none has digits."""
        numbers = self._look(gain, measure, variance)
        if self._K is None and int(numbers[1]) < len(self.rank) - len(self._chosen):
            self._catch_up()  # s alone no longer tells duplicates
            numbers = self._look(gain, measure, variance)
        n_usable, n_independent, j, fall, *pivots = map(float, numbers)
        self._pivots = (pivots[0], pivots[1])
        if not n_usable:
            return None
        return Best(int(j), int(j), fall, int(n_usable), int(n_independent))

    def _look(self, gain: Gain, measure: Gain, variance: float) -> NDArray[np.float64]:
        """Return all that the host needs to know, in one vector."""
        xp, left = self._xp, self.left
        usable = left.usable()  # (c,)
        with np.errstate(divide="ignore", invalid="ignore"):  # those not usable, if it is NumPy
            gains = gain(left, variance)
            fall = gains if measure is gain else measure(left, variance)
        gains = xp.where(usable, gains, xp.full_like(gains, -xp.inf))
        j = xp.reshape(xp.argmax(gains), (1,))  # of equals, the first
        parts = [xp.sum(xp.astype(mask, left.s.dtype)) for mask in (usable, left.independent())]
        parts = [xp.reshape(part, (1,)) for part in parts]
        parts += [xp.astype(j, left.s.dtype), xp.take(fall, j)]
        parts += [xp.take(left.s, j), xp.take(left.k, j)]
        return to_numpy(xp.concat(parts))

    def eliminate(self, j: int) -> None:
        """Eliminate the best candidate, which stands at place j."""
        xp, left, (s_j, k_j) = self._xp, self.left, self._pivots
        others = self._places != j
        f = self._S.eliminate(j, s_j)  # (c,)
        left.r = left.r - f[:, None] * (left.r[j, :] / s_j**0.5)[None, :]  # (c, p)
        left.s = xp.where(others, left.s - f * f, xp.zeros_like(f))
        self._chosen.append(j)
        if self._K is not None:
            e = self._K.eliminate(j, k_j)  # (c,)
            left.k = xp.where(others, left.k - e * e, xp.zeros_like(e))
        elif self._reach is not None:
            left.k = left.s / self._reach

    def _catch_up(self) -> None:
        """Eliminate the chosen ones from K as well."""
        xp, left, rest = self._xp, self.left, self._waiting
        gone = left.s <= 0.0
        if self._chosen:
            chosen = np.array(self._chosen, dtype=np.intp)
            lines = take(rest, chosen)  # (t, c)
            V = solve_lower(safe_cholesky(take(lines.T, chosen)).L, lines)  # (t, c)
            rest = add_product(rest, V.T, V, -1.0)
            gone = xp.any(self._places[:, None] == xp.asarray(chosen, device=rest.device), axis=1)
        k = xp.linalg.diagonal(rest)
        self._K, left.k = _Panelled(rest), xp.where(gone, xp.zeros_like(k), k)


def independent_rows(C: Array, tolerance: float) -> NDArray[np.intp]:
    """Return positions, in order, of rows of C (b, b) that are no combination of each other.

    A Cholesky factorisation with pivots, until no diagonal is left above the tolerance.
    """
    xp, matrix = namespace(C), _Panelled(C)
    d, places = xp.linalg.diagonal(C) + 0.0, xp.arange(C.shape[0], device=C.device)  # (b,) each
    chosen: list[int] = []
    while len(chosen) < C.shape[0]:
        j = xp.reshape(xp.argmax(d), (1,))
        place, pivot = to_numpy(xp.concat((xp.astype(j, d.dtype), xp.take(d, j))))
        if not pivot > tolerance:
            break
        chosen.append(int(place))
        column = matrix.eliminate(int(place), float(pivot))
        d = xp.where(places != int(place), d - column * column, xp.zeros_like(d))
    return np.sort(np.array(chosen, dtype=np.intp))
