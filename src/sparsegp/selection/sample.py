"""Selection in the sample domain: one loop for every criterion.

Score the working set, add the best candidate to the model, update the cached candidates, draw fresh
ones.
"""

import numpy as np
from numpy.typing import NDArray

from sparsegp.arrays import Array
from sparsegp.kernels.base import Kernel, Vector
from sparsegp.model.approximation import DTC, Approximation
from sparsegp.model.leave_one_out.measures import LOO_MEASURES
from sparsegp.selection.candidates import WorkingSet
from sparsegp.selection.criteria import GAINS
from sparsegp.selection.information import InformationGain
from sparsegp.selection.leave_one_out import LeaveOneOut
from sparsegp.selection.projection import Addition, Projection
from sparsegp.selection.row_noise import RowNoiseLeaveOneOut
from sparsegp.selection.scorers import MatchingPursuit, PosteriorOrEvidence, Scorer
from sparsegp.selection.stopping import Path
from sparsegp.tables.rows import Rows

__all__ = ["select_in_samples"]


def select_in_samples(
    criterion: str,
    kernel: Kernel,
    rows: Rows,
    candidates: Array | None,
    variance: float,
    max_basis: int,
    working: WorkingSet,
    path: Path,
    rule: Approximation = DTC,
    cache_bytes: int = 0,
) -> None:
    """Choose from candidates (N, D), or from the rows, through a working set, to the path's end.

    Leave-one-out measures are those of the model with this rule; the other criteria are DTC's.
    Kernel rows that may be needed again take at most ``cache_bytes``.
    """
    rule = rule if criterion in LOO_MEASURES else DTC
    again = working.draws_again or rule.in_noise
    kept = cache_bytes if again and criterion != "information_gain" else 0
    model = Projection(kernel, rows, candidates, variance, max_basis, rule, kept)
    scorer = _scorer(criterion, model, rows, len(working.members), max_basis)
    first = model.first_candidate
    places = np.arange(len(working.members))
    while not path.ended:
        working.retire(model.duplicates())
        if len(places):
            scorer.fill(places, first + working.members[places])
        scores = np.where(working.live, scorer.scores(), np.inf)  # (c,)
        added = _add_best(model, scores, first + working.members)
        if added is None:
            places = working.renew(scores)
            if not len(places):
                return
            continue
        place, addition = added
        path.add(int(working.members[place]), scorer.value(float(scores[place]), addition))
        scores[place] = np.inf
        places = working.renew(scores)
        if len(places) < len(working.members):  # some stay
            scorer.update(addition)
            places = np.union1d(places, np.flatnonzero(scorer.exhausted() & working.live))


def _scorer(criterion: str, model: Projection, rows: Rows, n_places: int, max_basis: int) -> Scorer:
    if criterion == "matching_pursuit":
        return MatchingPursuit(model, rows, n_places)
    if criterion in GAINS:
        return PosteriorOrEvidence(criterion, model, rows, n_places, max_basis)
    if criterion == "information_gain":
        return InformationGain(model, n_places)
    if model.rule.in_noise:
        return RowNoiseLeaveOneOut(criterion, model, n_places)
    return LeaveOneOut(criterion, model, n_places)


def _add_best(
    model: Projection, scores: Vector, at: NDArray[np.intp]
) -> tuple[int, Addition] | None:
    """Add the candidate of lowest score that is not a duplicate; mark the duplicates."""
    while np.isfinite(scores).any():
        place = int(np.argmin(scores))
        addition = model.add(int(at[place]))
        if addition is not None:
            return place, addition
        scores[place] = np.inf
    return None
