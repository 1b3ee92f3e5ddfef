"""Which candidates are looked at in a step: the working set.

One mechanism for every criterion. A working set has c places. After each addition the chosen
candidate leaves, the worst make room, and κ fresh ones, drawn from those neither chosen nor in
the set, take the free places; the others stay with what was computed for them (KC section 3,
SKS section 4). c = κ keeps nothing (Smola and Bartlett), κ = 0 is a fixed pool.
"""

import numpy as np
from numpy.typing import NDArray

from sparsegp.kernels.base import Vector

__all__ = ["WorkingSet"]


class WorkingSet:
    """Places that hold candidates.

    Parameters
    ----------
    n_candidates : int
        How many candidates there are.
    n_fresh : int
        κ, fresh candidates a step.
    cache_size : int
        c, places; at least κ.
    rng : Generator
        All draws come from it.
    pool : array of positions, optional
        The first members; cut to c, or topped up to c by random ones.

    Attributes
    ----------
    members : array (c,)
        The candidate in each place.
    live : array (c,) of bool
        Whether the place holds a candidate that may be chosen.
    """

    def __init__(
        self,
        n_candidates: int,
        n_fresh: int,
        cache_size: int,
        rng: np.random.Generator,
        pool: NDArray[np.intp] | None = None,
    ) -> None:
        self._n_fresh, self._rng = n_fresh, rng
        size = min(max(cache_size, n_fresh), n_candidates)
        first = np.asarray([] if pool is None else pool, dtype=np.intp)[:size]
        self._outside = np.ones(n_candidates, dtype=np.bool_)  # may still be drawn
        self._outside[first] = False
        self.members: NDArray[np.intp] = np.concatenate((first, self._draw(size - len(first))))
        self.live = np.ones(size, dtype=np.bool_)

    def _draw(self, size: int) -> NDArray[np.intp]:
        """Take random candidates from outside; all of them, in order, if there are no more."""
        if not size:
            return np.empty(0, dtype=np.intp)
        outside = np.flatnonzero(self._outside)
        if size < len(outside):
            outside = self._rng.choice(outside, size, replace=False, shuffle=False)
        self._outside[outside] = False
        return outside

    def retire(self, useless: NDArray[np.bool_]) -> None:
        """Never again offer the candidates marked in ``useless`` (N,)."""
        self._outside &= ~useless
        self.live &= ~useless[self.members]

    def renew(self, scores: Vector) -> NDArray[np.intp]:
        """Let fresh candidates in; return their places.

        Places that are not live are filled first, then those of the worst scores (c,), lower
        being better, until κ fresh ones are in or none is left outside. An infinite score says
        that a candidate is chosen or can never be.
        """
        self.live &= np.isfinite(scores)
        if not self._n_fresh:
            return np.empty(0, dtype=np.intp)
        empty = np.flatnonzero(~self.live)
        fresh = self._draw(max(self._n_fresh, len(empty)))
        taken = np.flatnonzero(self.live)
        n_leaving = max(0, len(fresh) - len(empty))
        order = np.argsort(scores[taken], kind="stable")
        leaving = taken[order[len(taken) - n_leaving :]]
        places = np.sort(np.concatenate((empty, leaving)))[: len(fresh)]
        self._outside[self.members[leaving]] = True
        self.members[places] = fresh
        self.live[places] = True
        return places
