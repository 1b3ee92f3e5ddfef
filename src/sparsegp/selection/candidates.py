"""The working set: the candidates that are scored in a step.

One mechanism for every criterion. A working set has c slots. After each addition the chosen
candidate and the worst ones leave, and κ fresh ones, drawn from those neither chosen nor in the
set, take their slots; the others keep their cached values (KC section 3, SKS section 4). c = κ
caches nothing (Smola & Bartlett 2001), κ = 0 is a fixed pool.
"""

import numpy as np
from numpy.typing import NDArray

from sparsegp.kernels.base import Vector

__all__ = ["WorkingSet"]


class WorkingSet:
    """Slots that hold candidates.

    Parameters
    ----------
    n_candidates : int
        Number of candidates.
    n_fresh : int
        κ, fresh candidates a step.
    cache_size : int
        c, slots; at least κ.
    rng : Generator
        Source of all random draws.
    pool : array of positions, optional
        The first members; truncated to c, or filled up to c by random ones.

    Attributes
    ----------
    members : array (c,)
        The candidate in each slot.
    live : array (c,) of bool
        Whether the slot holds a candidate that may be chosen.
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

    @property
    def draws_again(self) -> bool:
        """Whether candidates that leave may come back."""
        return self._n_fresh > 0

    def _draw(self, size: int) -> NDArray[np.intp]:
        """Draw random candidates from outside; all of them, in order, if there are too few."""
        if not size:
            return np.empty(0, dtype=np.intp)
        outside = np.flatnonzero(self._outside)
        if size < len(outside):
            outside = self._rng.choice(outside, size, replace=False, shuffle=False)
        self._outside[outside] = False
        return outside

    def retire(self, useless: NDArray[np.bool_]) -> None:
        """Exclude the candidates marked in ``useless`` (N,) for good."""
        self._outside &= ~useless
        self.live &= ~useless[self.members]

    def renew(self, scores: Vector) -> NDArray[np.intp]:
        """Draw fresh candidates; return their slots.

        Slots that are not live are filled first, then those of the worst scores (c,), lower
        being better, until κ fresh ones are in or none is left outside. An infinite score means
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
