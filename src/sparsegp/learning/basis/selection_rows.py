"""The rows that select the basis: those that are not held out, as far as they fit into memory."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from sparsegp.learning.basis.adapt import select_and_adapt
from sparsegp.learning.basis.candidates import Candidates
from sparsegp.learning.basis.select import SelectedBasis
from sparsegp.learning.budget.time_plan import TimePlan
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.hyperparameters.parameters import Parameters
from sparsegp.learning.settings import Settings
from sparsegp.selection import uses_sample_domain
from sparsegp.tables.index_sampling import ComplementIndex
from sparsegp.tables.out_of_core import AnyRows

__all__ = ["select_by_seen_rows"]

Indices = npt.NDArray[np.intp]


def select_by_seen_rows(
    rows: AnyRows,
    seen: ComplementIndex,
    candidates: Candidates,
    parameters: Parameters,
    settings: Settings,
    context: FitContext,
    *,
    learn: bool,
    times: TimePlan,
) -> SelectedBasis:
    """Select a basis, and adapt hyperparameters to it, by the rows at positions ``seen``."""
    used, positions = _seen_rows(rows, seen, settings, context)
    found = select_and_adapt(
        used, candidates.among(used), parameters, settings, context, learn=learn, times=times
    )
    if not candidates.are_rows or positions is None:
        return found
    return replace(found, indices=positions[found.indices])


def _seen_rows(
    rows: AnyRows, seen: ComplementIndex, settings: Settings, context: FitContext
) -> tuple[AnyRows, ComplementIndex | Indices | None]:
    """Return the rows that select, and their positions; None: all.

    Criteria that keep a number for each row and candidate need their rows in memory.
    """
    if rows.is_out_of_core and uses_sample_domain(settings.selection, settings.n_fresh):
        positions = _fitting(seen, rows, settings, context.rng)
        if len(positions) < len(seen):
            context.history.note(Phase.MEMORY, n_rows=len(positions), of=len(seen))
        return rows.take(positions), positions
    return (rows, None) if len(seen) == len(rows) else (rows.subset(seen), seen)


def _fitting(
    seen: ComplementIndex, rows: AnyRows, settings: Settings, rng: np.random.Generator
) -> Indices:
    """Return the positions of the rows, or of as many random ones as fit into memory."""
    most = settings.memory.rows_in_samples(
        rows.n_columns, rows.n_outputs, settings.max_basis, settings.cache_size or 0
    )
    if len(seen) <= most:
        return np.asarray(seen)
    return np.asarray(seen[np.sort(rng.choice(len(seen), most, replace=False))])
