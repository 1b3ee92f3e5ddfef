"""Elimination of chosen candidates from S and K_cc, in panels.

A pivoted Cholesky factorisation of two matrices with the same pivots, which the caller chooses. The
diagonals and the residual are updated at every step, as the choice needs them; the matrices once a
panel, by matrix products. In between, a column of the true Schur complement is the stored one minus
the product with the panel's columns. After a panel, chosen candidates and duplicates leave: the
last candidates move into their positions, and the matrices shrink.

Many criteria need K_cc only to recognise duplicates, for which s is mostly enough: with g the part
of the candidate's kernel function that the chosen ones do not span, ‖g‖² = k, and

    s ≤ Σ w g(x)² + σ² k ≤ k (Σ w k(x, x) + σ²).

So elimination from K_cc is postponed until s becomes too small, and then done at once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import add_gram, safe_cholesky, solve_lower
from sparsegp.kernels.base import Vector
from sparsegp.selection.criteria import Gain, Schur
from sparsegp.selection.policy import EXHAUSTED, PANEL

__all__ = ["Best", "Elimination"]


@dataclass(frozen=True)
class Best:
    """The candidate of largest gain."""

    place: int  # current position
    rank: int  # position at the start
    decrease: float  # of the measure
    n_usable: int
    n_independent: int


class _PanelMatrix:
    """A symmetric matrix minus FᵀF, F the panel's columns; only lower triangles are stored."""

    def __init__(self, A: Vector) -> None:
        self._A = A  # (c, c) or larger, overwritten
        self._F = np.empty((PANEL, len(A)))
        self.width = 0

    def _row(self, j: int, size: int) -> Vector:
        """Return a row of the stored matrix from its lower triangle: (c,)."""
        return np.concatenate((self._A[j, : j + 1], self._A[j + 1 : size, j]))

    def eliminate(self, j: int, pivot: float, size: int) -> Vector:
        """Return the column of the Cholesky factor that eliminates j: (c,)."""
        F = self._F[: self.width, :size]  # (t, c)
        column = self._F[self.width, :size]  # (c,)
        np.subtract(self._row(j, size), F[:, j] @ F, out=column)
        column /= np.sqrt(pivot)
        self.width += 1
        return column

    def compact(self, holes: NDArray[np.intp], last: NDArray[np.intp], size: int) -> None:
        """Move the candidates at positions ``last`` to the smaller positions ``holes``."""
        for to, j in zip(holes.tolist(), last.tolist(), strict=True):
            row = self._row(j, size)  # (c,)
            self._A[to, :to] = row[:to]
            self._A[to, to] = row[j]
            self._A[to + 1 : size, to] = row[to + 1 :]
        self._F[: self.width, holes] = self._F[: self.width, last]

    def downdate(self, size: int) -> None:
        """Subtract the panel, and begin another."""
        add_gram(self._A[:size, :size], self._F[: self.width, :size], -1.0)
        self.width = 0


class Elimination:
    """S, K_cc and b with the chosen candidates eliminated.

    Parameters
    ----------
    S, K : array (c, c)
        Lower triangles; overwritten.
    b : array (c, p)
        The residual to start from.
    S_diagonal, K_diagonal : array (c,)
        The diagonals for an empty basis, if some candidates were chosen earlier.
    reach : float
        Σ w k(x, x) + σ², if k is needed only to recognise duplicates: ``left.k`` is then the
        lower bound s/reach as long as that is enough.

    Attributes
    ----------
    left : Schur
        The diagonals and the residual of the candidates still in the matrices.
    rank : array
        Their positions at the start.
    """

    def __init__(
        self,
        S: Vector,
        K: Vector,
        b: Vector,
        S_diagonal: Vector | None = None,
        K_diagonal: Vector | None = None,
        reach: float | None = None,
    ) -> None:
        s, k = S.diagonal().copy(), K.diagonal().copy()
        k[s <= 0.0] = 0.0  # a duplicate: its s is all rounding
        S_diagonal = s.copy() if S_diagonal is None else S_diagonal
        K_diagonal = k.copy() if K_diagonal is None else K_diagonal
        self.left = Schur(b.copy(), s, k, S_diagonal, K_diagonal, EXHAUSTED * s)
        self.rank = np.arange(len(S))
        self._S, self._K = _PanelMatrix(S), None if reach else _PanelMatrix(K)
        self._waiting, self._reach = K, reach or 1.0
        self._chosen: list[int] = []  # ranks, until K is eliminated
        if reach:
            self.left.k = s / reach
            self._eliminate_from_K_if_needed()

    def best(self, gain: Gain, measure: Gain, variance: float) -> Best | None:
        """Return the candidate of largest gain; None if none is usable."""
        left = self.left
        usable, independent = left.usable(), left.independent()  # (c,)
        n_usable, n_independent = int(np.count_nonzero(usable)), int(np.count_nonzero(independent))
        if not n_usable:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):  # of unusable candidates
            gains = np.where(usable, gain(left, variance), -np.inf)  # (c,)
        best = np.flatnonzero(gains == gains.max())
        j = int(best[np.argmin(self.rank[best])])  # of equal gains, the first in the pool
        same = gain is measure  # not for matching pursuit, which scores by a bound
        decrease = float(gains[j] if same else measure(left.take(np.array([j])), variance)[0])
        return Best(j, int(self.rank[j]), decrease, n_usable, n_independent)

    def eliminate(self, j: int) -> None:
        """Eliminate the candidate now at position j."""
        left, size = self.left, len(self.rank)
        f = self._S.eliminate(j, left.s[j], size)  # (c,)
        left.r -= f[:, None] * (left.r[j] / np.sqrt(left.s[j]))  # (c, p)
        left.s -= f * f
        if self._K is not None:
            e = self._K.eliminate(j, left.k[j], size)  # (c,)
            left.k -= e * e
        else:
            self._chosen.append(int(self.rank[j]))
            np.divide(left.s, self._reach, out=left.k)
        left.s[j] = left.k[j] = 0.0  # chosen: never usable again
        if self._K is None:
            self._eliminate_from_K_if_needed()
        if self._S.width == PANEL:
            self._shrink()
            for matrix in self._matrices():
                matrix.downdate(len(self.rank))

    def _matrices(self) -> list[_PanelMatrix]:
        return [self._S] if self._K is None else [self._S, self._K]

    def _eliminate_from_K_if_needed(self) -> None:
        """Eliminate the chosen ones from K as well, if s alone no longer shows duplicates."""
        left = self.left
        if np.count_nonzero(left.independent()) == len(self.rank) - self._S.width:
            return
        places, chosen = self.rank, np.array(self._chosen, dtype=np.intp)

        def of_K(a: NDArray[np.intp], b: NDArray[np.intp]) -> Vector:
            return self._waiting[np.maximum(a[:, None], b), np.minimum(a[:, None], b)]

        rest = of_K(places, places)  # (c, c)
        if len(chosen):
            V = solve_lower(safe_cholesky(of_K(chosen, chosen)).L, of_K(chosen, places))  # (t, c)
            rest = add_gram(rest, V, -1.0)
        gone = np.isin(places, chosen) if len(chosen) else left.s <= 0.0
        self._K, left.k = _PanelMatrix(rest), np.where(gone, 0.0, rest.diagonal())

    def _shrink(self) -> None:
        stays, size = self.left.independent(), len(self.rank)
        n_left = int(np.count_nonzero(stays))
        holes = np.flatnonzero(~stays[:n_left])
        last = n_left + np.flatnonzero(stays[n_left:])  # as many as there are holes
        order = np.arange(n_left)
        order[holes] = last
        self.left, self.rank = self.left.take(order), self.rank[order]
        for matrix in self._matrices():
            matrix.compact(holes, last, size)
