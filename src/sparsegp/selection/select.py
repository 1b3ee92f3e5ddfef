"""Entry point of basis selection: a criterion by name, and the method that suits it."""

import numpy as np
from numpy.typing import NDArray

from sparsegp.kernels.base import Kernel
from sparsegp.model.approximation import DTC, Approximation
from sparsegp.selection.candidates import WorkingSet
from sparsegp.selection.criteria import CRITERIA, GAINS, HAS_TURNING_POINT
from sparsegp.selection.gram import select_in_gram
from sparsegp.selection.random_selection import select_random
from sparsegp.selection.sample import select_in_samples
from sparsegp.selection.stopping import Path, Progress, Selection, TimeFor
from sparsegp.tables.out_of_core import AnyInputs, inputs_at
from sparsegp.tables.rows import Rows

__all__ = ["select_basis", "uses_sample_domain"]


def uses_sample_domain(criterion: str, n_fresh: int) -> bool:
    """Tell whether a selection needs values for every row and candidate (the sample domain)."""
    return criterion != "random" and (criterion not in GAINS or n_fresh > 0)


def select_basis(
    criterion: str,
    kernel: Kernel,
    rows: Rows,
    candidates: AnyInputs | None,
    variance: float,
    *,
    max_basis: int,
    n_fresh: int,
    cache_size: int,
    rng: np.random.Generator,
    stop: bool,
    patience: int | None = None,
    cut_back: bool = True,
    pool: NDArray[np.intp] | None = None,
    progress: Progress | None = None,
    time_for: TimeFor | None = None,
    rule: Approximation = DTC,
    cache_bytes: int = 0,
) -> Selection:
    """Choose basis vectors (inducing points) from candidates greedily.

    Parameters
    ----------
    criterion : str
        One of ``CRITERIA``. ``random`` ignores the targets and has no measure: its path is
        zeros; ``model.posterior.prefix_evidences`` gives a curve from the final moments.
    kernel : Kernel
        With the hyperparameters to use.
    rows : Rows
        Training rows; a row of weight s counts s times.
    candidates : array (N, D) or None
        Inputs to choose from; None for those of the rows.
    variance : float
        Noise variance σ².
    max_basis : int
        Most basis vectors, at least one. Fewer are chosen if only duplicates are left.
    n_fresh : int
        κ, fresh random candidates a step; 0 for a fixed pool.
    cache_size : int
        c, the size of the working set, fresh ones included.
    rng : Generator
        Source of all random draws.
    stop : bool
        Whether a measure in ``HAS_TURNING_POINT`` ends the selection when it rises again.
    patience : int, optional
        Additions without a new minimum after which it ends; None: more for a larger basis.
    cut_back : bool
        Whether the additions after the minimum are left out.
    pool : array of positions, optional
        Candidates of the first working set.
    progress : callable, optional
        Called after each addition with the size of the basis and the value.
    time_for : callable, optional
        Called before each addition but the first, with the size of the basis and the number of
        multiplications before it; returns whether the time budget allows it. If not, the
        selection ends. Not called for random selection, which is fast.
    rule : Approximation
        Of the model that leave-one-out measures are of; the other criteria are those of DTC.
    cache_bytes : int
        Memory for kernel rows of candidates that may be drawn again (KC's extra cache).
    """
    if criterion not in CRITERIA:
        raise ValueError(f"criterion must be one of {', '.join(CRITERIA)}, got {criterion!r}")
    if criterion == "information_gain" and candidates is not None:
        raise ValueError(
            "information_gain couples a candidate to its own target, so it needs training rows "
            "as candidates"
        )
    may_stop = stop and criterion in HAS_TURNING_POINT
    path = Path(
        max_basis,
        stop=may_stop,
        patience=patience,
        cut_back=cut_back,
        progress=progress,
        time_for=time_for,
    )
    inputs: AnyInputs = rows.X if candidates is None else candidates
    if criterion == "random":
        for index in select_random(kernel, inputs, max_basis, rng):
            path.add(int(index), 0.0)
        return path.selection()
    n_candidates = int(inputs.shape[0])
    if not uses_sample_domain(criterion, n_fresh):
        members = _fixed_pool(n_candidates, cache_size, rng, pool)
        select_in_gram(criterion, kernel, rows, inputs, members, variance, path)
    else:
        working = WorkingSet(n_candidates, n_fresh, cache_size, rng, pool)
        own = None if candidates is None else inputs_at(candidates, np.arange(n_candidates))
        given = (criterion, kernel, rows, own, variance, max_basis)
        select_in_samples(*given, working, path, rule, cache_bytes)
    return path.selection()


def _fixed_pool(
    n_candidates: int,
    cache_size: int,
    rng: np.random.Generator,
    pool: NDArray[np.intp] | None,
) -> NDArray[np.intp]:
    """Return the candidates to choose from, without a working set if the pool is complete."""
    if pool is not None and len(pool) >= min(cache_size, n_candidates):
        return pool[:cache_size]
    return WorkingSet(n_candidates, 0, cache_size, rng, pool).members
