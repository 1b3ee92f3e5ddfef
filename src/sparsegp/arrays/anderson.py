"""Anderson acceleration of a fixed-point iteration x ← F(x) (Walker & Ni 2011).

The last few residuals F(x) − x give a linear model of how the residual depends on x; the next point
minimises the norm of the residual under that model. It takes a few steps where the plain iteration
oscillates or converges slowly.
"""

import numpy as np

from sparsegp.arrays.namespace import Array
from sparsegp.arrays.policy import ANDERSON_CHUNK, ANDERSON_DEPTH, ANDERSON_RELATIVE_RANK

__all__ = ["AndersonAcceleration"]


class AndersonAcceleration:
    """Proposes the next point of an iteration.

    Parameters
    ----------
    weight : array (N,), optional
        Weight of each coordinate in the squared norm of a residual; None means one.

    >>> search, x = AndersonAcceleration(), np.array([1.0, 1.0])
    >>> for _ in range(4):
    ...     x = search.propose(x, np.array([-2.0, 0.9]) * x + 1.0)  # one diverges, one is slow
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
        self._points = [*self._points[-ANDERSON_DEPTH:], x]
        self._residuals = [*self._residuals[-ANDERSON_DEPTH:], image - x]
        return self._next()

    def retreat(self) -> Array:
        """Return a damped point in place of the last proposal, and drop the older residuals."""
        self.damping *= 0.5
        del self._points[:-1], self._residuals[:-1]
        return self._next()

    def advance(self) -> None:
        """Reduce the damping: the last proposal was accepted."""
        self.damping = min(1.0, 1.5 * self.damping)

    def _next(self) -> Array:
        point = self._points[-1] + self.damping * self._residuals[-1]
        for j, share in enumerate(self._shares()):
            point -= share * (self._points[j + 1] - self._points[j])
            point -= share * self.damping * (self._residuals[j + 1] - self._residuals[j])
        return point

    def _shares(self) -> Array:
        """Return the least-squares coefficients of the last residual in the differences: (depth,).

        The vectors may be long, so R of the QR decomposition is updated chunk by chunk: it is that
        of the previous R stacked on the rows of the chunk.
        """
        depth = len(self._residuals) - 1
        R: Array = np.zeros((0, depth + 1))
        for start in range(0, len(self._residuals[-1]) if depth else 0, ANDERSON_CHUNK):
            part = slice(start, start + ANDERSON_CHUNK)
            residuals = np.stack([residual[part] for residual in self._residuals])  # (depth + 1, b)
            A = np.vstack((np.diff(residuals, axis=0), residuals[-1:])).T  # (b, depth + 1)
            if self._root is not None:
                A = self._root[part, None] * A
            R = np.asarray(np.linalg.qr(np.vstack((R, A)), mode="r"))
        return np.linalg.lstsq(R[:, :depth], R[:, depth], rcond=ANDERSON_RELATIVE_RANK)[0]
