"""Anderson's acceleration of a fixed-point iteration x ← F(x).

The last few residuals F(x) − x tell how the residual answers to a move; the next point is the
one whose residual, by that linear picture, is the smallest. Where plain iteration oscillates or
creeps, this takes a few steps. (Walker & Ni 2011.)
"""

import numpy as np

from sparsegp.arrays.namespace import Array

__all__ = ["AndersonAcceleration"]

DEPTH = 5
# Differences of residuals that are this close to dependent are not told apart.
RELATIVE_RANK = 1e-10
# Numbers of the vectors that are looked at at a time.
PART = 2**16


class AndersonAcceleration:
    """Proposes points.

    Parameters
    ----------
    weight : array (N,), optional
        How often each coordinate counts in the size of a residual; None means once.

    >>> search, x = AndersonAcceleration(), np.array([1.0, 1.0])
    >>> for _ in range(4):
    ...     x = search.propose(x, np.array([-2.0, 0.9]) * x + 1.0)  # one runs off, one creeps
    >>> x.round(6)
    array([ 0.333333, 10.      ])
    """

    def __init__(self, weight: Array | None = None) -> None:
        self.damping = 1.0
        self._root = None if weight is None else np.sqrt(weight)
        self._points: list[Array] = []
        self._residuals: list[Array] = []

    def propose(self, x: Array, image: Array) -> Array:
        """Return the next point, from x and F(x): vectors."""
        self._points = [*self._points[-DEPTH:], x]
        self._residuals = [*self._residuals[-DEPTH:], image - x]
        return self._next()

    def retreat(self) -> Array:
        """Return another point in place of the last proposal, nearer and from scratch."""
        self.damping *= 0.5
        del self._points[:-1], self._residuals[:-1]
        return self._next()

    def advance(self) -> None:
        """Take back some damping: the last proposal was good."""
        self.damping = min(1.0, 1.5 * self.damping)

    def _next(self) -> Array:
        point = self._points[-1] + self.damping * self._residuals[-1]
        for j, share in enumerate(self._shares()):
            point -= share * (self._points[j + 1] - self._points[j])
            point -= share * self.damping * (self._residuals[j + 1] - self._residuals[j])
        return point

    def _shares(self) -> Array:
        """Return how much of each difference of residuals makes up the last residual: (depth,).

        The least squares go by parts, as vectors may be long: R of a QR decomposition of all rows
        is that of the R of those before and the rows of a part.
        """
        depth = len(self._residuals) - 1
        R: Array = np.zeros((0, depth + 1))
        for start in range(0, len(self._residuals[-1]) if depth else 0, PART):
            part = slice(start, start + PART)
            residuals = np.stack([residual[part] for residual in self._residuals])  # (depth + 1, b)
            A = np.vstack((np.diff(residuals, axis=0), residuals[-1:])).T  # (b, depth + 1)
            if self._root is not None:
                A = self._root[part, None] * A
            R = np.linalg.qr(np.vstack((R, A)), mode="r")
        return np.linalg.lstsq(R[:, :depth], R[:, depth], rcond=RELATIVE_RANK)[0]
