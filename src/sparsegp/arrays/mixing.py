"""Anderson's acceleration of a fixed-point iteration x ← F(x).

The last few residuals F(x) − x tell how the residual answers to a move; the next point is the
one whose residual, by that linear picture, is the smallest. Where plain iteration oscillates or
creeps, this takes a few steps. (Walker & Ni 2011.)
"""

import numpy as np

from sparsegp.arrays.namespace import Array

__all__ = ["FixedPointSearch"]

DEPTH = 5
# Differences of residuals that are this close to dependent are not told apart.
RELATIVE_RANK = 1e-10


class FixedPointSearch:
    """Proposes points.

    Parameters
    ----------
    weight : array (N,), optional
        How often each coordinate counts in the size of a residual; None means once.

    >>> search, x = FixedPointSearch(), np.array([1.0, 1.0])
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
        x, residual = self._points[-1], self._residuals[-1]
        step = self.damping * residual
        if len(self._points) == 1:
            return x + step
        moves = np.diff(np.stack(self._points), axis=0).T  # (N, depth)
        answers = np.diff(np.stack(self._residuals), axis=0).T  # (N, depth)
        share = np.linalg.lstsq(*self._weighted(answers, residual), rcond=RELATIVE_RANK)[0]
        return x + step - (moves + self.damping * answers) @ share

    def _weighted(self, answers: Array, residual: Array) -> tuple[Array, Array]:
        if self._root is None:
            return answers, residual
        return self._root[:, None] * answers, self._root * residual
