"""Elimination of chosen candidates from S and K_cc, in panels.

A pivoted Cholesky factorisation of two matrices with the same pivots, which somebody else
chooses. The diagonals and the residual are brought up to date at every step, since the choice
needs them; the matrices only once a panel, by products. In between, the chosen column of the true
Schur complement is the stored one less what the panel's columns take off. After a panel, chosen
candidates and duplicates leave: the last ones move into their places, and the matrices shrink.
"""

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import add_gram
from sparsegp.kernels.base import Vector
from sparsegp.selection.criteria import EXHAUSTED, Schur

__all__ = ["Elimination"]

# Columns a panel: wider ones make the product faster and the columns between slower.
PANEL = 64


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
    ) -> None:
        s, k = S.diagonal().copy(), K.diagonal().copy()
        k[s <= 0.0] = 0.0  # nothing but rounding is left of it: a duplicate
        S_diagonal = s.copy() if S_diagonal is None else S_diagonal
        K_diagonal = k.copy() if K_diagonal is None else K_diagonal
        self.left = Schur(b.copy(), s, k, S_diagonal, K_diagonal, EXHAUSTED * s)
        self.rank = np.arange(len(S))
        self._S, self._K = _Panelled(S), _Panelled(K)

    def eliminate(self, j: int) -> None:
        """Eliminate the candidate that now stands at place j."""
        left, size = self.left, len(self.rank)
        f = self._S.eliminate(j, left.s[j], size)  # (c,)
        left.r -= f[:, None] * (left.r[j] / np.sqrt(left.s[j]))  # (c, p)
        left.s -= f * f
        e = self._K.eliminate(j, left.k[j], size)  # (c,)
        left.k -= e * e
        left.s[j] = left.k[j] = 0.0  # chosen: never usable again
        if self._S.width == PANEL:
            self._shrink()
            for matrix in (self._S, self._K):
                matrix.downdate(len(self.rank))

    def _shrink(self) -> None:
        stays, size = self.left.independent(), len(self.rank)
        n_left = int(np.count_nonzero(stays))
        holes = np.flatnonzero(~stays[:n_left])
        last = n_left + np.flatnonzero(stays[n_left:])  # as many as there are holes
        order = np.arange(n_left)
        order[holes] = last
        self.left, self.rank = self.left.take(order), self.rank[order]
        for matrix in (self._S, self._K):
            matrix.fill_holes(holes, last, size)
