"""Elimination of chosen candidates in operations of the array API, for arrays of any library.

The same as ``elimination``, for devices on which every operation costs a kernel launch: the
matrices are complete and never shrink, a step is a few operations on vectors, and one small vector
is copied to the host in a step.
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
from sparsegp.selection.criteria import Gain, Schur
from sparsegp.selection.elimination import Best
from sparsegp.selection.policy import EXHAUSTED, PANEL

__all__ = ["ArrayApiElimination", "independent_rows"]


class _PanelMatrix:
    """A symmetric matrix (c, c) minus FᵀF, F (PANEL, c) the panel's columns."""

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
        k = xp.where(s > 0.0, k, xp.zeros_like(k))  # else a duplicate: its s is all rounding
        S_diagonal = s if S_diagonal is None else S_diagonal
        K_diagonal = k if K_diagonal is None else K_diagonal
        self.left = Schur(b, s, k if reach is None else s / reach, S_diagonal, K_diagonal, s)
        self.left.s_floor = EXHAUSTED * s
        self.rank: NDArray[np.intp] = np.arange(S.shape[0])
        self._places = xp.arange(S.shape[0], device=S.device)
        self._S, self._waiting, self._reach = _PanelMatrix(mirror_lower(S)), mirror_lower(K), reach
        self._K = _PanelMatrix(self._waiting) if reach is None else None
        self._chosen: list[int] = []
        self._pivots = (0.0, 0.0)  # s and k of the best candidate

    def best(self, gain: Gain, measure: Gain, variance: float) -> Best | None:
        """Return the candidate of largest gain; None if none is usable."""
        numbers = self._score(gain, measure, variance)
        if self._K is None and int(numbers[1]) < len(self.rank) - len(self._chosen):
            self._eliminate_from_K()  # s alone no longer shows duplicates
            numbers = self._score(gain, measure, variance)
        n_usable, n_independent, j, decrease, *pivots = map(float, numbers)
        self._pivots = (pivots[0], pivots[1])
        if not n_usable:
            return None
        return Best(int(j), int(j), decrease, int(n_usable), int(n_independent))

    def _score(self, gain: Gain, measure: Gain, variance: float) -> NDArray[np.float64]:
        """Return all that the host needs, in one vector."""
        xp, left = self._xp, self.left
        usable = left.usable()  # (c,)
        with np.errstate(divide="ignore", invalid="ignore"):  # of unusable candidates, with NumPy
            gains = gain(left, variance)
            decrease = gains if measure is gain else measure(left, variance)
        gains = xp.where(usable, gains, xp.full_like(gains, -xp.inf))
        j = xp.reshape(xp.argmax(gains), (1,))  # of equal gains, the first
        parts = [xp.sum(xp.astype(mask, left.s.dtype)) for mask in (usable, left.independent())]
        parts = [xp.reshape(part, (1,)) for part in parts]
        parts += [xp.astype(j, left.s.dtype), xp.take(decrease, j)]
        parts += [xp.take(left.s, j), xp.take(left.k, j)]
        return to_numpy(xp.concat(parts))

    def eliminate(self, j: int) -> None:
        """Eliminate the best candidate, at position j."""
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

    def _eliminate_from_K(self) -> None:
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
        self._K, left.k = _PanelMatrix(rest), xp.where(gone, xp.zeros_like(k), k)


def independent_rows(C: Array, tolerance: float) -> NDArray[np.intp]:
    """Return positions, in order, of linearly independent rows of C (b, b).

    A pivoted Cholesky factorisation, until no diagonal element is above the tolerance.
    """
    xp, matrix = namespace(C), _PanelMatrix(C)
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
