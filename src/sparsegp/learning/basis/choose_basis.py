"""Choosing a basis at given hyperparameters, from a pool of candidates, by some of the rows."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array
from sparsegp.kernels.base import Vector
from sparsegp.learning.budget.time_planner import (
    FEWEST_ROWS_TO_CHOOSE,
    ROWS_PER_CANDIDATE,
    TimePlan,
)
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.settings import Settings
from sparsegp.selection import select_basis
from sparsegp.selection.criteria import GAINS
from sparsegp.tables.index_sampling import ComplementIndex
from sparsegp.tables.out_of_core import AnyRows, inputs_at
from sparsegp.tables.rows import Rows

__all__ = [
    "POOL_FACTOR_IN_TIME",
    "BasisChooser",
    "SelectedBasis",
    "pool_size",
    "rows_at",
    "rows_that_choose",
    "some_places",
]

Indices = npt.NDArray[np.intp]
NOTHING: Indices = np.empty(0, dtype=np.intp)

# A fixed pool of the Gram criteria holds so many candidates for each basis vector, and at
# least so many. With three for each, errors are 0 to 12 % smaller; with a sixth more basis vectors
# instead, in about the same time, smaller still on most tables. Where a limit of time makes a basis
# smaller, somewhat more candidates are worth their time (docs/defaults.md).
POOL_FACTOR, POOL_FACTOR_IN_TIME = 2, 2.5
SMALLEST_POOL = 2_000
# The most rows whose Gram matrix decides on the basis: so many, or a third more than there are
# candidates, up to these. With 12,000 rows instead of 6,000 the errors of 1,500 basis vectors were
# 4 % smaller on kin40k and the same on protein, and those of 500 the same (four sets).
ROWS_FOR_SELECTION, MOST_ROWS_FOR_SELECTION = 6_000, 12_000
MORE_ROWS_THAN_CANDIDATES = 4 / 3


@dataclass(frozen=True)
class SelectedBasis:
    """A basis and the hyperparameters that go with it."""

    indices: Indices  # (m,), positions among the candidates
    path: Vector  # the criterion after each addition; empty if it has none
    Z: Array  # (m, D)
    parameters: Parameters


def some_places(n: int, size: int, rng: np.random.Generator) -> Indices | None:
    """Return at most ``size`` random positions below n, in order; None: all."""
    return None if n <= size else np.sort(rng.choice(n, size, replace=False))


def rows_at(rows: AnyRows, places: Indices | None) -> Rows:
    """Return the rows at some positions, fetched if they are far; None: all."""
    return rows.load() if places is None else rows.take(places)


class BasisChooser:
    """Chooses bases for one fit: the same rows, candidates and settings each time."""

    def __init__(
        self,
        rows: AnyRows,
        candidates: Array,
        settings: Settings,
        context: FitContext,
        times: TimePlan,
    ) -> None:
        self._candidates, self._settings, self._times = candidates, settings, times
        self._context = context
        n_candidates = int(candidates.shape[0])
        pool = pool_size(settings, min(settings.max_basis, n_candidates), n_candidates)
        size = rows_that_choose(len(rows), settings.selection, pool)
        if settings.rows_to_choose is not None:
            size = min(size, settings.rows_to_choose)
        # a random choice looks at no row
        at_random = settings.selection == "random"
        used = rows[:0] if at_random else rows_at(rows, some_places(len(rows), size, context.rng))
        self._rows = used.by_precision()

    def seconds(self, max_basis: int) -> float:
        """Return how long a choice takes at the pace of this machine; 0 if nobody asks."""
        pool = pool_size(self._settings, max_basis, int(self._candidates.shape[0]))
        return self._times.to_choose(self._settings, len(self._rows), pool, max_basis)

    def __call__(
        self, parameters: Parameters, max_basis: int, *, old: Indices = NOTHING
    ) -> SelectedBasis:
        """Choose so many at these hyperparameters; the old basis is part of the pool."""
        settings, n_candidates = self._settings, int(self._candidates.shape[0])
        pool = self._pool(max_basis, n_candidates, old)
        listener = self._context.listener
        candidates, places = self._candidates, pool
        from_pool = settings.selection in GAINS and not settings.n_fresh
        if from_pool:  # nothing else is looked at: far ones are fetched once
            candidates, places = inputs_at(candidates, pool), np.arange(len(pool))
        selection = select_basis(
            settings.selection,
            parameters.kernel,
            self._rows,
            candidates,
            parameters.noise_variance,
            max_basis=max_basis,
            n_fresh=settings.n_fresh,
            cache_size=len(pool),
            rng=self._context.rng,
            stop=settings.stop,
            pool=places,
            progress=lambda step, value: listener(Progress("selection", step, max_basis, value)),
            time_for=self._times.has_time_for if self._times.budget.limited else None,
        )
        # a kernel that is zero at every candidate leaves nothing to choose: any one will do
        indices = selection.indices if len(selection.indices) else np.zeros(1, dtype=np.intp)
        if selection.out_of_time and len(indices) < max_basis:
            self._times.budget.cut("selection", f"ended at {len(indices):,} basis vectors")
        self._context.history.note("selection", n_basis=len(indices))
        Z = inputs_at(candidates, indices)  # (m, D)
        path = np.empty(0) if settings.selection == "random" else selection.full_path
        return SelectedBasis(pool[indices] if from_pool else indices, path, Z, parameters)

    def _pool(self, max_basis: int, n_candidates: int, old: Indices) -> Indices:
        """Return the first working set: the old basis, then random candidates."""
        if self._settings.selection == "random":  # has none
            return old[:0]
        size = pool_size(self._settings, max_basis, n_candidates)
        others = ComplementIndex(n_candidates, old)
        n_more = max(size - len(old), 0)
        if n_more >= len(others):
            drawn = np.asarray(others)
        else:
            drawn = others[self._context.rng.choice(len(others), n_more, replace=False)]
        return np.concatenate((old, drawn))[:size].astype(np.intp)


def pool_size(settings: Settings, max_basis: int, n_candidates: int) -> int:
    """Return how many candidates the first working set has."""
    size = settings.cache_size
    if size is None:
        size = settings.n_fresh or _default_pool(settings.selection, max_basis, n_candidates)
    return min(size, n_candidates)


def rows_that_choose(n: int, selection: str, pool: int) -> int:
    """Return how many of n rows decide on the basis.

    Leave-one-out measures and the information gain have a number for every row.
    """
    enough = max(ROWS_PER_CANDIDATE * pool, FEWEST_ROWS_TO_CHOOSE)
    more = min(round(MORE_ROWS_THAN_CANDIDATES * pool), MOST_ROWS_FOR_SELECTION)
    most = max(ROWS_FOR_SELECTION, more)
    return min(n, most, enough) if selection in GAINS else n


def _default_pool(selection: str, max_basis: int, n_candidates: int) -> int:
    """Return how many candidates a fixed pool has.

    A score of the Gram criteria costs no row, and one of the information gain O(1): their
    pools are large. Leave-one-out criteria keep a column of length n for each candidate.
    """
    if selection in GAINS:
        return max(POOL_FACTOR * max_basis, SMALLEST_POOL)
    return n_candidates if selection in ("information_gain", "random") else max_basis
