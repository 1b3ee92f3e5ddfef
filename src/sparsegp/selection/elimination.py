"""Elimination of chosen candidates from S and K_cc, in panels.

A pivoted Cholesky factorisation of two matrices with the same pivots, which somebody else
chooses. The diagonals and the residual are brought up to date at every step, since the choice
needs them; the matrices only once a panel, by products. In between, the chosen column of the true
Schur complement is the stored one less what the panel's columns take off. After a panel, chosen
candidates and duplicates leave: the last ones move into their places, and the matrices shrink.

Of K_cc many criteria need only whether a candidate is a duplicate, and mostly s tells: with g the
part of the candidate's kernel function that the chosen ones do not span, ‖g‖² = k, and

    s ≤ Σ w g(x)² + σ² k ≤ k (Σ w k(x, x) + σ²).

So as long as s is large enough K_cc waits; then the chosen ones are eliminated from it at once.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import add_gram, safe_cholesky, solve_lower
from sparsegp.kernels.base import Vector
from sparsegp.selection.criteria import EXHAUSTED, Gain, Schur

__all__ = ["PANEL", "Best", "Elimination"]

# Columns a panel: wider ones make the product faster and the columns between slower.
PANEL = 64


@dataclass(frozen=True)
class Best:
    """The candidate of largest gain."""

    place: int
    rank: int  # its place at the start
    fall: float  # by how much it lowers the measure
    n_usable: int
    n_independent: int


class _Panelled:
    """A symmetric matrix less FᵀF of the panel's columns F; only lower triangles are stored."""

    def __init__(self, A: Vector) -> None:
        self._A = A  # (c, c) and more, overwritten
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

    def fill_holes(self, holes: NDArray[np.intp], last: NDArray[np.intp], size: int) -> None:
        """Move the candidates at places ``last`` to places ``holes``, all smaller."""
        for to, j in zip(holes.tolist(), last.tolist(), strict=True):
            row = self._row(j, size)  # (c,)
            self._A[to, :to] = row[:to]
            self._A[to, to] = row[j]
            self._A[to + 1 : size, to] = row[to + 1 :]
        self._F[: self.width, holes] = self._F[: self.width, last]

    def downdate(self, size: int) -> None:
        """Take the panel off, and begin another."""
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
        The diagonals before anything was chosen, if that was earlier.
    reach : float
        Σ w k(x, x) + σ², if k is needed for nothing but to know duplicates: ``left.k`` then is a
        lower bound, s/reach, as long as that tells them.

    Attributes
    ----------
    left : Schur
        The diagonals and the residual of the candidates still in the matrices.
    rank : array
        At which place these stood at the start.
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
        k[s <= 0.0] = 0.0  # nothing but rounding is left of it: a duplicate
        S_diagonal = s.copy() if S_diagonal is None else S_diagonal
        K_diagonal = k.copy() if K_diagonal is None else K_diagonal
        self.left = Schur(b.copy(), s, k, S_diagonal, K_diagonal, EXHAUSTED * s)
        self.rank = np.arange(len(S))
        self._S, self._K = _Panelled(S), None if reach else _Panelled(K)
        self._waiting, self._reach = K, reach or 1.0
        self._chosen: list[int] = []  # by their ranks, while K waits
        if reach:
            self.left.k = s / reach
            self._catch_up_if_unsure()

    def best(self, gain: Gain, measure: Gain, variance: float) -> Best | None:
        """Return the candidate of largest gain; None if none has digits."""
        left = self.left
        usable, independent = left.usable(), left.independent()  # (c,)
        n_usable, n_independent = int(np.count_nonzero(usable)), int(np.count_nonzero(independent))
        if not n_usable:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):  # those not usable
            gains = np.where(usable, gain(left, variance), -np.inf)  # (c,)
        best = np.flatnonzero(gains == gains.max())
        j = int(best[np.argmin(self.rank[best])])  # of equals, the first in the pool
        own = gain is measure  # or matching pursuit, which scores by a bound
        fall = float(gains[j] if own else measure(left.take(np.array([j])), variance)[0])
        return Best(j, int(self.rank[j]), fall, n_usable, n_independent)

    def eliminate(self, j: int) -> None:
        """Eliminate the candidate that now stands at place j."""
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
            self._catch_up_if_unsure()
        if self._S.width == PANEL:
            self._shrink()
            for matrix in self._matrices():
                matrix.downdate(len(self.rank))

    def _matrices(self) -> list[_Panelled]:
        return [self._S] if self._K is None else [self._S, self._K]

    def _catch_up_if_unsure(self) -> None:
        """Eliminate the chosen ones from K as well, if s alone no longer tells duplicates."""
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
        self._K, left.k = _Panelled(rest), np.where(gone, 0.0, rest.diagonal())

    def _shrink(self) -> None:
        stays, size = self.left.independent(), len(self.rank)
        n_left = int(np.count_nonzero(stays))
        holes = np.flatnonzero(~stays[:n_left])
        last = n_left + np.flatnonzero(stays[n_left:])  # as many as there are holes
        order = np.arange(n_left)
        order[holes] = last
        self.left, self.rank = self.left.take(order), self.rank[order]
        for matrix in self._matrices():
            matrix.fill_holes(holes, last, size)
