"""Selection of a basis at given hyperparameters, from a pool of candidates, by some of the rows."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparsegp.arrays import Array
from sparsegp.arrays.placement import beside
from sparsegp.kernels.base import Vector
from sparsegp.learning.basis import policy
from sparsegp.learning.basis.candidates import Candidates
from sparsegp.learning.budget.time_plan import TimePlan
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.settings import ALL, AUTO, Settings
from sparsegp.selection import select_basis, uses_sample_domain
from sparsegp.selection.criteria import GAINS
from sparsegp.tables.index_sampling import ComplementIndex
from sparsegp.tables.out_of_core import AnyRows, inputs_at
from sparsegp.tables.rows import Rows

__all__ = ["BasisSelector", "SelectedBasis", "pool_size", "rows_for_selection", "sample_rows"]

Indices = npt.NDArray[np.intp]
NOTHING: Indices = np.empty(0, dtype=np.intp)


@dataclass(frozen=True)
class SelectedBasis:
    """A basis and the hyperparameters that go with it."""

    indices: Indices  # (m,), positions among the candidates
    path: Vector  # the criterion after each addition; empty if it has none
    Z: Array  # (m, D)
    parameters: Parameters

    def __len__(self) -> int:
        return len(self.indices)


def sample_rows(rows: AnyRows, size: int, rng: np.random.Generator) -> Rows:
    """Return at most ``size`` random rows in memory, in their order."""
    if len(rows) <= size:
        return rows.load()
    return rows.take(np.sort(rng.choice(len(rows), size, replace=False)))


class BasisSelector:
    """Selects bases for one fit: the same rows, candidates and settings each time."""

    def __init__(
        self,
        rows: AnyRows,
        candidates: Candidates,
        settings: Settings,
        context: FitContext,
        times: TimePlan,
    ) -> None:
        self._candidates, self._settings, self._times = candidates.X, settings, times
        self._n_candidates, self._context = len(candidates), context
        self._every_row = self._rows_in_order(rows, candidates)
        pool = pool_size(settings, min(settings.max_basis, self._n_candidates), self._n_candidates)
        size = self._n_rows(rows, pool)
        # a random selection needs no row
        at_random = settings.selection == "random"
        used = rows[:0] if at_random else sample_rows(rows, size, context.rng)
        self._rows, self._home = used.by_precision(), used.X
        in_samples = uses_sample_domain(settings.selection, settings.n_fresh)
        if in_samples or len(used) * pool**2 <= policy.MAX_SELECTION_ON_HOST:
            self._rows = self._rows.to_host()  # the first kind is in NumPy's operations alone
        if in_samples:
            self._candidates = beside(candidates.X, like=self._rows.X)
        self._are_rows = candidates.are_rows and len(used) == self._n_candidates

    def _n_rows(self, rows: AnyRows, pool: int) -> int:
        """Return how many rows select: as asked for, as many as time and memory allow."""
        settings = self._settings
        size = rows_for_selection(
            len(rows),
            settings.selection,
            pool,
            n_fresh=settings.n_fresh,
            asked=settings.n_rows_selection,
        )
        if settings.rows_to_select is not None:
            size = min(size, settings.rows_to_select)
        if rows.is_out_of_core and settings.n_rows_selection != AUTO:
            fitting = settings.memory.rows_loaded(rows.n_columns, rows.n_outputs)
            if fitting < size:
                self._context.history.note(Phase.MEMORY, n_rows=fitting, of=size)
            size = min(size, fitting)
        return size

    def seconds(self, max_basis: int) -> float:
        """Return how long a selection takes on this machine; 0 without a time budget."""
        pool = pool_size(self._settings, max_basis, self._n_candidates)
        return self._times.to_select(self._settings, len(self._rows), pool)

    def select(
        self, parameters: Parameters, max_basis: int, *, old: Indices = NOTHING
    ) -> SelectedBasis:
        """Select up to ``max_basis`` at these hyperparameters; the old basis is in the pool."""
        settings, listener = self._settings, self._context.listener
        if self._every_row is not None and max_basis >= self._n_candidates:
            self._context.history.note(Phase.SELECTION, n_basis=self._n_candidates)
            every = np.arange(self._n_candidates)
            return SelectedBasis(every, np.empty(0), self._every_row, parameters)
        pool = self._pool(max_basis, old)
        candidates, places = self._candidates, pool
        from_pool = settings.selection in GAINS and not settings.n_fresh
        if from_pool:  # no other candidate is needed: out-of-core ones are fetched once
            candidates = beside(inputs_at(candidates, pool), like=self._rows.X)
            places = np.arange(len(pool))
        selection = select_basis(
            settings.selection,
            parameters.kernel,
            self._rows,
            None if self._are_rows and not from_pool else candidates,
            parameters.noise_variance,
            max_basis=max_basis,
            n_fresh=settings.n_fresh,
            cache_size=len(pool),
            rng=self._context.rng,
            stop=settings.stop,
            patience=settings.patience,
            cut_back=settings.cut_back,
            rule=settings.selection_rule or settings.rule,
            cache_bytes=min(
                policy.MAX_CACHE_BYTES, int(policy.CACHE_SHARE * settings.memory.limit)
            ),
            pool=places,
            progress=lambda step, value: listener(
                Progress(Phase.SELECTION.label(), step, max_basis, value)
            ),
            time_for=self._times.has_time_for if self._times.budget.limited else None,
        )
        # a kernel that is zero at every candidate leaves nothing to select: any one will do
        indices = selection.indices if len(selection.indices) else np.zeros(1, dtype=np.intp)
        if selection.out_of_time and len(indices) < max_basis:
            self._times.budget.cut(Phase.SELECTION, f"ended at {len(indices):,} basis vectors")
        self._context.history.note(Phase.SELECTION, n_basis=len(indices))
        Z = beside(inputs_at(candidates, indices), like=self._home)  # (m, D)
        path = np.empty(0) if settings.selection == "random" else selection.full_path
        return SelectedBasis(pool[indices] if from_pool else indices, path, Z, parameters)

    def _rows_in_order(self, rows: AnyRows, candidates: Candidates) -> Array | None:
        """Return the inputs of all rows (n, D) if they are the basis, and too many to be ordered.

        A time budget may leave out the last ones, so that it needs their order.
        """
        asked = self._settings.every_row and candidates.are_rows
        many = self._n_candidates > policy.MOST_ROWS_ORDERED
        if not asked or not many or rows.is_out_of_core or self._times.budget.limited:
            return None
        return rows.X

    def _pool(self, max_basis: int, old: Indices) -> Indices:
        """Return the first working set: the old basis, then random candidates."""
        if self._settings.selection == "random":  # has none
            return old[:0]
        size = pool_size(self._settings, max_basis, self._n_candidates)
        others = ComplementIndex(self._n_candidates, old)
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


def rows_for_selection(
    n: int, selection: str, pool: int, *, n_fresh: int = 0, asked: int | str = AUTO
) -> int:
    """Return how many of n rows select the basis.

    All, unless a number was asked for, or the criterion needs only the Gram matrix of a fixed pool:
    there some rows for each candidate are enough. Selections with fresh candidates are those of the
    papers, which see all rows; leave-one-out measures and the information gain have a number for
    every row.
    """
    if not isinstance(asked, str):
        return min(n, asked)
    if asked == ALL or n_fresh or selection not in GAINS:
        return n
    enough = max(policy.ROWS_PER_CANDIDATE * pool, policy.MIN_ROWS_FOR_SELECTION)
    more = min(round(policy.ROWS_OVER_CANDIDATES * pool), policy.MAX_ROWS_FOR_SELECTION)
    most = max(policy.ROWS_FOR_SELECTION, more)
    return min(n, most, enough)


def _default_pool(selection: str, max_basis: int, n_candidates: int) -> int:
    """Return how many candidates a fixed pool has.

    A score of the Gram criteria needs no row, and one of the information gain O(1): their pools
    are large. Leave-one-out criteria keep a column of length n for each candidate.
    """
    if selection in GAINS:
        return max(policy.POOL_FACTOR * max_basis, policy.MIN_POOL)
    return n_candidates if selection in ("information_gain", "random") else max_basis
